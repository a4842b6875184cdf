// The episodes: search, filters, sorting, pages. Only one page of rows is in the document, so that it stays quick.

import { listed, note } from "./address.js";
import { h, select, wide } from "./dom.js";
import { copying } from "./export.js";
import { fixed, metres, share, whole } from "./format.js";
import { key } from "./charts.js";
import { finalDistance } from "./decode.js";
import { CAUSES, NO_FAILURE, OUTCOMES, UNSCORED } from "./facts.js";
import { named, t } from "./words.js";

const ROWS = 50;

export function episodes(app) {
  if (!app.doc.episodes) return null;
  const status = h("p", { role: "status", class: "count" });
  const body = h("div", {});
  const draw = () => {
    const found = search(app);
    status.replaceChildren(countLine(app, found));
    body.replaceChildren(
      found.length ? rowsTable(app, found, draw) : h("p", {}, t("table.none")),
      pager(app, found, draw),
    );
  };
  const section = h(
    "section",
    { id: "episodes", "aria-labelledby": "episodes-title" },
    h("h2", { id: "episodes-title" }, t("table.title")),
    controls(app, draw),
    status,
    body,
  );
  draw();
  return section;
}

// Everything that is searched, once: scene, id and instruction in lower case.
export function searchTexts(doc) {
  const { scene, id, text } = doc.episodes;
  return id.map((name, i) => `${doc.scenes[scene[i]].id}\n${name}\n${text[i] || ""}`.toLowerCase());
}

export function search(app) {
  const { doc, state } = app;
  const { episodes: all, results } = doc;
  const words = state.search.toLowerCase().split(/\s+/).filter(Boolean);
  const wanted = Object.entries(state.outcomes).filter(([, name]) => name);
  const [low, high] = state.length ? state.length.split("-").map(Number) : [];
  const found = [];
  for (let i = 0; i < all.id.length; i++) {
    if (words.some((word) => !app.texts[i].includes(word))) continue;
    if (state.scene && doc.scenes[all.scene[i]].id !== state.scene) continue;
    if (state.length && !(all.shortest[i] >= low && all.shortest[i] < high)) continue;
    if (wanted.some(([run, name]) => !fits(results[run], i, name))) continue;
    if (state.differ && results.every((run) => (run.outcome[i] === 0) === (results[0].outcome[i] === 0))) continue;
    found.push(i);
  }
  return sorted(app, found);
}

// `name`: an outcome, "failure" for any but success, or a cause after "cause:".
function fits(run, index, name) {
  if (name.startsWith("cause:")) return CAUSES[run.cause[index]] === name.slice("cause:".length);
  const outcome = OUTCOMES[run.outcome[index]];
  return name === "failure"
    ? outcome !== undefined && !NO_FAILURE.includes(outcome)
    : outcome === name;
}

function sorted(app, found) {
  const { column, down } = app.state.sort;
  if (!column) return found;
  const values = columns(app).find((one) => one.name === column)?.value;
  if (!values) return found;
  const rank = (value) => (value === "inf" ? Infinity : value);
  const order = (a, b) => {
    const x = rank(values(a)),
      y = rank(values(b));
    if (x === null || x === undefined || x === "") return 1;
    if (y === null || y === undefined || y === "") return -1;
    const sign = typeof x === "string" ? x.localeCompare(y, "en", { numeric: true }) : x - y;
    return down ? -sign : sign;
  };
  return found.sort(order);
}

function controls(app, draw) {
  const { doc, state } = app;
  const change = (edit, typing) => (value) => {
    edit(value);
    state.page = 0;
    note(app, typing && typing());
    draw();
  };
  // Words typed in one go are one step back.
  let begun = false;
  const going = () => {
    const before = begun;
    begun = true;
    return before;
  };
  const box = h("input", {
    type: "search",
    value: state.search,
    onfocus: () => {
      begun = false;
    },
    oninput: (event) =>
      change((v) => {
        state.search = v;
      }, going)(event.target.value),
  });
  const scenes = [["", t("table.any")], ...doc.scenes.map((scene) => [scene.id, scene.id])];
  const bins = doc.groups
    .filter((group) => group.kind === "length" && group.label)
    .map((group) => [group.label, group.label]);
  return h(
    "div",
    { class: "controls", role: "search" },
    h("label", { class: "field grow" }, h("span", {}, t("table.search")), box),
    ...doc.runs.map((run, i) =>
      select(
        t("table.outcome", { agent: app.labels[i] }),
        [
          ["", t("table.any")],
          ["failure", t("table.failures")],
          ...OUTCOMES.filter((name) => run.outcomes[name]).map((name) => [
            name,
            `${named("outcome", name)} (${run.outcomes[name]})`,
          ]),
          ...CAUSES.filter((name) => run.causes[name]).map((name) => [
            `cause:${name}`,
            t("table.cause", { cause: named("cause", name), n: run.causes[name] }),
          ]),
        ],
        state.outcomes[i] || "",
        change((value) => {
          state.outcomes[i] = value;
        }),
      ),
    ),
    doc.scenes.length > 1 &&
      select(
        t("table.scene"),
        scenes,
        state.scene,
        change((value) => {
          state.scene = value;
        }),
      ),
    bins.length > 0 &&
      select(
        t("table.bin"),
        [["", t("table.any")], ...bins],
        state.length,
        change((value) => {
          state.length = value;
        }),
      ),
    doc.runs.length > 1 &&
      h(
        "label",
        { class: "check" },
        h("input", {
          type: "checkbox",
          checked: state.differ,
          onchange: (event) =>
            change((v) => {
              state.differ = v;
            })(event.target.checked),
        }),
        t("table.differ"),
      ),
    h("button", { onclick: () => app.filter({}) }, t("table.clear")),
    h("span", {}, copying("episode.copy", () => new URL(listed(app), location.href).href)),
  );
}

