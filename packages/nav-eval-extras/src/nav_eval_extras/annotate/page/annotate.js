"use strict";
const FRAME_MS = 250;  // between two pictures of the film
const CHECK_MS = 600;  // a text that rests so long is looked through
const Recognition = window.SpeechRecognition || window.webkitSpeechRecognition;
const SPOKEN = { en: "en-US", zh: "zh-CN" };
const PEOPLE_ONLY = ["progress", "withdrawn", "done"];

let playing = false;
let sending = false;  // a check is on its way whose answer decides whether the text is sent
let listening = null;  // to what is dictated
let unheard = false;  // the last dictation failed
let checking = 0;  // timers
let coming = 0;

PANELS.consent = drawConsent;
PANELS.write = drawWrite;
PANELS.note = drawNote;
PANELS.attention = drawAttention;
PANELS.progress = drawProgress;

const drawPage = draw;
draw = function () {
  drawPage();
  at("withdraw").hidden = Boolean(halted) || state.version < 0 || PEOPLE_ONLY.includes(state.phase);
  if (state.phase !== "write") playing = false;
  if (state.phase !== "write" || halted) listening?.stop();
  drawCode();
};

function drawCode() {
  at("code").hidden = Boolean(halted) || !state.code;
  if (at("code").hidden) return;
  at("code-text").textContent = word(state.phase === "idle" ? "code_idle" : "code");
  at("code-value").textContent = state.code;
}

function drawConsent() {
  at("consent-text").textContent = state.texts[language];
  at("consent-version").textContent = word("version", { version: state.consent });
}

function drawWrite() {
  if (at("write").dataset.job !== state.job) begin();
  drawBack();
  drawPictures(at("film"));
  const parts = [state.next === "stop" ? "" : word(`next_${state.next}`), state.way_on === null ? "" : direction(state.way_on)];
  const next = parts.filter(Boolean).join(word("comma"));
  at("write-text").textContent = word(`write_text_${state.language}`);
  at("film-place").textContent = word(state.next === "stop" ? "film_end" : "film_place", { place: state.frame + 1, frames: state.frames, next });
  at("film-play").textContent = word(playing ? "film_pause" : "film_play");
  at("film-before").setAttribute("aria-disabled", state.frame === 0);
  at("film-after").setAttribute("aria-disabled", state.frame === state.frames - 1);
  at("words-label").textContent = word(`words_${state.language}`);
  at("words").lang = state.language === "zh" ? "zh-Hans" : "en";
  drawDictation();
  drawStops();
  drawRemarks();
  drawKeys();
  clearTimeout(coming);
  if (playing && !busy) coming = setTimeout(play, FRAME_MS);
  if (sending && !busy) decide();
}

function begin() {
  at("write").dataset.job = state.job;
  at("words").value = kept(state.job) ?? (state.back ? state.back.text : "");
  playing = sending = false;
}

function drawBack() {
  at("back").hidden = !state.back;
  if (!state.back) return;
  at("back-text").textContent = word(state.back.reached ? "back_reached" : "back_lost", { place: state.back.lost + 1 });
  at("back-note").textContent = state.back.note;
}

function drawStops() {
  const key = state.job + language;
  if (at("film-stops").dataset.key !== key) {
    at("film-stops").dataset.key = key;
    at("film-stops").replaceChildren(...state.stops.map((frame, index) => {
      const name = word("stop_number", { number: index + 1 });
      const button = make("button", String(index + 1), { type: "button", "aria-label": name });
      button.addEventListener("click", () => show(frame));
      return button;
    }));
  }
  state.stops.forEach((frame, index) => at("film-stops").children[index].setAttribute("aria-current", frame === state.frame));
}

function drawRemarks() {
  const made = [...state.faults.map((one) => ["fault", one]), ...state.questions.map((one) => ["question", one])];
  const text = JSON.stringify(made) + language;
  if (at("remarks").dataset.text === text) return;  // a reader of screens is told of news only
  at("remarks").dataset.text = text;
  at("remarks").replaceChildren(...made.map(([kind, one]) => make("li", word(one.key, one), { class: kind })));
}

function drawKeys() {
  const keys = [["← →", "key_step"], ["Space", "key_play"], ["1–9", "key_stop"], ["Esc", "key_leave"], ["Ctrl+Enter", "key_send"]];
  at("write-keys").replaceChildren(...keys.map(([key, about]) => {
    const row = make("tr", "");
    const cell = make("td", "");
    cell.append(make("kbd", key));
    row.append(cell, make("td", word(about)));
    return row;
  }));
}

function drawDictation() {
  at("dictation").hidden = !Recognition || !window.isSecureContext;
  at("dictate").textContent = word(listening ? "dictate_stop" : "dictate");
  at("dictate-text").textContent = word(unheard ? "dictate_failed" : "dictate_text");
}

function dictate() {
  if (listening) { listening.stop(); return; }
  listening = new Recognition();
  listening.lang = SPOKEN[state.language];
  listening.continuous = true;
  unheard = false;
  listening.addEventListener("result", hear);
  listening.addEventListener("error", (event) => { unheard = !["no-speech", "aborted"].includes(event.error); });
  listening.addEventListener("end", () => { listening = null; drawDictation(); });
  listening.start();
  drawDictation();
}

