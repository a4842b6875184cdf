// What the answers cost, by the agents' own account: tokens, requests and money of an episode, and success against them.

import { h, wide } from "./dom.js";
import { key, figure, scatter } from "./charts.js";
import { compact, whole } from "./format.js";
import { t } from "./words.js";

// Amounts of money need more digits the smaller they are.
export function amount(name, value) {
  if (!name.startsWith("cost.")) return whole(Math.round(value));
  return `${value.toFixed(value && value < 0.1 ? 4 : 2)} ${name.slice(5)}`;
}

export function amountName(name) {
  return name.startsWith("cost.") ? t("usage.cost") : t(`usage.${name}`);
}

// Nothing where no agent told what it cost.
export function spending(app) {
  const { runs } = app.doc;
  const names = [...new Set(runs.flatMap((run) => Object.keys(run.usage?.per_episode ?? {})))].filter((name) =>
    runs.some((run) => run.usage?.per_episode[name]),
  );
  if (!names.length) return null;
  const cell = (run, name) => (run.usage ? h("td", { class: "number" }, amount(name, run.usage.per_episode[name] ?? 0)) : h("td", {}, "–"));
  const head = [h("td", {}), ...app.labels.map((label, i) => h("th", { scope: "col" }, key(i), " ", label))];
  const rows = names.map((name) => h("tr", {}, h("th", { scope: "row" }, amountName(name)), ...runs.map((run) => cell(run, name))));
  const table = h("table", { class: "figures" }, h("thead", {}, h("tr", {}, ...head)), h("tbody", {}, ...rows));
  return h(
    "div",
    { id: "usage" },
    h("h3", {}, t("usage.title")),
    against(app, names),
    wide(t("usage.title"), table),
    h("p", { class: "quiet" }, t("usage.note")),
  );
}

// Success against money, or tokens where no currency is everybody's.
function against(app, names) {
  const told = app.doc.runs.filter((run) => run.usage);
  const shared = names.find((name) => name.startsWith("cost.") && told.every((run) => run.usage.per_episode[name]));
  const spent = ({ per_episode: one }) => (shared ? one[shared] : one.input_tokens + one.output_tokens);
  const points = app.doc.runs.map((run) => run.usage && run.metrics.success && [spent(run.usage), run.metrics.success.mean]);
  if (points.filter(Boolean).length < 2 || !points.some((point) => point && point[0])) return null;
  const title = shared ? t("usage.axis.cost", { currency: shared.slice(5) }) : t("usage.axis.tokens");
  const tick = (value) => (shared ? String(value) : compact(value));
  return figure("success-cost", (width) => scatter(width, { points, labels: app.labels, title, label: t("usage.picture"), tick }));
}
