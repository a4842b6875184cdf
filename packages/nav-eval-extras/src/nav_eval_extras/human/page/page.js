"use strict";
const KEY = location.hash.slice(1);
const PAGE = Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(16)).join("-");
const KEYS = {
  ArrowUp: "move_forward", w: "move_forward", ArrowLeft: "turn_left", a: "turn_left", ArrowRight: "turn_right", d: "turn_right",
  PageUp: "look_up", r: "look_up", PageDown: "look_down", f: "look_down", Enter: "stop", " ": "stop", g: "found", q: "wait",
};
const SHOWN_KEYS = {
  move_forward: ["↑", "W"], turn_left: ["←", "A"], turn_right: ["→", "D"], look_up: ["PgUp", "R"], look_down: ["PgDn", "F"],
  stop: ["Space", "Enter"], found: ["G"], wait: ["Q"],
};
const ARROWS = { move_forward: "↑", turn_left: "↶", turn_right: "↷", look_up: "⤒", look_down: "⤓" };
const ORDER = ["turn_left", "move_forward", "turn_right", "look_up", "look_down"];
const RETRY_MS = 1000;
const REPEAT_MS = 150;  // a key or a button that is held down walks no faster than this
const HOLD_MS = 400;  // a button that is pressed so long is held down
const SURE = ["stop", "found"];  // cannot be taken back, so they are asked back

const PANELS = { play: drawPlay };  // what draws the section of this phase; any other phase is a notice
let language = kept("language") ?? ((navigator.language || "en").toLowerCase().startsWith("zh") ? "zh" : "en");
let state = { phase: "preparing", version: -1 };
let last = "";  // what was chosen
let stuck = false;  // a step forward has changed nothing that can be seen
let busy = false;  // a choice is on its way, or its frame is not there yet
let chosen = 0;  // when the last choice was made, ms
let holding = 0;  // the timer of a button that is held down
let held = false;  // it has walked, so letting it go does not
let halted = "";  // why nothing is asked for any more
let broken = "";  // what went wrong in this script

function kept(key) {
  try { return sessionStorage.getItem(key); } catch { return null; }  // a browser may forbid it
}

function keep(key, value) {
  try {
    if (value === null) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, value);
  } catch { /* as above: it is forgotten */ }
}

const at = (id) => document.getElementById(id);

function word(key, values = {}) {
  const text = WORDS[language][key] ?? key.replaceAll("_", " ");
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? values[name] : whole));
}

