// Where it fails: outcomes, groups of episodes, distributions, latency.

import { choice, h, select, wide } from "./dom.js";
import { direction, seconds, share, shown, unitRange, whole } from "./format.js";
import { figure, histogram, key, stacked, whiskers } from "./charts.js";
import { CAUSES, LOST, MIN_PUBLIC, NEAR, OUTCOMES, WON } from "./facts.js";
import { failureMap } from "./failmap.js";
import { explained, metricName, metricTitle, named, sentences, t } from "./words.js";

const FEW = 12;
// Outcomes with a colour of their own; a chart shows the others, which have one, as one.
const COLOURED = [WON, ...OUTCOMES.filter((name) => NEAR.includes(name) || LOST.includes(name))];

export function failures(app) {
  return h(
    "section",
    { id: "failures", "aria-labelledby": "failures-title" },
    h("h2", { id: "failures-title" }, t("page.failures")),
    outcomes(app),
    causes(app),
    failureMap(app),
    groups(app),
  );
}

function outcomes(app) {
  const { runs } = app.doc;
  const names = OUTCOMES.filter((name) => runs.some((run) => run.outcomes[name]));
  const [own, rest] = [names.filter((name) => COLOURED.includes(name)), names.filter((name) => !COLOURED.includes(name))];
  const bars = runs.map((run) =>
    [...own.map((name) => [name, run.outcomes[name] || 0]), ["rest", sum(rest.map((name) => run.outcomes[name] || 0))]].filter((part) => part[1]),
  );
  const words = Object.fromEntries([...own.map((name) => [name, named("outcome", name)]), ...(rest.length ? [["rest", t("outcomes.rest")]] : [])]);
  return h(
    "div",
    {},
    h("h3", {}, t("outcomes.title")),
    figure("outcomes", (width) => stacked(width, bars, words, app.labels, t("outcomes.title"))),
    counts(app, "outcome", names, (name) => name),
    h("p", { class: "quiet" }, sentences(t("outcomes.note"), app.doc.episodes && t("outcomes.press"))),
  );
}

function sum(numbers) {
  return numbers.reduce((all, one) => all + one, 0);
}

// What went wrong first in the episodes that failed, by rules that are told on demand.
function causes(app) {
  const names = CAUSES.filter((name) => app.doc.runs.some((run) => run.causes[name]));
  if (!names.length) return null;
  const told = names.map((name) => [h("dt", {}, named("cause", name)), h("dd", {}, explained("cause", name))]);
  return h(
    "div",
    { id: "causes" },
    h("h3", {}, t("causes.title")),
    counts(app, "cause", names, (name) => `cause:${name}`),
    h("p", { class: "quiet" }, t("causes.note")),
    h("details", { id: "rules", open: location.hash === "#rules" }, h("summary", {}, t("causes.rules")), h("p", {}, t("causes.order")), h("dl", {}, ...told)),
  );
}

// How often each outcome or cause came up in each run; a number leads to its episodes.
function counts(app, kind, names, filter) {
  const { runs } = app.doc;
  const head = [h("th", { scope: "col" }, t(`${kind}s.${kind}`)), ...app.labels.map((label, i) => h("th", { scope: "col" }, key(i), " ", label))];
  const title = (name) =>
    kind === "outcome"
      ? [h("span", { class: `swatch ${name}`, "aria-hidden": "true" }), named(kind, name), h("span", { class: "why" }, explained(kind, name))]
      : named(kind, name);
  const rows = names.map((name) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, title(name)),
      ...runs.map((run, i) => h("td", { class: "number" }, countOf(app, i, run[`${kind}s`][name] || 0, filter(name)))),
    ),
  );
  return wide(t(`${kind}s.title`), h("table", { class: "figures" }, h("thead", {}, h("tr", {}, ...head)), h("tbody", {}, ...rows)));
}

function countOf(app, i, count, filter) {
  const text = [h("strong", {}, whole(count)), ` ${share(count, app.doc.runs[i].n)}`];
  if (!app.doc.episodes || !count) return text;
  return h("button", { class: "link", onclick: () => app.filter({ outcomes: { [i]: filter } }) }, ...text);
}

function groups(app) {
  const kinds = [...new Set(app.doc.groups.map((group) => group.kind))];
  if (!kinds.length) return null;
  const { state } = app;
  if (!kinds.includes(state.kind)) state.kind = kinds[0];
  const holder = h("div", {});
  const draw = () => holder.replaceChildren(groupTable(app, draw));
  draw();
  return h(
    "div",
    {},
    h("h3", {}, t("groups.title")),
    h(
      "div",
      { class: "controls" },
      choice(
        "kind",
        t("groups.kind"),
        kinds.map((kind) => [kind, t(`kind.${kind}`)]),
        state.kind,
        (kind) => {
          state.kind = kind;
          draw();
        },
      ),
      choice(
        "group-metric",
        t("groups.metric"),
        app.doc.leading.map((name) => [name, metricName(app.doc, name)]),
        state.metric,
        (name) => {
          state.metric = name;
          draw();
        },
      ),
    ),
    holder,
    app.doc.public && h("p", { class: "quiet" }, t("groups.public", { least: MIN_PUBLIC })),
  );
}

