// Numbers as text. In files nothing is rounded; in tables there are four decimals.

import { t } from "./words.js";

export function fixed(value, digits = 4) {
  if (value === null || value === undefined) return "–";
  if (value === "inf") return "∞";
  return value.toFixed(digits);
}

export function percent(value, digits = 1) {
  return typeof value === "number" ? `${(100 * value).toFixed(digits)} %` : fixed(value);
}

export function signed(value, digits = 4) {
  if (typeof value !== "number") return fixed(value);
  return (value > 0 ? "+" : value < 0 ? "−" : "±") + Math.abs(value).toFixed(digits);
}

export function metres(value, digits = 2) {
  return typeof value === "number" ? `${value.toFixed(digits)} m` : fixed(value);
}

export function range(pair, digits = 4) {
  return pair && pair[0] !== null ? `[${fixed(pair[0], digits)}, ${fixed(pair[1], digits)}]` : "–";
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

export function whole(value) {
  return value.toLocaleString("en");
}

export function compact(value) {
  return value.toLocaleString("en", { notation: "compact" });
}

export function share(count, total) {
  return total ? `${((100 * count) / total).toFixed(1)} %` : "–";
}

const BETTER = {
  success: 1,
  spl: 1,
  soft_spl: 1,
  oracle_success: 1,
  oracle_path_success: 1,
  ndtw: 1,
  sdtw: 1,
  cls: 1,
  path_coverage: 1,
  waypoint_coverage: 1,
  coverage: 1,
  goal_progress: 1,
  navigation_error: -1,
  navigation_error_euclidean: -1,
  oracle_navigation_error: -1,
  distance_to_goal: -1,
  dtw: -1,
  collisions: -1,
  collision_rate: -1,
  agent_latency: -1,
  agent_latency_p95: -1,
};

// 1: more is better, -1: less is better, 0: neither.
export function direction(metric) {
  return BETTER[metric] || 0;
}

export function unitRange(metric) {
  const shares = ["success", "spl", "soft_spl", "oracle_success", "ndtw", "sdtw", "cls", "path_coverage"];
  return shares.includes(metric) || metric.endsWith("coverage") || metric.endsWith("success");
}

export function when(stamp) {
  return stamp ? stamp.replace("T", " ").replace(/\+00:00$/, " UTC") : t("run.unfinished");
}