function countLine(app, found) {
  const parts = [t("table.count", { n: whole(found.length), total: whole(app.doc.episodes.id.length) })];
  app.doc.results.forEach((run, i) => {
    const scored = found.filter(
      (index) => run.outcome[index] !== null && OUTCOMES[run.outcome[index]] !== UNSCORED,
    );
    const won = scored.filter((index) => run.outcome[index] === 0).length;
    if (scored.length) parts.push(t("table.shown", { agent: app.labels[i], share: share(won, scored.length) }));
  });
  return parts.join(" · ");
}

function columns(app) {
  const { doc } = app;
  const all = doc.episodes;
  const list = [
    {
      name: "id",
      title: t("table.id"),
      value: (i) => all.id[i],
      show: (i) => h("a", { href: app.link(i) }, all.id[i]),
    },
    {
      name: "scene",
      title: t("table.scene"),
      value: (i) => doc.scenes[all.scene[i]].id,
      show: (i) => doc.scenes[all.scene[i]].id,
    },
  ];
  if (all.text.some(Boolean))
    list.push({
      name: "text",
      title: t("table.instruction"),
      value: (i) => all.text[i],
      show: (i) => h("span", { class: "clip", dir: "auto" }, all.text[i] || ""),
    });
  if (all.shortest.some((value) => value !== null))
    list.push({
      name: "shortest",
      title: t("table.length"),
      number: true,
      value: (i) => all.shortest[i],
      show: (i) => metres(all.shortest[i]),
    });
  doc.results.forEach((run, r) => list.push(...runColumns(app, run, r)));
  return list;
}

function runColumns(app, run, r) {
  const list = [
    {
      name: `outcome-${r}`,
      title: [key(r), "\u00a0", t("table.run.outcome", { agent: app.labels[r] })],
      label: t("table.run.outcome", { agent: app.labels[r] }),
      value: (i) => run.outcome[i],
      show: (i) => badge(run.outcome[i]),
    },
  ];
  if (run.values.navigation_error || run.values.distance_to_goal)
    list.push({
      name: `distance-${r}`,
      title: t("table.run.distance"),
      number: true,
      value: (i) => finalDistance(run.values, i),
      show: (i) => metres(finalDistance(run.values, i)),
    });
  if (app.doc.runs.length > 1) return list;
  if (run.values.spl)
    list.push({
      name: `spl-${r}`,
      title: t("table.run.spl"),
      number: true,
      value: (i) => run.values.spl[i],
      show: (i) => fixed(run.values.spl[i], 2),
    });
  list.push({
    name: `steps-${r}`,
    title: t("table.run.steps"),
    number: true,
    value: (i) => run.steps[i],
    show: (i) => fixed(run.steps[i], 0),
  });
  return list;
}

export function badge(outcome) {
  if (outcome === null || outcome === undefined) return h("span", { class: "quiet" }, t("table.missing"));
  const name = OUTCOMES[outcome];
  return h(
    "span",
    { class: `badge ${name}` },
    h("span", { class: `swatch ${name}`, "aria-hidden": "true" }),
    named("outcome", name),
  );
}

function rowsTable(app, found, draw) {
  const { state } = app;
  const list = columns(app);
  const head = list.map((column) => {
    const mine = state.sort.column === column.name;
    const press = () => {
      state.sort = { column: column.name, down: mine && !state.sort.down };
      draw();
      document.getElementById(`sort-${column.name}`).focus();
    };
    return h(
      "th",
      {
        scope: "col",
        class: column.number ? "number" : column.name === "scene" ? "minor" : null,
        "aria-sort": mine ? (state.sort.down ? "descending" : "ascending") : "none",
      },
      h(
        "button",
        { id: `sort-${column.name}`, class: "sort", onclick: press },
        column.title,
        h("span", { "aria-hidden": "true" }, mine ? (state.sort.down ? " ▼" : " ▲") : ""),
      ),
    );
  });
  const page = found.slice(state.page * ROWS, (state.page + 1) * ROWS);
  const rows = page.map((i) =>
    h(
      "tr",
      {},
      ...list.map((column) =>
        column.name === "id"
          ? h("th", { scope: "row" }, column.show(i))
          : h("td", { class: column.number ? "number" : column.name === "scene" ? "minor" : null }, column.show(i)),
      ),
    ),
  );
  return wide(
    t("table.list"),
    h("table", { class: "episodes" }, h("thead", {}, h("tr", {}, ...head)), h("tbody", {}, ...rows)),
  );
}

function pager(app, found, draw) {
  const pages = Math.max(1, Math.ceil(found.length / ROWS));
  const turn = (by) => {
    app.state.page += by;
    draw();
  };
  if (pages === 1) return "";
  return h(
    "nav",
    { class: "pager", "aria-label": t("table.title") },
    h("button", { disabled: app.state.page === 0, onclick: () => turn(-1) }, t("table.previous")),
    h("span", {}, t("table.page", { page: app.state.page + 1, pages })),
    h("button", { disabled: app.state.page >= pages - 1, onclick: () => turn(1) }, t("table.next")),
  );
}