function groupTable(app, draw) {
  const { state, doc } = app;
  const metric = doc.leading.includes(state.metric) ? state.metric : doc.leading[0];
  let rows = doc.groups.filter((group) => group.kind === state.kind);
  const total = rows.length;
  const sorted = state.kind !== "length";
  if (sorted) rows = [...rows].sort((a, b) => badness(doc, b, metric) - badness(doc, a, metric));
  const together = app.labels.length > 1;
  if (total > FEW && !state.allGroups) rows = rows.slice(0, FEW);
  const values = doc.groups
    .filter((group) => group.kind === state.kind)
    .flatMap((group) => group.runs.flatMap((run) => (run[metric] || []).slice(0, 3)));
  const most = unitRange(doc.definitions[metric]) ? 1 : Math.max(0, ...values.filter((value) => typeof value === "number"));
  const head = h(
    "tr",
    {},
    h("th", { scope: "col" }, t(`kind.${state.kind}`)),
    h("th", { scope: "col" }, t("groups.n")),
    h("th", { scope: "col", class: "drawn" }, metricTitle(app.doc, metric, state.exact)),
    together && h("th", { scope: "col" }, t("groups.together")),
    ...app.labels.map((label, i) => h("th", { scope: "col" }, key(i), " ", label)),
  );
  const body = rows.map((group) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, groupLabel(app, group)),
      h("td", { class: "number" }, whole(group.n)),
      h(
        "td",
        {},
        whiskers(
          group.runs.map((run) => run[metric]),
          0,
          most,
        ),
      ),
      together && h("td", { class: "number" }, h("strong", {}, shown(doc.definitions[metric], overall(group, metric), state.exact))),
      ...group.runs.map((run) => h("td", { class: "number" }, shown(doc.definitions[metric], run[metric] ? run[metric][0] : null, state.exact))),
    ),
  );
  return h(
    "div",
    {},
    wide(t("groups.title"), h("table", { class: "figures" }, h("thead", {}, head), h("tbody", {}, ...body))),
    h("p", { class: "quiet" }, sorted ? t(together ? "groups.order" : "groups.worst") : ""),
    total > FEW &&
      h(
        "button",
        {
          onclick: () => {
            state.allGroups = !state.allGroups;
            draw();
          },
        },
        state.allGroups ? t("groups.less") : t("groups.more", { n: total }),
      ),
  );
}

// The mean over the episodes of all agents; null where there is none.
function overall(group, metric) {
  const known = group.runs.map((run) => run[metric]).filter((one) => one && typeof one[0] === "number");
  const n = known.reduce((sum, one) => sum + one[3], 0);
  return n ? known.reduce((sum, one) => sum + one[0] * one[3], 0) / n : null;
}

function badness(doc, group, metric) {
  const value = overall(group, metric);
  if (value === null) return -Infinity;
  return direction(doc.definitions[metric]) < 0 ? value : -value;
}

function groupLabel(app, group) {
  const label = group.kind === "language" ? named("language", group.label) : group.label;
  const text = label || t("groups.unknown");
  const filterable = app.doc.episodes && (group.kind === "scene" || group.kind === "length") && group.label;
  return filterable
    ? h("button", { class: "link", onclick: () => app.filter({ [group.kind]: group.label }) }, text)
    : text;
}

export function distributions(app) {
  const { doc, state } = app;
  const names = doc.histograms.map((entry) => entry.metric);
  if (!names.includes(state.histogram))
    state.histogram = doc.leading.filter((name) => names.includes(name)).pop() || names[0];
  const holder = h("div", {});
  const draw = () => {
    const entry = doc.histograms.find((one) => one.metric === state.histogram);
    holder.replaceChildren(
      ...(entry
        ? [
            figure(`histogram-${entry.metric}`, (width) =>
              histogram(width, {
                ...entry,
                labels: app.labels,
                label: t("distributions.label", { metric: metricName(app.doc, entry.metric) }),
                title: metricName(app.doc, entry.metric),
                count: t("axis.episodes"),
                tick: (edge) => String(+edge.toPrecision(4)),
              }),
            ),
          ]
        : []),
    );
  };
  draw();
  return h(
    "section",
    { id: "distributions", "aria-labelledby": "distributions-title" },
    h("h2", { id: "distributions-title" }, t("page.distributions")),
    select(
      t("distributions.metric"),
      names.map((name) => [name, metricName(app.doc, name)]),
      state.histogram,
      (name) => {
        state.histogram = name;
        draw();
      },
    ),
    holder,
    h("h3", {}, t("latency.title")),
    latency(app),
  );
}

function latency(app) {
  const entry = app.doc.latency;
  if (!entry) return h("p", {}, t("latency.none"));
  const head = ["latency.run", "latency.actions"].map((word) => h("th", { scope: "col" }, t(word)));
  const marks = ["p50", "p90", "p95", "p99", t("latency.max")].map((word) => h("th", { scope: "col" }, word));
  const rows = app.labels.map((label, i) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, key(i), " ", label),
      h("td", { class: "number" }, whole(entry.n[i])),
      ...(entry.percentiles[i] || [null, null, null, null, null]).map((value) =>
        h("td", { class: "number" }, seconds(value)),
      ),
    ),
  );
  return h(
    "div",
    {},
    figure("latency", (width) =>
      histogram(width, {
        ...entry,
        labels: app.labels,
        label: t("latency.label"),
        title: t("axis.latency"),
        count: t("axis.actions"),
        tick: seconds,
        log: true,
      }),
    ),
    wide(
      t("latency.title"),
      h("table", { class: "figures" }, h("thead", {}, h("tr", {}, ...head, ...marks)), h("tbody", {}, ...rows)),
    ),
  );
}
