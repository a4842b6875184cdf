// One episode: what was asked, how each agent fared, the map, and a slider through the steps.

import { listed } from "./address.js";
import { h } from "./dom.js";
import { copying } from "./export.js";
import { metres, seconds, shown, unitRange, whole } from "./format.js";
import { key } from "./charts.js";
import { finalDistance } from "./decode.js";
import { CAUSES, OUTCOMES, UNPLACED } from "./facts.js";
import { amount, amountName } from "./spending.js";
import { Stage } from "./stage.js";
import { badge } from "./table.js";
import { explained, metricTitle, named, sentences, t } from "./words.js";

export function episodeView(app, index) {
  const { doc, state } = app;
  const all = doc.episodes;
  const scene = doc.scenes[all.scene[index]];
  if (state.run >= doc.runs.length || !doc.results[state.run].tracks[index])
    state.run = Math.max(
      0,
      doc.results.findIndex((run) => run.tracks[index]),
    );
  const stage = new Stage(app, index);
  app.keys = stage.keys;
  return h(
    "section",
    { class: "episode", id: "episode", "aria-labelledby": "episode-title" },
    h(
      "nav",
      { class: "pager", "aria-label": t("table.title") },
      h("a", { class: "button", href: listed(app) }, `← ${t("page.back")}`),
      h("a", { class: "button", href: app.link(neighbour(app, index, -1)), "aria-label": t("episode.previous") }, "‹"),
      h("a", { class: "button", href: app.link(neighbour(app, index, 1)), "aria-label": t("episode.next") }, "›"),
      linking(app, index),
      h("h2", { id: "episode-title", tabindex: "-1" }, t("episode.title", { id: all.id[index] })),
      h("p", { class: "quiet" }, [t("episode.scene", { scene: scene.id }), asked(all, index)].join(" · ")),
    ),
    stage.element,
    h("div", { class: "fates" }, ...doc.runs.map((run, i) => fate(app, i, index))),
    values(app, index),
  );
}

// A button that copies the address of this episode, of this run.
function linking(app, index) {
  return copying("episode.copy", () => new URL(app.link(index), location.href).href);
}

// A value of one episode: a count is a whole number.
function ofEpisode(app, name, value) {
  const metric = app.doc.definitions[name];
  return Number.isInteger(value) && !metric.unit && !unitRange(metric) ? whole(value) : shown(metric, value, app.state.exact);
}

function neighbour(app, index, by) {
  const list = app.found();
  const at = list.indexOf(index);
  return at < 0 ? index : list[(at + by + list.length) % list.length];
}

// What stands beside the instruction: a goal's category, and how far it is.
function asked(all, index) {
  const category = all.category[index],
    shortest = all.shortest[index];
  const far = shortest === null ? t("episode.unknown") : t("episode.shortest", { metres: metres(shortest) });
  return category ? `${t("episode.goal", { goal: category })} · ${far}` : far;
}

function fate(app, i, index) {
  const run = app.doc.results[i],
    facts = app.doc.runs[i];
  if (run.status[index] === null)
    return h("div", { class: "fate" }, h("p", {}, t("episode.missing", { agent: app.labels[i] })));
  const outcome = OUTCOMES[run.outcome[index]];
  const distance = finalDistance(run.values, index),
    walked = run.values.path_length && run.values.path_length[index];
  const track = run.tracks[index];
  return h(
    "div",
    { class: "fate" },
    h(
      "p",
      {},
      key(i),
      " ",
      h("strong", {}, app.labels[i]),
      " ",
      badge(run.outcome[index]),
      " ",
      h("span", { class: "quiet" }, explained("outcome", outcome)),
    ),
    causeOf(app, i, index),
    run.reason[index] && h("p", { class: "warning" }, t("episode.broke", { reason: run.reason[index] })),
    distance === "inf"
      ? h("p", {}, t("episode.nodistance"))
      : typeof distance === "number" &&
          h("p", {}, t("episode.distance", { metres: metres(distance), limit: facts.success_distance })),
    h(
      "p",
      {},
      sentences(
        typeof walked === "number" && t("episode.walked", { metres: metres(walked), steps: run.steps[index] }),
        track && track.latency && t("episode.latency", { median: seconds(track.latency[0]), max: seconds(track.latency[1]) }),
      ),
    ),
    run.usage && run.usage[index] && h("p", { class: "quiet" }, spent(run.usage[index])),
  );
}

function spent(usage) {
  const told = Object.entries(usage).filter(([, value]) => value);
  return told.map(([name, value]) => `${amountName(name)}${t("page.colon")}${amount(name, value)}`).join(t("board.comma"));
}

// Why it failed, and a button to the step where it began.
function causeOf(app, i, index) {
  const run = app.doc.results[i];
  const kind = CAUSES[run.cause[index]],
    step = run.cause_step[index],
    room = run.cause_room[index];
  if (!kind || UNPLACED.includes(kind)) return null;
  const what = room ? t("episode.cause.room", { room: named("room", room) }) : named("cause", kind);
  const jump = () => {
    app.state.step = step;
    history.replaceState(null, "", app.link(index, i));
    app.render();
  };
  const to = step !== null && run.tracks[index] && h("button", { class: "link", onclick: jump }, t("episode.cause.step", { step }));
  return h("p", {}, t("episode.cause", { what }), to && [t("episode.cause.comma"), to], t("moments.stop").trim());
}

function values(app, index) {
  const head = h(
    "tr",
    {},
    h("th", { scope: "col" }, t("headline.metric")),
    ...app.labels.map((label, i) => h("th", { scope: "col" }, key(i), " ", label)),
  );
  const rows = app.doc.metrics.map((name) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, metricTitle(app.doc, name, app.state.exact)),
      ...app.doc.results.map((run) =>
        h("td", { class: "number" }, ofEpisode(app, name, run.values[name] ? run.values[name][index] : null)),
      ),
    ),
  );
  return h(
    "details",
    { id: "episode-values" },
    h("summary", {}, t("episode.values")),
    h("table", { class: "figures" }, h("thead", {}, head), h("tbody", {}, ...rows)),
  );
}
