// What was excluded, what the runs were made of, and how to cite them.

import { MOST_DRAWN } from "./board.js";
import { h, wide } from "./dom.js";
import { key } from "./charts.js";
import { when, whole } from "./format.js";
import { exclusions } from "./overview.js";
import { metricName, metricWhy, t } from "./words.js";

export function excluded(shown) {
  const app = { ...shown, doc: shown.whole, labels: shown.entries };
  const { focus } = app.state;
  const all = app.doc.runs.map((_, i) => i);
  const many = all.length > MOST_DRAWN;
  const told = all.map((i) => exclusions(app, i));
  const plain = told.filter((lines) => !lines.length).length;
  const runs = [...focus, ...all.filter((i) => !focus.includes(i))].map((i) => {
    const run = app.doc.runs[i],
      lines = told[i];
    if (many && !lines.length) return null;
    return h(
      "div",
      {},
      h("h3", {}, focus.includes(i) ? [key(focus.indexOf(i)), " "] : "", app.labels[i] === run.name ? run.name : t("excluded.run", { agent: app.labels[i], name: run.name })),
      h(
        "ul",
        {},
        ...(lines.length ? lines : [t("excluded.all", { n: whole(run.n) })]).map((line) => h("li", {}, line)),
        ...[references(app, run), ...run.notes].filter(Boolean).map((note) => h("li", { class: "quiet" }, note)),
      ),
    );
  });
  return h(
    "section",
    { id: "excluded", "aria-labelledby": "excluded-title" },
    h("h2", { id: "excluded-title" }, t("excluded.title")),
    ...runs,
    many && plain > 0 && h("p", {}, t("excluded.rest", { n: plain })),
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
    ["about.profile", (run) => `${run.profile.name} v${run.profile.version}`],
    ["about.started", (run) => when(run.started)],
    ["about.finished", (run) => when(run.finished)],
    ["about.seed", (run) => String(run.seed)],
    ["about.limit", (run) => `${run.success_distance} m`],
    ["about.steps", (run) => String(run.max_steps)],
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

// A sentence for the paper, and an entry for its bibliography.
export function cite(app) {
  const { doc, labels } = app;
  const told = (word, agents, run, n = run.n) =>
    t(word, {
      agents,
      n: whole(n),
      benchmark: run.benchmark,
      split: run.split ?? t("head.unknown"),
      profile: `${run.profile.name} v${run.profile.version}`,
      version: doc.version,
    });
  const paired = doc.comparison && !doc.comparison.refused;
  const { board: record } = app.whole;
  let sentences = doc.runs.map((run, i) => told("cite.one", labels[i], run));
  if (paired) sentences = [told("cite.several", labels.join(t("cite.and")), doc.runs[0])];
  if (record && record.n !== null)
    sentences = [told("cite.many", app.entries.length, app.whole.runs[0], record.n)];
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
    ...sentences.map((sentence) => h("blockquote", {}, sentence)),
    h("pre", { tabindex: "0", "aria-label": "BibTeX" }, entry),
    h("p", { class: "quiet" }, t("cite.data")),
  );
}

function definitions(app) {
  const known = app.doc.metrics.filter((name) => metricWhy(app.doc, name));
  return h(
    "details",
    {},
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
    .filter((run) => Object.keys(run.facts).length)
    .map((run) =>
      h(
        "dl",
        { class: "facts" },
        ...Object.entries(run.facts).flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]),
      ),
    );
  return lists.length ? h("details", {}, h("summary", {}, t("about.facts")), ...lists) : null;
}

function gaps(app) {
  const { notes } = app.doc;
  if (!notes.length) return null;
  return h(
    "details",
    {},
    h("summary", {}, `${t("about.data")} (${notes.length})`),
    h("ul", {}, ...notes.map((note) => h("li", {}, note))),
  );
}
