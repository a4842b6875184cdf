// Where episodes ended, building by building: dots on the plans of a building's storeys, in the colours of the outcomes.

import { h, select } from "./dom.js";
import { points } from "./decode.js";
import { OUTCOMES, WON } from "./facts.js";
import { FloorMap, storeyOf } from "./map.js";
import { named, t } from "./words.js";

export function failureMap(app) {
  const { doc, state } = app;
  if (!doc.episodes || !doc.scenes.some((scene) => scene.storeys.some((storey) => storey.kind !== "none"))) return null;
  const fails = (run) => !run.privileged && Object.keys(run.outcomes).some((name) => name !== WON);
  if (!(state.failRun in doc.runs)) state.failRun = Math.max(0, doc.runs.findIndex(fails));
  const holder = h("div", {});
  const draw = () => holder.replaceChildren(...building(app, draw));
  draw();
  return h("div", {}, h("h3", {}, t("failmap.title")), holder);
}

function building(app, draw) {
  const { doc, state } = app;
  const ends = endings(app, state.failRun);
  const failed = doc.scenes.map((_, i) => ends.filter((end) => end.scene === i && end.outcome !== WON).length);
  const order = doc.scenes.map((_, i) => i).filter((i) => doc.scenes[i].storeys.length);
  order.sort((a, b) => failed[b] - failed[a]);
  if (!order.includes(state.failScene)) state.failScene = order[0];
  const scene = doc.scenes[state.failScene],
    here = ends.filter((end) => end.scene === state.failScene);
  const set = (name) => (value) => {
    state[name] = Number(value);
    draw();
  };
  const pick = (word, name, options) => select(t(word), options, String(state[name]), set(name));
  const names = OUTCOMES.filter((name) => here.some((end) => end.outcome === name));
  const levels = scene.storeys.map((_, i) => i).filter((i) => here.some((end) => end.storey === i));
  return [
    h(
      "div",
      { class: "controls" },
      doc.runs.length > 1 && pick("episode.run", "failRun", app.labels.map((label, i) => [String(i), label])),
      pick("table.scene", "failScene", order.map((i) => [String(i), t("failmap.scene", { scene: doc.scenes[i].id.replace(/\.glb$/, ""), n: failed[i] })])),
    ),
    h(
      "ul",
      { class: "legend" },
      ...names.map((name) => h("li", {}, h("span", { class: `swatch ${name}` }), named("outcome", name))),
    ),
    h("div", { class: "atlas" }, ...levels.map((level) => plan(app, scene, level, here))),
  ];
}

function plan(app, scene, storey, ends) {
  return new FloorMap({
    scene,
    storey,
    track: null,
    reference: [],
    goals: [],
    others: [],
    whole: true,
    label: t("failmap.label", { scene: scene.id }),
    ends: ends.map((end) => ({
      ...end,
      label: `${app.doc.episodes.id[end.index]}: ${named("outcome", end.outcome)}`,
      pick: () => {
        location.hash = app.link(end.index, app.state.failRun);
      },
    })),
  }).element;
}

function endings({ doc }, run) {
  const { tracks, outcome } = doc.results[run];
  return tracks.flatMap((track, index) => {
    if (!track) return [];
    const scene = doc.episodes.scene[index],
      point = points(track.points).pop();
    return [{ index, scene, point, storey: storeyOf(point[1], doc.scenes[scene].storeys), outcome: OUTCOMES[outcome[index]] }];
  });
}
