// The answer first: who is better and is it sure, how well, where it fails most, what was excluded. Then the figures.

import { board, FIRST_DRAWN, intervals, standing } from "./board.js";
import { h, wide } from "./dom.js";
import { chance, direction, metres, percent, share, shown, shownRange, signed, unitRange, whole } from "./format.js";
import { dots, figure, key, whiskers } from "./charts.js";
import { CAUSES, NO_FAILURE, OURS, PARTICIPANTS } from "./facts.js";
import { moments } from "./moments.js";
import { spending } from "./spending.js";
import { currentLanguage, explained, gap, metricName, metricTitle, metricWhy, named, percents, sentences, t } from "./words.js";

const FEW_FAILURES = 5;
const PRINTED = { success: "SR", oracle_success: "OSR", spl: "SPL", ndtw: "nDTW", sdtw: "SDTW", soft_spl: "SoftSPL" };

export function overview(app) {
  const chosen = app.whole.runs.length > FIRST_DRAWN;
  return h(
    "section",
    { id: "overview", "aria-labelledby": "overview-title" },
    h("h2", { id: "overview-title" }, t("page.overview")),
    h("p", { class: "answer" }, answer(app)),
    board(app),
    chosen && h("p", {}, t("board.below", { n: app.doc.runs.length, total: app.whole.runs.length })),
    !chosen && brief(app),
    moments(app),
    paper(app),
    headline(app),
    spending(app),
    ...pairs(app),
  );
}

// Who won, and whether that is sure, in one sentence; an oracle does not compete.
function answer(app) {
  const { doc } = app;
  if (doc.live && !doc.runs[0].finished) 
    return doc.runs[0].n ? t("answer.running", { text: runLine(app, 0) }) : t("answer.nothing");
  if (doc.board && doc.board.n !== null) return sentences(standing(app), ...spoken(app.whole).slice(0, 2));
  const open = doc.runs.map((_, i) => i).filter((i) => !doc.runs[i].privileged);
  const entered = open.length ? open : doc.runs.map((_, i) => i);
  if (entered.length === 1) return runLine(app, entered[0]);
  return sentences(...spoken(doc).slice(0, 2)) || t("answer.none");
}

// Who is better, in the words that the terminal and boards have too: on these episodes, and in other buildings; then
// what too few buildings leave unsaid.
function spoken(doc) {
  return doc.verdict ? doc.verdict[currentLanguage()].map(percents) : [];
}

// What a paper compares: the chosen runs, those of one agent with several seeds together.
function compared({ doc, whole: { agents }, state, labels }) {
  if (!agents) return { entries: doc.runs, labels, groups: doc.groups };
  const chosen = agents.filter((agent) => agent.runs.some((i) => state.focus.includes(i)));
  return {
    entries: chosen,
    labels: chosen.map(({ name, runs }) => (runs.length > 1 ? t("board.seeds", { name, n: runs.length }) : name)),
    groups: doc.groups.map((group, row) => ({ ...group, runs: chosen.map((agent) => agent.groups[row]) })),
  };
}

// The figures of a paper's main table as a chart, and success by path length.
function paper(app) {
  const { doc } = app;
  const { entries, labels, groups } = compared(app);
  const names = Object.keys(PRINTED).filter((name) => entries.some((run) => typeof run.metrics[name]?.mean === "number"));
  const summary = (name) =>
    entries.map((run) => run.metrics[name] && [run.metrics[name].mean, ...(run.metrics[name].ci95 || [null, null])]);
  const lengths = groups.filter((group) => group.kind === "length" && group.label);
  const sizes = entries.map((run) => whole(run.metrics[names[0]]?.n ?? 0)),
    alike = new Set(sizes).size === 1;
  const counted = {
    title: alike ? `${t("axis.metric")} (n = ${sizes[0]})` : t("axis.metric"),
    labels: alike ? labels : labels.map((label, i) => `${label} (n = ${sizes[i]})`),
  };
  const charts = [
    names.length && ["paper.rates", { names: names.map((name) => PRINTED[name]), rows: names.map(summary), ...counted }],
    lengths.length > 1 &&
      lengths[0].runs.some((run) => run.success) && [
        "paper.lengths",
        {
          names: lengths.map((group) => `${group.label.replace("-", "–")}\n(${whole(group.n)})`),
          labels,
          rows: lengths.map((group) => group.runs.map((run) => run.success)),
          title: t("axis.length"),
          joined: true,
        },
      ],
  ].filter(Boolean);
  if (!charts.length) return null;
  return h(
    "div",
    { class: "charts" },
    ...charts.map(([word, chart]) =>
      h(
        "div",
        {},
        h("h3", {}, t(word)),
        figure(word.replace(".", "-"), (width) => dots(width, { ...chart, label: t(word) })),
      ),
    ),
    h("p", { class: "quiet" }, t("paper.note")),
  );
}