function hear(event) {
  const heard = [...event.results].slice(event.resultIndex).filter((one) => one.isFinal).map((one) => one[0].transcript.trim());
  const parts = [at("words").value.trim(), ...heard].filter(Boolean);
  at("words").value = parts.join(state.language === "zh" ? "" : " ").slice(0, at("words").maxLength);
  at("words").dispatchEvent(new Event("input"));
}

function show(frame) {
  playing = false;
  if (frame >= 0 && frame < state.frames) choose(`at:${frame}`);
  else drawWrite();
}

function toggle() {
  playing = !playing;
  if (playing && state.frame === state.frames - 1) choose("at:0");
  else drawWrite();
}

function play() {
  if (!playing || state.phase !== "write" || busy) return;
  if (state.frame < state.frames - 1) choose(`at:${state.frame + 1}`);
  else { playing = false; drawWrite(); }
}

function check() {
  clearTimeout(checking);
  checking = setTimeout(() => (busy ? check() : choose("check", at("words").value)), CHECK_MS);
}

function send() {
  playing = false;
  listening?.stop();
  clearTimeout(checking);
  if (busy) { setTimeout(send, CHECK_MS); return; }
  sending = true;
  choose("check", at("words").value);
}

function decide() {
  sending = false;
  if (state.faults.length) { at("words").focus(); return; }
  if (!state.questions.length) { deliver(); return; }
  at("sure-questions").replaceChildren(...state.questions.map((one) => make("li", word(one.key, one))));
  at("sure").returnValue = "";
  at("sure").showModal();
}

function deliver() {
  keep(state.job, null);
  choose("send", at("words").value);
}

function drawNote() {
  if (at("note").dataset.turn === String(state.turn)) return;
  at("note").dataset.turn = state.turn;
  at("note-words").value = "";
}

function drawAttention() {
  at("attention-text").textContent = word("attention_text", { button: word(state.wanted) });
}

function drawProgress() {
  const share = (value) => (value === null ? "–" : `${Math.round(100 * value)} %`);
  const number = (value) => (value === null ? "–" : value.toFixed(2));
  const { states = {}, plays = null } = state;
  const rows = plays ? [["plays", plays.done], ["plays_all", plays.all], ["people", state.people], ["median", number(state.median)]] : [
    ...Object.entries(states).map(([name, count]) => [`state_${name}`, count]),
    ["rejected", state.rejected], ["sieved", state.sieved], ["people", state.people], ["hours", number(state.hours)],
    ["walks", state.walks], ["reached", share(state.reached)], ["ndtw", number(state.ndtw)],
  ];
  at("progress-bar").max = plays ? plays.all : state.paths;
  at("progress-bar").value = plays ? plays.done : states.accepted + states.dropped;
  at("progress-rows").replaceChildren(...rows.map(([key, value]) => {
    const row = make("tr", "", key === "rejected" ? { class: "group" } : {});
    row.append(make("td", word(key)), make("td", String(value)));
    return row;
  }));
  at("progress-remarks-title").hidden = !state.remarks.length;
  at("progress-remarks").replaceChildren(...state.remarks.map((one) => make("li", remark(one))));
}

function remark(one) {
  const parts = ["failed", "hasty", "only_forward"].filter((key) => one[key]).map((key) => word(`remark_${key}`, one));
  return word("remark", { person: one.person, parts: parts.join(word("comma")) });
}

function pressedWhileWriting(event) {
  if (state.phase !== "write" || halted || document.querySelector("dialog[open]")) return;
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); send(); return; }
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.target === at("words")) {
    if (event.key === "Escape") at("film").focus();
    return;
  }
  const onButton = event.target.closest("button, summary");
  const stop = /^[1-9]$/.test(event.key) ? state.stops[Number(event.key) - 1] : undefined;
  if (event.key === "ArrowLeft") show(state.frame - 1);
  else if (event.key === "ArrowRight") show(state.frame + 1);
  else if (event.key === " " && !onButton) toggle();
  else if (stop !== undefined) show(stop);
  else return;
  event.preventDefault();
}

document.addEventListener("keydown", pressedWhileWriting);
at("agree").addEventListener("click", () => choose("agree"));
at("film-before").addEventListener("click", () => show(state.frame - 1));
at("film-after").addEventListener("click", () => show(state.frame + 1));
at("film-play").addEventListener("click", toggle);
at("back-go").addEventListener("click", () => { show(state.back.lost); at("film").focus(); });
at("dictate").addEventListener("click", dictate);
at("send").addEventListener("click", send);
at("words").addEventListener("input", () => { keep(state.job, at("words").value); check(); });
for (const name of ["clear", "unclear"]) at(name).addEventListener("click", () => choose(name, at("note-words").value));
for (const button of at("attention-choices").children) button.addEventListener("click", () => choose(button.value));
at("withdraw").addEventListener("click", () => { at("leave").returnValue = ""; at("leave").showModal(); });
at("leave").addEventListener("close", () => {
  if (at("leave").returnValue === "yes") call("choose", { turn: state.turn, choice: "withdraw" }).catch(() => trouble("away"));
});
at("sure").addEventListener("close", () => {
  if (at("sure").returnValue === "yes") deliver();
  else at("words").focus();
});
