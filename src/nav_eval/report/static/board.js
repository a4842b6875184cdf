// The leaderboard of several runs: ranks, shared where nothing tells entries apart; published results below, not run here.

import { h, select, wide } from "./dom.js";
import { fixed, shown, shownRange, unitRange, whole } from "./format.js";
import { handOver } from "./export.js";
import { MIN_BUILDINGS } from "./facts.js";
import { key, whiskers } from "./charts.js";
import { currentLanguage, metricName, metricTitle, sentences, t } from "./words.js";

// Signs are of twelve kinds.
export const MAX_DRAWN = 12;
export const FIRST_DRAWN = 6;
const FEW_OTHERS = 5;
const TYPES = { csv: "text/csv", tex: "application/x-tex", md: "text/markdown" };

export function board(app) {
  const { board: record } = app.whole;
  if (!record) return null;
  const holder = h("div", {});
  const draw = () => holder.replaceChildren(...drawn(app, draw));
  draw();
  return h(
    "div",
    {},
    h("h3", { id: "board" }, t("board.title")),
    record.refused &&
      h("p", { class: "warning" }, t("board.refused", { why: record.refused === "different" ? t("brief.different") : record.refused })),
    holder,
    rule(app),
  );
}

// Who is first, and whether anybody else may be.
export function standing(app) {
  const { board: record } = app.whole;
  const best = firsts(app.whole).filter((i) => record.places[i] && record.places[i].rank === 1);
  const first = best.map((i) => entryName(app, i));
  const metric = metricName(app.whole, record.metric);
  if (first.length === 1) return t("board.first", { best: first[0], metric });
  const few = first.length > 3 ? [...first.slice(0, 2), t("board.more", { n: first.length - 2 })] : first;
  const names = [few.slice(0, -1).join(t("board.comma")), few.at(-1)].join(t("answer.and"));
  return t("board.tied", { metric, names, n: whole(record.n), g: whole(record.buildings) });
}

// What the runs of one agent with several seeds are together; a run alone is itself.
function entryOf(doc, i) {
  return doc.agents?.find((agent) => agent.runs[0] === i) ?? doc.runs[i];
}

// The entries in the board's order, each by its first run.
function firsts(doc) {
  return doc.board.order.filter((i) => !doc.agents || doc.agents.some((agent) => agent.runs[0] === i));
}

function entryName(app, i) {
  const { name, runs } = entryOf(app.whole, i);
  return runs && runs.length > 1 ? t("board.seeds", { name, n: runs.length }) : app.entries[i];
}

function rule({ whole: doc }) {
  const { board: record } = doc;
  const ranked = record.n !== null;
  return h(
    "p",
    { class: "quiet" },
    sentences(
      ranked &&
        t("board.rule", {
          metric: metricTitle(doc, record.metric),
          primary: record.metric === record.primary ? t("board.primary") : "",
          n: whole(record.n),
          g: whole(record.buildings),
        }),
      t("board.units"),
      intervals(doc),
      t("board.counts"),
    ),
  );
}

// How the intervals were made, in words.
export function intervals(doc) {
  return sentences(t("interval.simple"), t("interval.others", { least: MIN_BUILDINGS[currentLanguage()] }));
}

function drawn(app, draw) {
  const { board: record } = app.whole;
  const list = boardColumns(app);
  const beside = inOrder(app, list, chosen(app));
  const others = app.state.allOthers ? beside : beside.slice(0, FEW_OTHERS);
  const bodies = [h("tbody", {}, ...inOrder(app, list, firsts(app.whole)).map((i) => runRow(list, i)))];
  if (others.length)
    bodies.push(
      h(
        "tbody",
        { class: "others" },
        h("tr", {}, h("th", { colspan: list.length, scope: "rowgroup" }, t("board.others", { name: others[0].benchmark }))),
        ...others.map((one) => otherRow(list, one)),
      ),
    );
  const head = h("thead", {}, h("tr", {}, ...list.map((column) => headCell(app, column, draw))));
  return [
    h("div", { class: "controls" }, ...buttons(app), splits(app, draw)),
    wide(t("board.title"), h("table", { class: "board" }, head, ...bodies)),
    beside.length > FEW_OTHERS && more(app, beside.length, draw),
  ].filter(Boolean);
}

// Published results beyond the first few are a press away, so that what explains the ranks is near them.
function more(app, n, draw) {
  const press = () => {
    app.state.allOthers = !app.state.allOthers;
    draw();
    document.getElementById("all-others").focus();
  };
  return h("button", { id: "all-others", onclick: press }, t(app.state.allOthers ? "board.fewer" : "board.all", { n, few: FEW_OTHERS }));
}

