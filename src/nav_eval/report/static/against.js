// Another evaluator's values of the same episodes: what differs, where most, and which convention explains it.

import { h, wide } from "./dom.js";
import { fixed, whole } from "./format.js";
import { metricName, t } from "./words.js";

// Nothing where the report was not asked to compare.
export function otherEvaluator(app) {
  const { against: told } = app.doc;
  if (!told) return null;
  const head = ["measure", "mine", "theirs", "differ", "most", "reason"].map((name) =>
    h("th", { scope: "col", class: ["mine", "theirs"].includes(name) ? "number" : null }, t(`against.${name}`)),
  );
  const rows = Object.entries(told.measures).map(([name, one]) => theirRow(app, name, one));
  return h(
    "section",
    { id: "against", "aria-labelledby": "against-title" },
    h("h2", { id: "against-title" }, t("against.title")),
    h("p", {}, t("against.line", { file: told.file, n: whole(told.episodes) })),
    ...onlyIn("against.here", told.only_here),
    ...onlyIn("against.there", told.only_there),
    rows.length
      ? wide(t("against.title"), h("table", { class: "figures" }, h("thead", {}, h("tr", {}, ...head)), h("tbody", {}, ...rows)))
      : h("p", {}, t("against.none")),
  );
}

function theirRow({ doc }, name, one) {
  const label = one.theirs === name ? metricName(doc, name) : `${metricName(doc, name)} (${one.theirs})`;
  const most = one.n_different ? `${one.episode} (${fixed(one.largest)})` : "–";
  const differ = t(one.n_different ? "against.some" : "against.equal", { n: whole(one.n_different), total: whole(one.n) });
  const cells = [meanOrDash(one.mean), meanOrDash(one.mean_theirs), differ, most, one.n_different ? theirReason(one) : "–"];
  return h("tr", {}, h("th", { scope: "row" }, label), ...cells.map((cell, i) => h("td", { class: i < 2 ? "number" : null }, cell)));
}

function meanOrDash(value) {
  return value === null ? "–" : fixed(value);
}

function theirReason(one) {
  if (one.rounded !== null) return t("against.rounded", { n: one.rounded });
  if (!one.convention) return t("against.unknown");
  const left = one.n_different_with_it;
  return t(left ? "against.nearly" : "against.explained", { convention: one.convention, n: whole(left) });
}

function onlyIn(word, names) {
  if (!names.length) return [];
  return [h("p", {}, t(word, { n: whole(names.length), names: names.slice(0, 3).join(", ") + (names.length > 3 ? " …" : "") }))];
}