function brief(app) {
  const { doc } = app;
  const lines = [...verdicts(app)];
  doc.runs.forEach((run, i) =>
    lines.push(
      h(
        "li",
        {},
        key(i),
        " ",
        runLine(app, i),
        h(
          "ul",
          {},
          h("li", {}, failureLine(app, i)),
          causeLine(app, i),
          h("li", {}, exclusionLine(app, i)),
          run.privileged && h("li", { class: "warning" }, t("brief.oracle", { agent: app.labels[i] })),
        ),
      ),
    ),
  );
  return h("div", { class: "brief" }, h("h3", {}, t("brief.title")), h("ul", {}, ...lines));
}

function verdicts(app) {
  const { comparison } = app.doc;
  if (!comparison) return [];
  if (comparison.refused)
    return [
      h(
        "li",
        { class: "warning" },
        t("brief.refused", { why: comparison.refused === "different" ? t("brief.different") : comparison.refused }),
      ),
    ];
  return spoken(app.doc).slice(2).map((line) => h("li", {}, line));
}

function runLine(app, i) {
  const run = app.doc.runs[i],
    agent = app.labels[i];
  const { success } = run.metrics,
    error = run.metrics.navigation_error || run.metrics.distance_to_goal;
  if (!success) {
    const name = app.doc.leading[0];
    const summary = name && run.metrics[name];
    return summary
      ? t("brief.metric", { agent, metric: metricName(app.doc, name), value: shown(app.doc.definitions[name], summary.mean), n: whole(summary.n) })
      : agent;
  }
  const [low, high] = success.ci95 || [null, null];
  const text = t("brief.success", {
    agent,
    rate: percent(success.mean),
    won: whole(Math.round(success.mean * success.n)),
    n: whole(success.n),
    low: percent(low),
    high: percent(high),
  });
  return error && error.mean !== null ? sentences(text, t("brief.error", { metres: metres(error.mean) })) : text;
}

function failureLine(app, i) {
  const run = app.doc.runs[i];
  const failures = Object.entries(run.outcomes).filter(([name]) => !NO_FAILURE.includes(name));
  const total = failures.reduce((sum, [, count]) => sum + count, 0);
  if (!total) return t(run.n ? "brief.nofailure" : "answer.nothing");
  const [outcome, count] = failures.reduce((most, entry) => (entry[1] > most[1] ? entry : most));
  const text = t(total < FEW_FAILURES ? "brief.failure.few" : "brief.failure", {
    outcome: named("outcome", outcome),
    why: explained("outcome", outcome),
    count: whole(count),
    total: whole(total),
    share: share(count, total),
  });
  const worst = worstGroup(app, i);
  return sentences(text, worst);
}

// Why it failed: what went wrong first, the most frequent before the others.
function causeLine(app, i) {
  const run = app.doc.runs[i];
  const found = CAUSES.filter((name) => run.causes[name]).sort((a, b) => run.causes[b] - run.causes[a]);
  if (!found.length) return null;
  const parts = found.map((name) => t("brief.cause.one", { cause: named("cause", name), n: whole(run.causes[name]) }));
  return h("li", {}, t("brief.cause", { parts: parts.join(t("board.comma")) }), gap(), h("a", { href: "#rules" }, t("causes.rules")));
}

