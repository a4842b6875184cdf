// What was excluded, what the runs were made of, and how to cite them.

import { FIRST_DRAWN } from "./board.js";
import { h, wide } from "./dom.js";
import { copying } from "./export.js";
import { key } from "./charts.js";
import { when, whole } from "./format.js";
import { exclusions, selection } from "./overview.js";
import { currentLanguage, metricName, metricWhy, percents, remark, sentences, t } from "./words.js";

export function excluded(shown) {
  const app = { ...shown, doc: shown.whole, labels: shown.entries };
  const { focus } = app.state;
  const all = app.doc.runs.map((_, i) => i);
  const many = all.length > FIRST_DRAWN;
  const told = all.map((i) => exclusions(app, i));
  const plain = told.filter((lines) => !lines.length).length;
  const runs = [...focus, ...all.filter((i) => !focus.includes(i))].map((i) => {
    const run = app.doc.runs[i],
      lines = told[i];
    if (many && !lines.length) return null;
    return h(
      "div",
      {},
      h(
        "h3",
        {},
        focus.includes(i) ? [key(focus.indexOf(i)), " "] : "",
        app.labels[i] === run.name ? run.name : t("excluded.run", { agent: app.labels[i], name: run.name }),
      ),
      h(
        "ul",
        {},
        ...(lines.length ? lines : [t("excluded.all", { n: whole(run.n) })]).map((line) => h("li", {}, line)),
        ...[selection(run), references(app, run), ...run.notes.map(remark)].filter(Boolean).map((note) => h("li", { class: "quiet" }, note)),
      ),
    );
  });
  return h(
    "section",
    { id: "excluded", "aria-labelledby": "excluded-title" },
    h("h2", { id: "excluded-title" }, t("excluded.title")),
    ...runs,
    many && plain > 0 && h("p", {}, sentences(t("excluded.rest", { n: plain }), selection(app.doc.runs[0]))),
  );
}

// By how many episodes each reference was given to the metrics that need one.
function references({ doc }, { references: { metrics, given } }) {
  if (!metrics.length) return null;
  const told = Object.entries(given).map(([name, n]) => `${name} (${n})`);
  return t("excluded.references", { metrics: metrics.map((name) => metricName(doc, name)).join(", "), told: told.join(", ") });
}

export function about(app) {
  const rows = [
    ["about.directory", (run) => run.name],
    ["about.profile", profile],
    ["about.started", (run) => when(run.started)],
    ["about.finished", (run) => when(run.finished)],
    ["about.seed", (run) => String(run.seed)],
    ["about.limit", (run) => `${run.success_distance} m`],
    ["about.steps", (run) => String(run.max_steps)],
    ["about.agent", (run) => t(run.privileged ? "about.oracle" : "about.open")],
    ["about.sensors", (run) => run.gear.sensors.map(sensor).join(t("board.comma"))],
    ["about.motion", (run) => moving(run.gear.motion)],
  ];
  const head = h("tr", {}, h("td", {}), ...app.labels.map((label, i) => h("th", { scope: "col" }, key(i), " ", label)));
  const table = h(
    "table",
    { class: "figures" },
    h("thead", {}, head),
    h(
      "tbody",
      {},
      ...rows.map(([name, show]) =>
        h("tr", {}, h("th", { scope: "row" }, t(name)), ...app.doc.runs.map((run) => h("td", {}, show(run)))),
      ),
    ),
  );
  return h(
    "section",
    { id: "about", "aria-labelledby": "about-title" },
    h("h2", { id: "about-title" }, t("about.title")),
    wide(t("page.about"), table),
    definitions(app),
    facts(app),
    gaps(app),
    h("p", { class: "quiet" }, t("page.made", { when: when(app.doc.made), version: app.doc.version })),
  );
}

// Its name, and what it says of the success.
function profile({ profile: { name, version }, rule, success_distance: limit }) {
  return [`${name} v${version}`, h("span", { class: "why" }, t(`about.rule.${rule}`, { limit }))];
}

function sensor({ name, width, height, hfov }) {
  const told = [width && `${width} × ${height}`, hfov && `${hfov}°`].filter(Boolean).join(t("board.comma"));
  return told ? t("about.sensor", { name, told }) : name;
}

function moving(moves) {
  return moves ? t(moves.sliding ? "about.slides" : "about.stops", { step: moves.forward_step, turn: moves.turn_angle }) : t("about.viewpoints");
}

// A sentence for the paper, and an entry for its bibliography.
export function cite(app) {
  const { doc, whole } = app;
  const own = doc.runs.map((run) => run.sentence).filter(Boolean);
  const said = (whole.sentence ? [whole.sentence] : own).map((sentence) => percents(sentence[currentLanguage()]));
  const entry = [
    "@software{nav_eval,",
    "  title   = {nav\\_eval: evaluation of vision-and-language navigation},",
    "  author  = {{The nav\\_eval authors}},",
    `  version = {${doc.version}},`,
    `  year    = {${new Date(doc.made).getFullYear()}},`,
    "}",
  ].join("\n");
  return h(
    "section",
    { id: "cite", "aria-labelledby": "cite-title" },
    h("h2", { id: "cite-title" }, t("cite.title")),
    ...said.map((sentence) => h("blockquote", {}, sentence)),
    h("p", {}, copying("cite.copy.text", () => said.join("\n"))),
    h("pre", { tabindex: "0", "aria-label": "BibTeX" }, entry),
    h("p", {}, copying("cite.copy.entry", () => entry)),
    h("p", { class: "quiet" }, t("cite.data")),
  );
}

function definitions(app) {
  const known = app.doc.metrics.filter((name) => metricWhy(app.doc, name));
  return h(
    "details",
    { id: "about-definitions" },
    h("summary", {}, t("about.definitions")),
    h(
      "dl",
      {},
      ...known.flatMap((name) => [h("dt", {}, metricName(app.doc, name)), h("dd", {}, metricWhy(app.doc, name))]),
    ),
  );
}

function facts(app) {
  const lists = app.doc.runs
    .map((run, i) => ({ ...run, label: app.labels[i] }))
    .filter((run) => Object.keys(run.facts).length)
    .map((run) => [
      h("h3", {}, run.label),
      h(
        "dl",
        { class: "facts" },
        ...Object.entries(run.facts).flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]),
      ),
    ]);
  return lists.length ? h("details", { id: "about-facts" }, h("summary", {}, t("about.facts")), ...lists) : null;
}

function gaps(app) {
  const { notes } = app.doc;
  if (!notes.length) return null;
  return h(
    "details",
    { id: "about-data" },
    h("summary", {}, `${t("about.data")} (${notes.length})`),
    h("ul", {}, ...notes.map((one) => h("li", {}, remark(one)))),
  );
}
