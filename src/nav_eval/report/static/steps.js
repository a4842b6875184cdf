// The slider through an episode's steps, with play, and what happened at the step it stands on.

import { h } from "./dom.js";
import { metres } from "./format.js";
import { apart } from "./decode.js";
import { ACTIONS } from "./facts.js";
import { named, t } from "./words.js";

const FRAME_MS = 120;

// `length`: the path length that was measured, if it was. `moved` is called with the step whenever it changes; it begins
// at step `begun`, or at the end.
export function slider(track, goals, length, moved, begun) {
  const last = track.points.length - 1;
  const walked = lengths(track.points, length);
  const collided = new Set(track.collided);
  const text = h("output", { class: "step" });
  const input = h("input", {
    type: "range",
    min: 0,
    max: last,
    value: begun ?? last,
    step: 1,
    "aria-label": t("step.slider"),
    oninput: () => show(),
  });
  const say = (step) => {
    text.replaceChildren(stepLine(step));
    input.setAttribute("aria-valuetext", text.textContent);
  };
  const show = () => {
    say(Number(input.value));
    moved(Number(input.value));
  };
  const stepLine = (step) => {
    const action = step
      ? t("step.at", { step, steps: last, action: named("action", ACTIONS[track.actions[step - 1]] || "other") })
      : t("step.start");
    const near = goals.length ? Math.min(...goals.map((goal) => apart(goal, track.points[step]))) : null;
    return [
      action,
      t("step.walked", { metres: metres(walked[step]) }),
      near === null ? null : t("step.goal", { metres: metres(near) }),
      step && collided.has(step - 1) ? t("step.collided") : null,
    ]
      .filter(Boolean)
      .join(" · ");
  };
  const jump = (to) => {
    input.value = String(to);
    show();
  };
  const play = player(input, last, jump);
  const marks = h(
    "div",
    { class: "hits", "aria-hidden": "true" },
    ...track.collided.map((i) => h("i", { style: { left: `${(100 * (i + 1)) / Math.max(1, last)}%` } })),
  );
  const element = h(
    "div",
    { class: "steps" },
    h(
      "div",
      { class: "pager" },
      h("button", { onclick: () => jump(0), "aria-label": t("step.first") }, "|◀"),
      play,
      h("button", { onclick: () => jump(last), "aria-label": t("step.last") }, "▶|"),
      h("div", { class: "rail" }, input, marks),
    ),
    text,
  );
  say(begun ?? last);
  const keys = {
    ArrowLeft: () => jump(Number(input.value) - 1),
    ArrowRight: () => jump(Number(input.value) + 1),
    " ": () => play.click(),
  };
  return { element, step: () => Number(input.value), keys };
}

// Metres walked up to each point. The points are whole centimetres, whose errors add up: in all it is what was measured.
function lengths(points, measured) {
  const sums = [0];
  for (let i = 1; i < points.length; i++) sums.push(sums[i - 1] + apart(points[i], points[i - 1]));
  const all = sums.at(-1);
  return typeof measured === "number" && all ? sums.map((sum) => (sum / all) * measured) : sums;
}

function player(input, last, jump) {
  let timer = null;
  const stop = () => {
    clearInterval(timer);
    timer = null;
    button.replaceChildren("▶");
    button.setAttribute("aria-label", t("step.play"));
  };
  const tick = () => {
    const next = Number(input.value) + 1;
    if (next > last || !input.isConnected) stop();
    else jump(next);
  };
  const start = () => {
    if (Number(input.value) >= last) jump(0);
    timer = setInterval(tick, FRAME_MS);
    button.replaceChildren("❚❚");
    button.setAttribute("aria-label", t("step.pause"));
  };
  const button = h("button", { "aria-label": t("step.play"), onclick: () => (timer ? stop() : start()) }, "▶");
  return button;
}