function worstGroup(app, i) {
  const rows = app.doc.groups.filter((group) => group.kind === "scene" && group.runs[i].success && group.n >= 5);
  const rate = (group) => group.runs[i].success[0];
  if (rows.length < 2) return null;
  const worst = rows.reduce((least, group) => (rate(group) < rate(least) ? group : least));
  if (rows.filter((group) => rate(group) === rate(worst)).length > 1) return null;
  return t("brief.worst", { label: worst.label, rate: percent(rate(worst)), n: worst.n });
}

// What was excluded, in one line; the section on exclusions has it in full.
export function exclusionLine(app, i) {
  const run = app.doc.runs[i],
    what = exclusions(app, i);
  const told = what.length ? t("brief.excluded.some", { what: sentences(...what) }) : t("brief.excluded.none", { n: whole(run.n) });
  return sentences(told, selection(run));
}

// Which part of the split was played, if not the whole.
export function selection(run) {
  const filters = Object.entries(run.selection).map(([name, value]) => `dataset.${name}=${value}`);
  return filters.length ? t("excluded.selection", { n: whole(run.n_expected), filters: filters.join(t("board.comma")) }) : null;
}

export function exclusions(app, i) {
  const run = app.doc.runs[i];
  const lines = [];
  const ended = (wanted) =>
    Object.entries(run.statuses)
      .filter(([status]) => wanted(status))
      .map(([status, n]) => `${n} × ${named("status", status)}`)
      .join(t("board.comma"));
  if (run.n < run.n_expected)
    lines.push(t("excluded.missing", { n: whole(run.n_expected - run.n), total: whole(run.n_expected) }));
  if (run.n_not_scored) lines.push(t("excluded.unscored", { n: whole(run.n_not_scored) }));
  if (run.n_failed) {
    const statuses = ended((status) => PARTICIPANTS.includes(status));
    lines.push(t("excluded.failed", { n: whole(run.n_failed), statuses }));
  }
  if (run.n_over_budget) lines.push(t("excluded.budget", { n: whole(run.n_over_budget) }));
  if (run.n_lost)
    lines.push(t("excluded.lost", { n: whole(run.n_lost), statuses: ended((status) => OURS.includes(status)) }));
  for (const [name, fault] of Object.entries(run.metric_faults))
    lines.push(t("excluded.faulty", { metric: metricName(app.doc, name), n: whole(fault.n), reason: fault.reason }));
  for (const [name, summary] of Object.entries(run.metrics))
    if (summary.n_nonfinite)
      lines.push(
        t("excluded.nonfinite", {
          metric: metricName(app.doc, name),
          n: whole(summary.n_nonfinite),
          kept: whole(summary.n),
        }),
      );
  return lines;
}

function headline(app) {
  const { doc, labels } = app;
  const head = h(
    "tr",
    {},
    h("th", { scope: "col" }, t("headline.metric")),
    h("th", { scope: "col", class: "drawn" }, t("headline.picture")),
    ...labels.map((label, i) => h("th", { scope: "col" }, key(i), " ", label)),
  );
  const table = h(
    "table",
    { class: "figures" },
    h("thead", {}, head),
    h("tbody", {}, ...doc.metrics.map((name) => metricRow(app, name))),
  );
  return h(
    "div",
    {},
    h(
      "div",
      { class: "controls" },
      h("h3", {}, t("headline.title")),
      h(
        "label",
        { class: "check" },
        h("input", {
          id: "exact",
          type: "checkbox",
          checked: app.state.exact,
          onchange: (event) => {
            app.state.exact = event.target.checked;
            app.render();
            document.getElementById("exact").focus();
          },
        }),
        t("headline.exact"),
      ),
    ),
    wide(t("headline.title"), table),
    h("p", { class: "quiet" }, sentences(intervals(doc), t("headline.arrows"))),
  );
}

const ARROWS = { 1: " ↑", 0: "", "-1": " ↓" };

