// The part of the address that names an episode, and whose it is where a page has several runs; or which are listed.

import { CAUSES, OUTCOMES } from "./facts.js";

const LIST = "#episodes";
export const FILTERS = { search: "", outcomes: {}, scene: "", length: "", differ: false };

// An address that stays the same in every report: the episode's id, after its scene's where two buildings have that id.
export function link(app, index, run) {
  const { id, scene } = app.doc.episodes;
  const alone = id.indexOf(id[index]) === id.lastIndexOf(id[index]);
  const name = alone ? id[index] : `${app.doc.scenes[scene[index]].id}/${id[index]}`;
  const whose = app.entries.length > 1 ? `&run=${encodeURIComponent(app.labels[run])}` : "";
  return `#episode=${encodeURIComponent(name)}${whose}`;
}

// The indices of the named episode and of its run among all, -1 for what is not here; null where no episode is named.
export function addressed(app) {
  if (!location.hash.startsWith("#episode=")) return null;
  const [name, run] = location.hash.slice("#episode=".length).split("&run=").map(decoded);
  return { index: episodeCalled(app.doc, name), run: app.entries.indexOf(run) };
}

function episodeCalled({ episodes, scenes }, name) {
  if (!episodes) return -1;
  const found = episodes.id.indexOf(name);
  return found >= 0 ? found : episodes.id.findIndex((id, i) => `${scenes[episodes.scene[i]].id}/${id}` === name);
}

// The address of the list as it is filtered: #episodes?outcome=stuck:AGENT&scene=S&length=5-10&differ=1&search=words.
export function listed(app, filters = app.state) {
  const told = new URLSearchParams();
  for (const [run, name] of Object.entries(filters.outcomes)) {
    if (!name) continue;
    const [kind, value] = name.startsWith(CAUSE) ? ["cause", name.slice(CAUSE.length)] : ["outcome", name];
    told.append(kind, app.entries.length > 1 ? `${value}:${app.labels[run]}` : value);
  }
  for (const name of ["scene", "length", "search"]) if (filters[name]) told.set(name, filters[name]);
  if (filters.differ) told.set("differ", "1");
  return told.size ? `${LIST}?${told}` : LIST;
}

const CAUSE = "cause:";

// The filters that the address names, without what is not here; null where an episode is open, which changes none.
export function filtersIn(app) {
  if (location.hash.startsWith("#episode=")) return null;
  const found = { ...FILTERS, outcomes: {} },
    { doc } = app;
  if (!doc.episodes || !location.hash.startsWith(`${LIST}?`)) return found;
  const told = new URLSearchParams(location.hash.slice(LIST.length + 1));
  const bins = doc.groups.filter((group) => group.kind === "length").map((group) => group.label);
  const known = { scene: doc.scenes.map((one) => one.id), length: bins };
  for (const name of ["scene", "length"]) if (known[name].includes(told.get(name))) found[name] = told.get(name);
  found.search = told.get("search") || "";
  found.differ = doc.runs.length > 1 && told.get("differ") === "1";
  for (const kind of ["outcome", "cause"])
    for (const text of told.getAll(kind)) {
      const [name, agent] = text.split(/:(.*)/s);
      const run = app.entries.length > 1 ? app.labels.indexOf(agent) : 0;
      if (run >= 0 && has(doc.runs[run], kind, name)) found.outcomes[run] = kind === "cause" ? CAUSE + name : name;
    }
  return found;
}

function has(run, kind, name) {
  return kind === "cause" ? CAUSES.includes(name) && run.causes[name] > 0 : name === "failure" || (OUTCOMES.includes(name) && run.outcomes[name] > 0);
}

// Puts the filters into the address without drawing the page anew; `typing`: as part of the step before.
export function note(app, typing) {
  try {
    history[typing ? "replaceState" : "pushState"](null, "", listed(app));
  } catch {
    return;
  }
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
