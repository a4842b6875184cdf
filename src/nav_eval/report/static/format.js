// Numbers as text: as papers print them (SR 14.0, NE 9.37), and exactly for those who ask.

import { percents, t } from "./words.js";

export function fixed(value, digits = 4) {
  if (value === null || value === undefined) return "–";
  if (value === "inf") return "∞";
  return value.toFixed(digits);
}

// A metric's value: rates and shares in percent with one decimal, metres and seconds with two.
export function shown(metric, value, exact) {
  if (typeof value !== "number") return fixed(value);
  if (exact) return String(+value.toPrecision(7));
  if (unitRange(metric)) return (100 * value).toFixed(1);
  return value.toFixed(metric.unit === "m" || metric.unit === "s" || Math.abs(value) < 10 ? 2 : 1);
}

export function shownRange(metric, pair, exact) {
  return pair && pair[0] !== null ? `[${shown(metric, pair[0], exact)}, ${shown(metric, pair[1], exact)}]` : "–";
}

export function percent(value, digits = 1) {
  return typeof value === "number" ? percents(`${(100 * value).toFixed(digits)} %`) : fixed(value);
}

export function signed(value, digits = 4) {
  if (typeof value !== "number") return fixed(value);
  return (value > 0 ? "+" : value < 0 ? "−" : "±") + Math.abs(value).toFixed(digits);
}

export function metres(value, digits = 2) {
  return typeof value === "number" ? `${value.toFixed(digits)} m` : fixed(value);
}

export function chance(p) {
  if (p === null || p === undefined) return "–";
  return p < 0.001 ? "< 0.001" : p.toFixed(3);
}

export function seconds(value) {
  if (typeof value !== "number") return fixed(value);
  if (value >= 1) return `${value.toFixed(2)} s`;
  if (value >= 1e-3) return `${(value * 1e3).toFixed(1)} ms`;
  return value < 1e-6 ? "< 1 µs" : `${(value * 1e6).toFixed(0)} µs`;
}

// A duration in whole minutes, or seconds if it is short.
export function minutes(value) {
  return value < 90 ? `${Math.round(value)} s` : `${Math.round(value / 60)} min`;
}

export function whole(value) {
  return value.toLocaleString("en");
}

export function compact(value) {
  return value.toLocaleString("en", { notation: "compact" });
}

export function share(count, total) {
  return total ? percents(`${((100 * count) / total).toFixed(1)} %`) : "–";
}

// 1: more is better, -1: less is better, 0: neither. `metric` is the definition that results.json carries.
export function direction(metric) {
  return { higher: 1, lower: -1 }[metric.better] || 0;
}

export function unitRange(metric) {
  return metric.kind === "rate" || metric.unit === "share";
}

export function when(stamp) {
  return stamp ? stamp.replace("T", " ").replace(/\+00:00$/, " UTC") : t("run.unfinished");
}
