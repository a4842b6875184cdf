// The page: reads the document, draws the view that the address names, and redraws it in another language.

import { addressed, FILTERS, filtersIn, link, listed } from "./address.js";
import { about, cite, excluded } from "./about.js";
import { otherEvaluator } from "./against.js";
import { distributions, failures } from "./breakdown.js";
import { FIRST_DRAWN, MAX_DRAWN } from "./board.js";
import { labels, only, readDocument } from "./decode.js";
import { h } from "./dom.js";
import { episodeView } from "./episode.js";
import { whole } from "./format.js";
import { keep, kept } from "./kept.js";
import { follow } from "./live.js";
import { overview } from "./overview.js";
import { episodes, search, searchTexts } from "./table.js";
import { currentLanguage, speak, switchTo, t } from "./words.js";

const root = document.getElementById("page");

const app = {
  state: {
    ...FILTERS,
    outcomes: {},
    sort: { column: null, down: false },
    page: 0,
    kind: "scene",
    metric: "success",
    histogram: "",
    allGroups: false,
    run: 0,
    step: null,
    exact: false,
    failRun: -1,
    failScene: -1,
    view: "map",
    whole: null,
    camera: "orbit",
    fog: false,
    others: false,
    boardSort: { column: null, down: false },
    split: null,
    allOthers: false,
    focus: [],
  },

  replace(doc) {
    app.whole = doc;
    app.entries = labels(doc.runs);
    app.texts = doc.episodes ? searchTexts(doc) : [];
    const order = doc.board ? doc.board.order : doc.runs.map((_, i) => i);
    app.draw(order.slice(0, FIRST_DRAWN));
  },

  // Show these runs in charts and tables, and nothing of the others but the board.
  draw(runs, focused) {
    app.choose(runs);
    app.render();
    if (focused) document.getElementById(focused).focus();
  },

  choose(runs) {
    app.state.focus = runs;
    app.doc = only(app.whole, runs);
    app.labels = runs.map((i) => app.entries[i]);
    Object.assign(app.state, { run: 0, failRun: -1, outcomes: {} }, filtersIn(app));
  },

  // Show the episodes that fit, and nothing else of the earlier filters.
  filter(wanted) {
    const address = listed(app, { ...FILTERS, ...wanted });
    if (location.hash === address) navigate();
    else location.hash = address;
  },

  keys: {},
  found: () => search(app),
  link: (index, run = app.state.run) => link(app, index, run),
  render,
};

function header() {
  const run = app.doc.runs[0];
  const many = app.entries.length > 2;
  const line = t("head.line", {
    benchmark: run.benchmark,
    split: run.split ?? t("head.unknown"),
    profile: run.profile.name,
    version: run.profile.version + (run.convention ? ` (${run.convention})` : ""),
    n: whole(run.n),
  });
  return h(
    "header",
    { class: "top" },
    h("div", { class: "title" }, h("h1", {}, many ? `${t("page.board")}: ${run.benchmark}` : app.entries.join(" · ")), h("p", {}, line)),
    h(
      "div",
      { class: "switches" },
      h(
        "button",
        {
          id: "language",
          lang: currentLanguage() === "en" ? "zh-Hans" : "en",
          onclick: () => {
            switchTo(currentLanguage() === "en" ? "zh" : "en");
            render();
            document.getElementById("language").focus();
          },
        },
        t("page.language"),
      ),
      h(
        "button",
        {
          id: "theme",
          onclick: () => {
            const theme = isDark() ? "light" : "dark";
            document.documentElement.dataset.theme = theme;
            keep("theme", theme);
            render();
            document.getElementById("theme").focus();
          },
        },
        t(isDark() ? "page.theme.light" : "page.theme.dark"),
      ),
    ),
  );
}

function isDark() {
  const { theme } = document.documentElement.dataset;
  return theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function contents() {
  const sections = ["failures", "distributions", "excluded", app.doc.episodes && "episodes", "about", "cite"];
  const names = ["overview", app.whole.board && "board", app.doc.against && "against", ...sections];
  return h(
    "nav",
    { class: "contents", "aria-label": t("page.top") },
    ...names.filter(Boolean).map((name) => h("a", { href: `#${name}` }, t(`page.${name}`))),
  );
}

// The index of the episode that the address names, -1 for one that is not here, null where it names none. Whose it is,
// is chosen; a run that the charts leave out takes the place of their last.
function arrive() {
  const found = addressed(app);
  if (!found) return null;
  const { focus } = app.state;
  if (found.run >= 0 && !focus.includes(found.run)) app.choose([...focus.slice(0, MAX_DRAWN - 1), found.run]);
  if (found.run >= 0) app.state.run = app.state.focus.indexOf(found.run);
  return found.index;
}

function render() {
  app.keys = {};
  const index = arrive(),
    live = watched && watched();
  const shown = app.doc.episodes && index !== null;
  const scroll = window.scrollY,
    opened = [...root.querySelectorAll("details[open][id]")].map((one) => one.id);
  let body;
  if (shown && index >= 0) body = [episodeView(app, index)];
  else if (shown) body = [h("p", {}, t("episode.gone"))];
  else body = [overview(app), otherEvaluator(app), failures(app), distributions(app), excluded(app), episodes(app), about(app), cite(app)];
  root.replaceChildren(
    ...[
      h("a", { class: "skip", href: "#main" }, t("page.skip")),
      header(),
      contents(),
      live,
      h(
        "main",
        { id: "main", tabindex: "-1" },
        app.doc.public && h("p", { class: "warning" }, t("page.public")),
        ...body.filter(Boolean),
      ),
    ].filter(Boolean),
  );
  for (const id of opened) document.getElementById(id)?.setAttribute("open", "");
  window.scrollTo(0, scroll);
}

function navigate() {
  const before = listed(app);
  Object.assign(app.state, filtersIn(app));
  if (listed(app) !== before) app.state.page = 0;
  render();
  const place = location.hash.slice(1).split("?")[0] || "page";
  const target = document.getElementById(addressed(app) === null ? place : "episode");
  if (!target) return;
  target.scrollIntoView();
  const title = document.getElementById("episode-title");
  if (title) title.focus({ preventScroll: true });
}

speak(currentLanguage());
if (kept("theme")) document.documentElement.dataset.theme = kept("theme");
const first = await readDocument(document.getElementById("data"));
const watched = first.live ? follow(app) : null;
app.replace(first);
addEventListener("hashchange", navigate);
addEventListener("keydown", (event) => {
  const busy = event.target.closest?.("input, select, button, a, summary, canvas, [role=region]");
  if (busy || event.ctrlKey || event.metaKey || event.altKey || !(event.key in app.keys)) return;
  app.keys[event.key]();
  event.preventDefault();
});
if (location.hash) navigate();
root.dataset.ready = "true";
