// The live view: the server says what goes on and sends what there is; the page draws anew where the reader is.

import { addressed } from "./address.js";
import { h } from "./dom.js";
import { points, unpack } from "./decode.js";
import { OUTCOMES } from "./facts.js";
import { minutes } from "./format.js";
import { FloorMap, storeyOf } from "./map.js";
import { badge } from "./table.js";
import { sentences, t } from "./words.js";

// A function that gives the section of the page, in the language of the moment.
export function follow(app) {
  const section = h("section", { class: "now", "aria-labelledby": "now-title" });
  const state = { told: null, ended: false, lost: false, waiting: null };
  const draw = () => {
    section.replaceChildren(...now(app, state));
    return section;
  };
  const bring = () => {
    if (!state.waiting || busy(app)) return;
    const { waiting } = state;
    state.waiting = null;
    app.replace(waiting);
  };
  const source = new EventSource("events");
  const on = (name, hear) =>
    source.addEventListener(name, async (event) => {
      await hear(event.data);
      draw();
    });
  on("progress", (data) => {
    Object.assign(state, { told: JSON.parse(data), lost: false });
  });
  on("changed", async (data) => {
    state.waiting = await unpack(data);
    bring();
  });
  on("done", () => {
    state.ended = true;
    source.close();
  });
  on("error", () => {
    state.lost = true;
  });
  addEventListener("hashchange", bring);
  addEventListener("focusout", () => setTimeout(bring));
  return draw;
}

// Whether the reader would lose what they are at: an episode, or a field that is being filled in.
function busy(app) {
  return addressed(app) !== null || document.activeElement.matches("main input, main select");
}

function now(app, { told, ended, lost }) {
  const title = h("h2", { id: "now-title" }, t(ended ? "live.then" : "live.now"));
  if (!told) return [title, h("p", { class: "live" }, t(lost ? "live.lost" : "live.begins"))];
  const count = t("live.line", told);
  return [
    title,
    h("p", { class: "live" }, lost ? t("live.lost") : sentences(count, !ended && pace(told))),
    !ended && h("progress", { max: told.total, value: told.n, "aria-label": count }),
    !ended && h("div", { class: "moments" }, ...told.sessions.map((session) => sessionCard(app, session))),
    !ended && told.lost.length > 0 && h("h3", {}, t("live.failures")),
    !ended && h("ul", { class: "lately" }, ...told.lost.map((one) => failed(app, one))),
  ].filter(Boolean);
}

function pace({ per_minute: speed, left, sessions }) {
  return sentences(
    speed && t("live.speed", { n: speed.toFixed(1) }),
    left && t("live.left", { time: minutes(left) }),
    sessions.length && t("live.sessions", { n: sessions.length }),
  );
}

// As the list of episodes has it; it leads there as soon as the page holds the episode.
function failed({ doc }, { scene, id, outcome }) {
  const name = t("live.episode", { id, scene });
  const here = doc.episodes && doc.episodes.id.some((one, i) => one === id && doc.scenes[doc.episodes.scene[i]].id === scene);
  const link = here ? h("a", { href: `#episode=${encodeURIComponent(`${scene}/${id}`)}` }, name) : name;
  return h("li", {}, badge(OUTCOMES.indexOf(outcome)), " ", link);
}

// What one session does now: its agent's picture, and the plan with its path so far.
function sessionCard(app, session) {
  const scene = app.doc.scenes && app.doc.scenes.find((one) => one.id === session.scene);
  const path = points(session.points);
  const run = app.doc.runs[0];
  const plan =
    scene &&
    path.length > 0 &&
    new FloorMap({
      scene,
      storey: storeyOf(path[path.length - 1][1], scene.storeys),
      track: { points: path, yaws: session.yaws, collided: [], people: [] },
      reference: points(session.reference),
      goals: points(session.goals),
      radius: run.success_distance,
      hfov: run.hfov,
      others: [],
      ends: [],
      whole: false,
      fog: false,
      small: true,
      label: t("map.label", { scene: session.scene, agent: app.labels[0] }),
    });
  const alt = t("step.frame.rgb", { step: session.steps });
  return h(
    "article",
    { class: "moment" },
    h("h3", {}, t("live.session", { id: session.id, scene: session.scene, steps: session.steps })),
    h(
      "div",
      { class: "pair" },
      session.picture && h("img", { src: `data:image/jpeg;base64,${session.picture}`, alt }),
      plan && plan.element,
    ),
    h("p", { class: "clip quiet", dir: "auto" }, session.text),
  );
}
