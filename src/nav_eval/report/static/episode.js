// One episode: what was asked, how each agent fared, the map, and a slider through the steps.

import { choice, h, select } from "./dom.js";
import { fixed, metres, seconds } from "./format.js";
import { key } from "./charts.js";
import { ACTIONS, finalDistance, OUTCOMES, points } from "./decode.js";
import { FloorMap, mapLegend, storeyOf } from "./map.js";
import { sceneView } from "./scene3d.js";
import { badge } from "./table.js";
import { explained, named, t } from "./words.js";

const FRAME_MS = 120;

export function episodeView(app, index) {
  const { doc, state } = app;
  const all = doc.episodes;
  const scene = doc.scenes[all.scene[index]];
  if (state.run >= doc.runs.length || !doc.results[state.run].tracks[index]) state.run = Math.max(0, doc.results.findIndex((run) => run.tracks[index]));
  return h("section", { class: "episode", id: "episode", "aria-labelledby": "episode-title" },
    h("nav", { class: "pager", "aria-label": t("table.title") },
      h("a", { class: "button", href: "#episodes" }, `← ${t("page.back")}`),
      h("a", { class: "button", href: app.link(neighbour(app, index, -1)), "aria-label": t("episode.previous") }, "‹"),
      h("a", { class: "button", href: app.link(neighbour(app, index, 1)), "aria-label": t("episode.next") }, "›")),
    h("h2", { id: "episode-title", tabindex: "-1" }, t("episode.title", { id: all.id[index] })),
    h("p", { class: "quiet" }, t("episode.scene", { scene: scene.id })),
    task(all, index), h("div", { class: "fates" }, ...doc.runs.map((run, i) => fate(app, i, index))), picture(app, index, scene), values(app, index));
}

function neighbour(app, index, by) {
  const list = app.found();
  const at = list.indexOf(index);
  return at < 0 ? index : list[(at + by + list.length) % list.length];
}

function task(all, index) {
  const category = all.category[index];
  return h("div", { class: "task" },
    all.text[index] ? h("blockquote", { dir: "auto", lang: all.language[index] || null }, all.text[index]) : null,
    category ? h("p", {}, t("episode.goal", { goal: category })) : null,
    h("p", {}, all.shortest[index] === null ? t("episode.unknown") : t("episode.shortest", { metres: metres(all.shortest[index]) })));
}

function fate(app, i, index) {
  const run = app.doc.results[i], facts = app.doc.runs[i];
  if (run.status[index] === null) return h("div", { class: "fate" }, h("p", {}, t("episode.missing", { agent: app.labels[i] })));
  const outcome = OUTCOMES[run.outcome[index]];
  const distance = finalDistance(run.values, index), walked = run.values.path_length && run.values.path_length[index];
  const track = run.tracks[index];
  return h("div", { class: "fate" },
    h("p", {}, key(i), " ", h("strong", {}, app.labels[i]), " ", badge(run.outcome[index]), " ", h("span", { class: "quiet" }, explained("outcome", outcome))),
    run.reason[index] && h("p", { class: "warning" }, t("episode.broke", { reason: run.reason[index] })),
    distance === "inf" ? h("p", {}, t("episode.nodistance")) : typeof distance === "number" && h("p", {}, t("episode.distance", { metres: metres(distance), limit: facts.success_distance })),
    h("p", {}, typeof walked === "number" ? t("episode.walked", { metres: metres(walked), steps: run.steps[index] }) : "",
      track && track.latency ? ` ${t("episode.latency", { median: seconds(track.latency[0]), max: seconds(track.latency[1]) })}` : ""));
}

function readTrack(run, index) {
  const track = run.tracks[index];
  return track && { points: points(track.points), yaws: track.yaws, actions: track.actions, collided: track.collided, frames: run.frames ? run.frames[index] : null };
}