// What is taken away has the published results that are chosen.
function buttons(app) {
  const one = ([kind, name]) =>
    h("button", { onclick: () => handOver(`leaderboard.${kind}`, TYPES[kind], app.whole.board.files[wanted(app)][kind]) }, name);
  return Object.entries({ csv: "CSV", tex: "LaTeX", md: "Markdown" }).map(one);
}

// Published results of the runs' own split come first; the others are a choice away.
function splits(app, draw) {
  const { others } = app.whole.board;
  const names = [...new Set(others.map((one) => one.split))];
  if (!names.length) return null;
  const options = [["", t("board.every")], ...names.map((name) => [name, splitName(name)]), ["none", t("board.noothers")]];
  const pick = (value) => {
    app.state.split = value;
    draw();
  };
  return select(t("board.split"), options, wanted(app), pick);
}

function wanted(app) {
  const { others } = app.whole.board,
    { split } = app.whole.runs[0];
  if (app.state.split === null) return others.some((one) => one.split === split) ? split : "";
  return app.state.split;
}

function chosen(app) {
  const split = wanted(app);
  return app.whole.board.others.filter((one) => !split || one.split === split);
}

function splitName(name) {
  return name === "unstated" ? t("board.unstated") : name;
}

// Each column: `of` and `other` give what is sorted, `show` and `print` what stands there.
function boardColumns(app) {
  const { whole: doc } = app;
  const { board: record } = doc;
  const rest = record.columns.filter(([name]) => name !== record.metric);
  return [
    record.n !== null && {
      name: "rank",
      title: t("board.rank"),
      of: (i) => (record.places[i] ? record.order.indexOf(i) : null),
      show: (i) => rankCell(record.places[i]),
      print: () => "–",
    },
    { name: "entry", title: t("board.entry"), of: (i) => entryName(app, i), other: (one) => one.model, show: (i) => entryCell(app, i), print: otherCell },
    record.metric && leading(app),
    ...rest.map(([name, short]) => measure(app, name, short)),
    count("n", t("board.n"), (i) => doc.runs[i].n),
    count("failed", t("board.failed"), (i) => entryOf(doc, i).n_failed),
    count("excluded", t("board.excluded"), (i) => entryOf(doc, i).n_excluded),
    { name: "sensors", title: t("board.sensors"), of: (i) => sensing(doc.runs[i]), show: (i) => sensing(doc.runs[i]), print: () => "–" },
    doc.runs.length > FIRST_DRAWN && { name: "drawn", title: t("board.drawn"), show: (i) => tick(app, i), print: () => "" },
  ].filter(Boolean);
}

function sensing(run) {
  return run.sensor_class
    .split("+")
    .map((part) => t(`sensing.${part}`))
    .join(" + ");
}

function count(name, title, of) {
  return { name, title, number: true, of, show: (i) => whole(of(i)), print: () => "–" };
}

function measure(app, name, short) {
  const metric = app.whole.definitions[name];
  const summary = (i) => entryOf(app.whole, i).metrics[name];
  return {
    name,
    title: short,
    number: true,
    of: (i) => (summary(i) ? summary(i).mean : null),
    other: (one) => (short in one.figures ? Number(one.figures[short]) : null),
    show: (i) => (summary(i) ? h("span", { title: withSpread(metric, summary(i), true) }, withSpread(metric, summary(i), app.state.exact)) : "–"),
    print: (one) => one.figures[short] ?? "–",
  };
}

function withSpread(metric, summary, exact) {
  const mean = shown(metric, summary.mean, exact);
  return typeof summary.spread === "number" ? `${mean} ± ${shown(metric, summary.spread, exact)}` : mean;
}

// What ranks: with its interval, and drawn.
function leading(app) {
  const { whole: doc } = app;
  const { metric: name, columns: printed } = doc.board;
  const known = printed.find(([one]) => one === name);
  const column = measure(app, name, known ? known[1] : name);
  const rows = doc.runs.map((_, i) => {
    const found = entryOf(doc, i).metrics[name];
    return found && found.mean !== null ? [found.mean, ...(found.ci95 || [null, null])] : null;
  });
  const ends = rows.flat().filter((value) => typeof value === "number");
  const low = Math.min(0, ...ends),
    high = Math.max(...ends, unitRange(doc.definitions[name]) ? 0.1 : 0);
  const show = (i) => [
    h("strong", {}, column.show(i)),
    " ",
    rows[i] && h("span", { class: "interval" }, shownRange(doc.definitions[name], entryOf(doc, i).metrics[name].ci95, app.state.exact)),
    rows[i] && whiskers([rows[i]], low, high, sign(app, i) < 0 ? GREY : sign(app, i)),
  ];
  return { ...column, name, title: known ? known[1] : metricTitle(doc, name, app.state.exact), number: false, show };
}