function make(tag, text, attributes = {}) {
  const element = document.createElement(tag);
  element.textContent = text;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

async function call(name, content) {
  const response = await fetch(name, {
    method: "POST", headers: { Authorization: `Bearer ${KEY}`, "Content-Type": "application/json" },
    body: JSON.stringify({ page: PAGE, ...content }), cache: "no-store",
  });
  if (response.status === 401) return halt("wrong_key");
  const answer = response.status === 204 ? {} : await response.json();
  if (answer.error === "played elsewhere") return halt("elsewhere");
  if (!response.ok && answer.error !== "not asked") throw new Error(answer.error);
  return response.ok ? answer : null;
}

function halt(why) {
  halted = why;
  draw();
  return null;
}

async function follow() {
  while (!halted && state.phase !== "done") {
    const news = await ask();
    if (!news || news.version === state.version) continue;
    try {
      take(news);
    } catch (error) {
      broken = String(error);
      halt("broken");
      throw error;
    }
  }
}

async function ask() {
  try {
    if (state.version < 0) await call("claim", {});
    const news = halted ? null : await call("wait", { seen: state.version });
    trouble("");
    return news;
  } catch {
    trouble("away");
    await new Promise((wake) => setTimeout(wake, RETRY_MS));
    state.version = -1;  // the program may have been started anew
    return null;
  }
}

function take(news) {
  const before = state;
  state = news;
  if (news.turn !== before.turn || news.phase !== before.phase) busy = false;
  if (news.turn !== before.turn) stuck = last === "move_forward" && JSON.stringify(news.pictures) === JSON.stringify(before.pictures);
  draw();
  if (news.phase !== before.phase) {
    at("confirm").close();
    const notice = at(at("notice-button").hidden ? "notice-title" : "notice-button");
    (news.phase in PANELS ? at(news.phase).querySelector("[tabindex]") : notice).focus();
  }
}

async function choose(choice, text = "") {
  if (busy || halted) return;
  busy = true;
  chosen = performance.now();
  last = choice;
  at("play").classList.add("busy");
  try {
    if (await call("choose", { turn: state.turn, choice, text }) === null && !halted) free();
  } catch {
    trouble("away");
    free();
  }
}

function free() {
  busy = false;
  at("play").classList.remove("busy");
}

function act(action) {
  if (busy || state.phase !== "play" || halted) return;
  if (SURE.includes(action)) askBack(action);
  else choose(action);
}

function askBack(action) {
  at("confirm").dataset.action = action;
  at("confirm-title").dataset.word = `confirm_${action}`;
  at("confirm-text").dataset.word = `confirm_${action}_text`;
  at("confirm-yes").dataset.word = action;
  draw();
  at("confirm").showModal();
}

function hold(action, wait) {
  clearTimeout(holding);
  holding = setTimeout(() => { held = true; act(action); hold(action, REPEAT_MS); }, wait);
}

function release() {
  clearTimeout(holding);
}

function trouble(key) {
  const text = key && word(key);
  if (at("trouble").textContent !== text) at("trouble").textContent = text;
  if (key && !at("notice").hidden) at("notice-text").textContent = text;
}

function direction(degrees) {
  const size = Math.abs(degrees);
  if (size < 8) return word("ahead");
  if (size > 172) return word("behind");
  return word(degrees > 0 ? "left" : "right", { degrees: size });
}

function draw() {
  document.documentElement.lang = language === "zh" ? "zh-Hans" : "en";
  for (const element of document.querySelectorAll("[data-word]")) element.textContent = word(element.dataset.word);
  for (const element of document.querySelectorAll("[data-label]")) element.setAttribute("aria-label", word(element.dataset.label));
  document.title = word("title");
  at("language").textContent = word("language");
  at("language").lang = language === "zh" ? "en" : "zh-Hans";
  const phase = halted || state.phase;
  const known = "instruction" in state && !halted;
  at("place").textContent = known ? word(state.practice ? "practice" : "place", state) : "";
  for (const name of Object.keys(PANELS)) at(name).hidden = phase !== name;
  at("task").hidden = !known;
  at("notice").hidden = phase in PANELS;
  if (known) drawTask();
  if (phase in PANELS) PANELS[phase]();
  else drawNotice(phase);
}

function drawTask() {
  const { instruction, goal = {}, pictures = [] } = state;
  at("instruction").textContent = instruction ? instruction.text : "";
  at("instruction").lang = instruction ? instruction.language : "";
  const told = [];
  if (goal.text) told.push(word("task_goal", { text: goal.text.replaceAll("_", " ") }));
  if ("distance" in goal) told.push(word("task_point", { distance: goal.distance, direction: direction(goal.bearing) }));
  if (pictures.some((one) => one.name === "imagegoal")) told.push(word("task_picture"));
  at("goal").textContent = told.join(" ");
  at("goal").hidden = !told.length;
  at("task").hidden = !instruction && !told.length;
}

function drawPlay() {
  drawPictures(at("view"));
  at("play").classList.toggle("busy", busy);
  at("steps").textContent = word(state.limit ? "steps" : "steps_open", state) + (stuck ? ` · ${word("stuck")}` : "");
  drawActions();
  drawWays();
  drawTexts();
  at("keys").replaceChildren(...shownActions().filter((name) => SHOWN_KEYS[name]).map((name) => {
    const row = make("tr", "");
    const keys = make("td", "");
    keys.append(...SHOWN_KEYS[name].flatMap((key) => [make("kbd", key), " "]));
    row.append(keys, make("td", word(name)));
    return row;
  }));
}

function drawPictures(view) {
  const shown = view.querySelectorAll("img");
  if (shown.length === state.pictures.length && shown.length) {
    state.pictures.forEach((one, index) => fill(shown[index], one));
    return;
  }
  view.replaceChildren(...state.pictures.map((one) => {
    const figure = make("figure", "");
    const image = make("img", "");
    fill(image, one);
    figure.append(image);
    if (one.around) figure.append(make("figcaption", word("around")));
    else if (state.pictures.length > 1) figure.append(make("figcaption", word(`picture_${one.name}`)));
    return figure;
  }));
  if (!state.pictures.length) view.append(make("p", word("blind")));
}

function fill(image, one) {
  if (image.src !== one.data) image.src = one.data;
  const key = `picture_${one.name}`;
  image.alt = key in WORDS[language] ? word(key) : one.name.replaceAll("_", " ");
}

function shownActions() {
  const rest = state.actions.filter((name) => !ORDER.includes(name) && name !== "stop");
  return [...ORDER.filter((name) => state.actions.includes(name)), ...rest, ...state.actions.filter((name) => name === "stop")];
}

function drawActions() {
  const names = shownActions().join(" ") + language;
  if (at("actions").dataset.names === names) return;
  at("actions").dataset.names = names;
  at("actions").replaceChildren(...shownActions().map((name) => {
    const button = make("button", `${ARROWS[name] ? `${ARROWS[name]} ` : ""}${word(name)}`, { type: "button", "data-action": name });
    if (name === "stop") button.className = "stop";
    button.addEventListener("click", (event) => { if (!held || !event.detail) act(name); });
    button.addEventListener("pointerdown", (event) => {
      held = false;
      if (event.button === 0 && ORDER.includes(name)) hold(name, HOLD_MS);
    });
    for (const end of ["pointerup", "pointerleave", "pointercancel"]) button.addEventListener(end, release);
    button.addEventListener("contextmenu", (event) => event.preventDefault());
    return button;
  }));
}

function drawWays() {
  at("ways").hidden = !state.ways.length;
  at("ways").replaceChildren(...state.ways.map((way, index) => {
    const item = make("li", "");
    const button = make("button", "", { type: "button", "data-way": index });
    const arrow = make("span", "↑", { class: "arrow", "aria-hidden": "true" });
    arrow.style.transform = `rotate(${-way.heading}deg)`;
    const slope = Math.abs(way.elevation) > 15 ? `, ${word(way.elevation > 0 ? "way_up" : "way_down")}` : "";
    button.append(arrow, `${index + 1}. ${word("way", { direction: direction(way.heading), distance: way.distance })}${slope}`);
    button.addEventListener("click", () => choose(`move_to:${index}`));
    item.append(button);
    return item;
  }));
}

function drawTexts() {
  const { said, writes = {} } = state;
  at("said").hidden = !said;
  if (said) at("said").replaceChildren(make("q", said.question), make("strong", said.answer));
  at("texts").hidden = !Object.keys(writes).length;
  const names = Object.keys(writes).join(" ") + language;
  if (at("texts").dataset.names === names) return;
  at("texts").dataset.names = names;
  at("texts").replaceChildren(...Object.entries(writes).flatMap(([name, maxlength]) => {
    const input = make("input", "", { name, maxlength, "aria-label": word(`${name}_text`), placeholder: word(`${name}_text`) });
    return [input, make("button", word(name), { type: "submit", value: name })];
  }));
}

function write(event) {
  event.preventDefault();
  const name = (event.submitter ?? at("texts").querySelector("button")).value;
  const input = at("texts").elements.namedItem(name);
  if (!input.value.trim()) return input.focus();
  if (busy || halted) return;
  choose(name, input.value.trim());
  input.value = "";
  at("view").focus();  // the keys walk again
}

function drawNotice(phase) {
  const ready = phase === "ready";
  at("notice-title").textContent = word(ready && state.practice ? "ready_practice" : phase, state);
  at("notice-text").textContent = ready && state.step ? word("resumed_text", state) : word(`${phase}_text`, { ...state, broken });
  const label = { ready: "start", elsewhere: "here", broken: "again" }[phase];
  at("notice-button").hidden = !label;
  if (label) at("notice-button").textContent = word(label);
  const told = (!halted && state.reached) || [];
  at("results").hidden = !told.length;
  at("results").replaceChildren(...told.map((one) => make("li", word(one === null ? "not_scored" : one ? "reached" : "missed"))));
}

function pressed(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || document.querySelector("dialog[open]") || state.phase !== "play" || halted) return;
  if (event.target.closest("input")) return;
  const onButton = event.target.closest("button, summary");
  if (onButton && (event.key === "Enter" || event.key === " ")) return;
  const action = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  const way = /^[1-9]$/.test(event.key) ? Number(event.key) - 1 : -1;
  if (way >= 0 && way < state.ways.length) {
    event.preventDefault();
    if (!event.repeat) choose(`move_to:${way}`);
  } else if (state.actions.includes(action)) {
    event.preventDefault();
    const early = event.repeat && (SURE.includes(action) || performance.now() - chosen < REPEAT_MS);
    if (!early) act(action);
  }
}

document.addEventListener("keydown", pressed);
document.addEventListener("click", (event) => {
  // Who points at buttons and types too must not press the last one again by the space bar.
  if (event.detail && state.phase === "play" && !at("confirm").open && event.target.closest("button")) at("view").focus();
});
at("texts").addEventListener("submit", write);
at("confirm-yes").addEventListener("click", () => { at("confirm").close(); choose(at("confirm").dataset.action); });
at("confirm-no").addEventListener("click", () => at("confirm").close());
at("confirm").addEventListener("close", () => { if (state.phase === "play") at("view").focus(); });
at("language").addEventListener("click", () => {
  language = language === "zh" ? "en" : "zh";
  keep("language", language);
  draw();
});
at("notice-button").addEventListener("click", () => {
  if (halted) location.reload();
  else choose("start");
});
window.addEventListener("blur", release);
window.addEventListener("hashchange", () => location.reload());
document.addEventListener("DOMContentLoaded", () => {
  if (KEY) { draw(); follow(); } else halt("no_key");
});
