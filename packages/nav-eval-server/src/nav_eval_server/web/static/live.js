// Every element with data-live is fetched anew every 2 s from the address it names, until its new text names none.
"use strict";
const SECONDS = 2;

async function renew(element) {
  if (document.hidden) return again(element);
  let answer;
  try {
    answer = await fetch(element.dataset.live, { credentials: "same-origin", redirect: "error" });
  } catch {
    return again(element); // the server is away for a moment, or we are logged out
  }
  if (!answer.ok) return undefined;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").body.firstElementChild;
  if (!fresh.dataset.live && element.closest("[data-then-reload]")) return location.reload();
  if (fresh.outerHTML !== element.outerHTML) element.replaceWith(fresh);
  else fresh.remove();
  const shown = fresh.isConnected ? fresh : element;
  return shown.dataset.live ? again(shown) : undefined;
}

function again(element) {
  setTimeout(() => renew(element), 1000 * SECONDS);
}

for (const element of document.querySelectorAll("[data-live]")) again(element);