function picture(app, index, scene) {
  const { doc, state } = app;
  const run = doc.results[state.run];
  const track = readTrack(run, index);
  const last = track ? track.points.length - 1 : 0;
  const shared = { scene, track, reference: points(doc.episodes.reference[index]), goals: points(doc.episodes.goals[index]), radius: doc.runs[state.run].success_distance, hfov: doc.runs[state.run].hfov };
  const holder = h("div", { class: "stage" }), tools = h("div", { class: "controls" });
  let storey = track ? storeyOf(track.points[last][1], scene.storeys) : 0, drawn = null;
  const others = () => (state.others ? doc.results.map((other, i) => ({ run: i, track: i !== state.run && readTrack(other, index) })).filter((other) => other.track) : []);
  const steps = track && slider(track, shared.goals, (step) => {
    const level = storeyOf(track.points[step][1], scene.storeys);
    if (drawn && state.view === "map" && level !== storey && scene.storeys.length > 1) { storey = level; draw(step); }
    else if (drawn) drawn.show(step);
  });
  const draw = (step = steps ? steps.step() : 0) => {
    tools.replaceChildren(...toolbar());
    if (drawn && drawn.close) drawn.close();
    if (state.view === "scene" && scene.mesh) {
      drawn = sceneView({ ...shared, label: t("view.label") });
      holder.replaceChildren(drawn.element, h("p", { class: "quiet" }, t("view.hint")));
    } else if (scene.storeys.length) {
      const view = { ...shared, storey, others: others(), whole: state.whole, fog: state.fog, label: t("map.label", { scene: scene.id, agent: app.labels[state.run] }) };
      drawn = new FloorMap(view);
      holder.replaceChildren(drawn.element, mapLegend(view), scene.storeys[storey].kind === "none" ? h("p", { class: "quiet" }, t("map.none")) : "");
    } else {
      const bare = { ...scene, storeys: [{ kind: "none", height: track ? track.points[0][1] : 0 }] };
      drawn = new FloorMap({ ...shared, scene: bare, storey: 0, others: others(), whole: false, fog: false, label: t("map.label", { scene: scene.id, agent: app.labels[state.run] }) });
      holder.replaceChildren(drawn.element, mapLegend(drawn.view), h("p", { class: "quiet" }, t("map.missing")));
    }
    drawn.show(step);
  };
  const check = (name, word) => h("label", { class: "check" }, h("input", { type: "checkbox", checked: state[name], onchange: (event) => { state[name] = event.target.checked; draw(); } }), t(word));
  const toolbar = () => [
    doc.runs.length > 1 && select(t("episode.run"), app.labels.map((label, i) => [String(i), label]), String(state.run), (value) => { state.run = Number(value); app.render(); }),
    scene.mesh && choice("view", t("view.title"), [["map", t("view.map")], ["scene", t("view.scene")]], state.view, (value) => { state.view = value; draw(); }),
    state.view === "map" && scene.storeys.length > 1 && select(t("map.storey"), scene.storeys.map((one, i) => [String(i), t("map.storey.n", { n: i + 1, height: fixed(one.height, 1) })]), String(storey), (value) => { storey = Number(value); draw(); }),
    state.view === "map" && scene.storeys.length > 0 && choice("zoom", t("map.zoom"), [["path", t("map.path")], ["whole", t("map.whole")]], state.whole ? "whole" : "path", (value) => { state.whole = value === "whole"; draw(); }),
    state.view === "map" && scene.storeys.length > 0 && check("fog", "map.fog"),
    state.view === "map" && doc.runs.length > 1 && check("others", "map.others"),
  ].filter(Boolean);
  draw(last);
  return h("div", { class: "picture" }, tools, holder, steps ? steps.element : h("p", {}, t("episode.notrack")));
}

// A range input over the steps, with play, and what happened at the step it stands on.
function slider(track, goals, moved) {
  const last = track.points.length - 1;
  const walked = [0];
  for (let i = 1; i <= last; i++) walked.push(walked[i - 1] + distance(track.points[i], track.points[i - 1]));
  const collided = new Set(track.collided);
  const text = h("output", { class: "step" });
  const image = track.frames && h("img", { class: "frame" });
  const input = h("input", { type: "range", min: 0, max: last, value: last, step: 1, "aria-label": t("step.slider"), oninput: () => show() });
  const show = () => {
    const step = Number(input.value);
    text.replaceChildren(stepLine(step));
    input.setAttribute("aria-valuetext", text.textContent);
    if (image) {
      image.hidden = step === 0;
      if (step) image.src = `data:image/jpeg;base64,${track.frames[step - 1]}`;
      image.alt = t("step.frame", { step });
    }
    moved(step);
  };
  const stepLine = (step) => {
    const action = step ? t("step.at", { step, steps: last, action: named("action", ACTIONS[track.actions[step - 1]] || "other") }) : t("step.start");
    const near = goals.length ? Math.min(...goals.map((goal) => distance(goal, track.points[step]))) : null;
    return [action, t("step.walked", { metres: metres(walked[step]) }), near === null ? null : t("step.goal", { metres: metres(near) }),
      step && collided.has(step - 1) ? t("step.collided") : null].filter(Boolean).join(" · ");
  };
  const jump = (to) => { input.value = String(to); show(); };
  const element = h("div", { class: "steps" },
    h("div", { class: "pager" }, h("button", { onclick: () => jump(0), "aria-label": t("step.first") }, "|◀"), player(input, last, jump),
      h("button", { onclick: () => jump(last), "aria-label": t("step.last") }, "▶|"), input), text, image);
  text.replaceChildren(stepLine(last));
  if (image) image.src = `data:image/jpeg;base64,${track.frames[last - 1]}`;
  if (image) image.alt = t("step.frame", { step: last });
  return { element, step: () => Number(input.value) };
}

function distance(a, b) {
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

function player(input, last, jump) {
  let timer = null;
  const stop = () => { clearInterval(timer); timer = null; button.replaceChildren("▶"); button.setAttribute("aria-label", t("step.play")); };
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

function values(app, index) {
  const head = h("tr", {}, h("th", { scope: "col" }, t("headline.metric")), ...app.labels.map((label, i) => h("th", { scope: "col" }, key(i), " ", label)));
  const rows = app.doc.metrics.map((name) => h("tr", {}, h("th", { scope: "row" }, named("metric", name)),
    ...app.doc.results.map((run) => h("td", { class: "number" }, fixed(run.values[name] ? run.values[name][index] : null)))));
  return h("details", {}, h("summary", {}, t("episode.values")), h("table", { class: "figures" }, h("thead", {}, head), h("tbody", {}, ...rows)));
}