const GREY = 5;

// Of the entry in the charts below; -1 where these do not draw it, or draw each of its runs by itself.
function sign(app, i) {
  return app.whole.agents ? -1 : app.state.focus.indexOf(i);
}

function rankCell(place) {
  if (!place) return "–";
  const [low, high] = place.rank_ci95;
  return [h("strong", {}, place.rank), low === high ? "" : h("span", { class: "why" }, `${low}–${high}`)];
}

function entryCell(app, i) {
  const run = app.whole.runs[i],
    { url, paper } = run.entry;
  const place = app.whole.board.places[i];
  const name = entryName(app, i);
  return [
    sign(app, i) < 0 ? "" : key(sign(app, i)),
    " ",
    url ? away(url, name) : name,
    paper ? [" · ", away(paper, t("board.paper"))] : "",
    run.privileged && h("span", { class: "why" }, t("board.oracle")),
    place && place.left_out > 0 && h("span", { class: "why" }, t("board.left", { n: whole(place.left_out), mean: fixed(place.mean, 4) })),
  ];
}

function otherCell(one) {
  const told = [String(one.year), splitName(one.split), native(one, "inputs") || t("board.noinputs")];
  return [
    away(one.link, one.model),
    h("span", { class: "why" }, one.paper),
    h("span", { class: "why" }, told.join(" · "), " · ", away(one.where, t(one.quoted ? "board.quoted" : "board.where"))),
    one.note && h("span", { class: "why" }, native(one, "note")),
  ];
}

// A table may say its texts in Chinese, too.
function native(one, field) {
  return (currentLanguage() === "zh" && one[`${field}_zh`]) || one[field];
}

function away(address, text) {
  return h("a", { href: address, rel: "noreferrer noopener" }, text);
}

function tick(app, i) {
  const { focus } = app.state;
  const on = focus.includes(i);
  return h("input", {
    type: "checkbox",
    id: `drawn-${i}`,
    checked: on,
    disabled: on ? focus.length === 1 : focus.length >= MAX_DRAWN,
    "aria-label": t("board.draw", { name: app.entries[i] }),
    onchange: () => app.draw(on ? focus.filter((one) => one !== i) : [...focus, i], `drawn-${i}`),
  });
}

function headCell(app, column, draw) {
  const { boardSort } = app.state;
  const mine = boardSort.column === column.name;
  const numeric = column.number ? "number" : null;
  if (!column.of) return h("th", { scope: "col", class: numeric }, column.title);
  const press = () => {
    app.state.boardSort = { column: column.name, down: mine && !boardSort.down };
    draw();
    document.getElementById(`board-${column.name}`).focus();
  };
  const arrow = mine ? (boardSort.down ? " ▼" : " ▲") : "";
  return h(
    "th",
    { scope: "col", class: numeric, "aria-sort": mine ? (boardSort.down ? "descending" : "ascending") : "none" },
    h("button", { id: `board-${column.name}`, class: "sort", onclick: press }, column.title, h("span", { "aria-hidden": "true" }, arrow)),
  );
}

// What has no value comes last whichever way. A run is its number, a published result is an object.
function inOrder(app, list, rows) {
  const { column: name, down } = app.state.boardSort;
  const column = list.find((one) => one.name === name);
  if (!column) return rows;
  const value = (row) => (typeof row === "number" ? column.of(row) : column.other ? column.other(row) : null);
  return [...rows].sort((a, b) => {
    const [x, y] = [value(a), value(b)];
    if (x === null || y === null) return (x === null) - (y === null);
    const sign = typeof x === "string" ? x.localeCompare(y, "en", { numeric: true }) : x - y;
    return down ? -sign : sign;
  });
}

function runRow(list, i) {
  return h("tr", {}, ...list.map((column) => boardCell(column, column.show(i))));
}

function otherRow(list, one) {
  return h("tr", {}, ...list.map((column) => boardCell(column, column.print(one))));
}

function boardCell(column, content) {
  const element = column.name === "entry" ? h("th", { scope: "row" }) : h("td", { class: column.number ? "number" : column.name });
  element.append(...[content].flat(3).filter((part) => part !== null && part !== undefined && part !== false));
  return element;
}