function metricRow(app, name) {
  const summaries = app.doc.runs.map((run) => run.metrics[name]);
  const rows = summaries.map((s) => (s && s.mean !== null ? [s.mean, ...(s.ci95 || [null, null])] : null));
  const ends = rows.flat().filter((value) => typeof value === "number");
  const [low, high] = unitRange(app.doc.definitions[name]) ? [0, 1] : [Math.min(0, ...ends), Math.max(...ends)];
  return h(
    "tr",
    {},
    h(
      "th",
      { scope: "row" },
      metricTitle(app.doc, name, app.state.exact),
      h("span", { "aria-hidden": "true" }, ARROWS[direction(app.doc.definitions[name])]),
      h("span", { class: "why" }, metricWhy(app.doc, name)),
    ),
    h("td", {}, ends.length ? whiskers(rows, low, high) : null),
    ...summaries.map((summary) => h("td", { class: "number" }, summary ? cell(app, name, summary) : "–")),
  );
}

function cell(app, name, summary) {
  const metric = app.doc.definitions[name],
    { exact } = app.state;
  return [
    h("strong", { title: shown(metric, summary.mean, true) }, shown(metric, summary.mean, exact)),
    " ",
    h("span", { class: "interval" }, shownRange(metric, summary.ci95, exact)),
    h(
      "span",
      { class: "why" },
      summary.ci95_buildings ? `${t("interval.buildings", { range: shownRange(metric, summary.ci95_buildings, exact) })} · ` : "",
      `n = ${whole(summary.n)}`,
      summary.n_nonfinite ? ` · ${t("headline.left", { n: whole(summary.n_nonfinite) })}` : "",
    ),
  ];
}

function pairs(app) {
  const { comparison } = app.doc;
  if (!comparison || !comparison.rows.length) return [];
  const groups = new Map();
  for (const row of comparison.rows) {
    const name = `${row.first}/${row.second}`;
    if (!groups.has(name)) groups.set(name, []);
    groups.get(name).push(row);
  }
  return [
    h("h3", { id: "pairs" }, t("pairs.title")),
    ...[...groups.values()].map((rows) => pairTable(app, rows)),
    h("p", { class: "quiet" }, t("pairs.note")),
  ];
}

function pairTable(app, rows) {
  const title = t("pairs.pair", { second: app.labels[rows[0].second], first: app.labels[rows[0].first] });
  const columns = [
    "headline.metric",
    "pairs.difference",
    "headline.interval",
    "pairs.p",
    "pairs.test",
    "pairs.n",
    "pairs.verdict",
    "pairs.elsewhere",
  ];
  const table = h(
    "table",
    { class: "figures" },
    h("caption", {}, title),
    h("thead", {}, h("tr", {}, ...columns.map((column) => h("th", { scope: "col" }, t(column))))),
    h("tbody", {}, ...rows.map((row) => pairRow(app, row))),
  );
  return wide(title, table);
}

// What is known of other buildings: the same, or how many more would tell.
function elsewhere(row, verdictText) {
  if (row.sure_elsewhere) return verdictText;
  return row.more_buildings === null ? t("pairs.never") : t("pairs.unknown", { k: whole(row.more_buildings) });
}

function pairRow(app, row) {
  const { sure } = row;
  const way = direction(app.doc.definitions[row.metric] || {}) * Math.sign(row.difference || 0);
  const winner = way > 0 ? row.second : row.first;
  const verdictText = !sure
    ? t("pairs.unsure")
    : way === 0
      ? t("pairs.changed")
      : t("pairs.sure", { run: app.labels[winner] });
  const metric = app.doc.definitions[row.metric] || {},
    { exact } = app.state,
    scale = unitRange(metric) && !exact ? 100 : 1,
    digits = exact ? 4 : scale === 100 ? 1 : 2;
  const gap = (value) => signed(typeof value === "number" ? scale * value : value, digits);
  return h(
    "tr",
    {},
    h("th", { scope: "row" }, metricTitle(app.doc, row.metric, exact)),
    h("td", { class: "number" }, gap(row.difference)),
    h("td", { class: "number" }, row.ci95 ? `[${gap(row.ci95[0])}, ${gap(row.ci95[1])}]` : "–"),
    h("td", { class: "number" }, chance(row.p)),
    h("td", {}, t(`test.${row.test}`)),
    h("td", { class: "number" }, whole(row.n)),
    h("td", { class: sure ? "sure" : "unsure" }, verdictText),
    h("td", { class: row.sure_elsewhere ? "sure" : "unsure" }, elsewhere(row, verdictText)),
  );
}
