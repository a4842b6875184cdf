// Charts as SVG, drawn with the page's own colours, so that they follow the theme and the printer.

import { h, svg } from "./dom.js";
import { saved } from "./export.js";
import { compact, fixed, whole } from "./format.js";
import { t } from "./words.js";

export const RUNS = ["run-0", "run-1", "run-2", "run-3", "run-4", "run-5"];

export function runClass(index) {
  return RUNS[index % RUNS.length];
}

// The sign of a run: a shape of its own, for those who do not see its colour.
export function mark(index, x, y, size = 5) {
  const shapes = [
    () => svg("circle", { cx: x, cy: y, r: size }),
    () => svg("rect", { x: x - size, y: y - size, width: 2 * size, height: 2 * size }),
    () => svg("path", { d: `M${x} ${y - size * 1.2}L${x + size * 1.2} ${y + size}H${x - size * 1.2}Z` }),
    () =>
      svg("path", {
        d: `M${x} ${y - size * 1.4}L${x + size * 1.4} ${y}L${x} ${y + size * 1.4}L${x - size * 1.4} ${y}Z`,
      }),
  ];
  const shape = shapes[index % shapes.length]();
  shape.setAttribute("class", `mark ${runClass(index)}`);
  return shape;
}

export function key(index) {
  return svg("svg", { class: "key", viewBox: "0 0 14 14", "aria-hidden": "true" }, mark(index, 7, 7));
}

// Means with their intervals on one line; rows: [[mean, low, high] or null per run], signed from `first` on.
export function whiskers(rows, low, high, first = 0) {
  const width = 220,
    height = 10 + 13 * rows.length;
  const x = (value) => 8 + ((width - 16) * (value - low)) / (high - low || 1);
  const parts = [svg("line", { class: "axis", x1: 8, x2: width - 8, y1: height / 2, y2: height / 2 })];
  rows.forEach((row, i) => {
    if (!row || typeof row[0] !== "number") return;
    const y = 11 + 13 * i;
    if (typeof row[1] === "number")
      parts.push(svg("line", { class: `whisker ${runClass(first + i)}`, x1: x(row[1]), x2: x(row[2]), y1: y, y2: y }));
    parts.push(mark(first + i, x(row[0]), y, 4.5));
  });
  return svg("svg", { class: "whiskers", viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" }, ...parts);
}

// Round numbers from low to high, about `most` of them: 1, 2 or 5 times a power of ten apart.
export function roundTicks(low, high, most = 6) {
  const rough = (high - low) / most || 1,
    power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= rough * 0.999);
  const ticks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++) ticks.push(+(i * step).toPrecision(10));
  return ticks;
}

// A chart as wide as there is room, drawn anew when that changes, with buttons that save it for a paper.
// draw(width) -> SVG whose units are pixels.
export function figure(name, draw) {
  const holder = h("div", { class: "drawing" });
  let shown = 0;
  const fit = () => {
    const width = Math.round(holder.clientWidth);
    if (!width || width === shown) return;
    shown = width;
    holder.replaceChildren(draw(width));
  };
  new ResizeObserver(fit).observe(holder);
  const save = (kind) => h("button", { class: "save", onclick: () => saved(name, kind, draw) }, kind.toUpperCase());
  return h("figure", { class: "figure" }, holder, h("figcaption", {}, t("figure.save"), " ", save("svg"), " ", save("pdf")));
}

const LEGEND = 18;
const EDGE = { left: 62, right: 14, bottom: 46 };

// Axes with titles and round ticks. x, y: {title, ticks: [[place in 0..1, text]]}; returns the SVG's parts and scales.
function axes(width, height, x, y, top = 10) {
  const { left, right, bottom } = EDGE;
  const at = (share) => left + (width - left - right) * share,
    up = (share) => height - bottom - (height - top - bottom) * share;
  const text = (props, words) => svg("text", { class: "tick", ...props }, words);
  const parts = [
    ...y.ticks.flatMap(([share, words]) => [
      svg("line", { class: "grid", x1: left, x2: width - right, y1: up(share), y2: up(share) }),
      text({ x: left - 7, y: up(share) + 4, "text-anchor": "end" }, words),
    ]),
    svg("line", { class: "rule", x1: left, x2: width - right, y1: up(0), y2: up(0) }),
    ...x.ticks.flatMap(([share, words]) => [
      svg("line", { class: "rule", x1: at(share), x2: at(share), y1: up(0), y2: up(0) + (x.bare ? 0 : 5) }),
      text({ x: at(share), y: up(0) + 18, "text-anchor": "middle" }, words),
    ]),
    text({ class: "tick title", x: (left + width - right) / 2, y: height - 8, "text-anchor": "middle" }, x.title),
    text(
      {
        class: "tick title",
        x: 14,
        y: (up(0) + up(1)) / 2,
        "text-anchor": "middle",
        transform: `rotate(-90 14 ${(up(0) + up(1)) / 2})`,
      },
      y.title,
    ),
  ];
  return { parts, at, up };
}

function picture(width, height, label, parts) {
  const size = { width, height, viewBox: `0 0 ${width} ${height}` };
  return svg("svg", { class: "chart", ...size, role: "img", "aria-label": label }, ...parts);
}

function countAxis(most) {
  const ticks = roundTicks(0, most, 4).filter((count) => Number.isInteger(count));
  return { ticks: ticks.map((count) => [count / most, compact(count)]) };
}

// counts: one array per run over the same bins, whose edges grow by equal steps or (log) by equal factors.
export function histogram(width, { edges, counts, label, title, count, tick, log }) {
  const bins = edges.length - 1,
    most = Math.max(1, ...counts.flat());
  const [low, high] = [edges[0], edges[bins]].map((edge) => (log ? Math.log10(edge) : edge));
  const wanted = Math.max(3, Math.floor(width / 90));
  const round = log ? decades(low, high, wanted) : roundTicks(low, high, wanted);
  const ticks = round.map((value) => [((log ? Math.log10(value) : value) - low) / (high - low), tick(value)]);
  const { parts, at, up } = axes(width, 260, { title, ticks }, { ...countAxis(most), title: count });
  counts.forEach((column, run) => {
    const steps = column
      .map((n, i) => `${i ? "L" : "M"}${at(i / bins)} ${up(n / most)}L${at((i + 1) / bins)} ${up(n / most)}`)
      .join("");
    parts.push(svg("path", { class: `area ${runClass(run)}`, d: `${steps}L${at(1)} ${up(0)}L${at(0)} ${up(0)}Z` }));
    parts.push(svg("path", { class: `outline ${runClass(run)}`, d: steps }));
  });
  return picture(width, 260, label, parts);
}

function decades(low, high, most) {
  const all = [];
  for (let k = Math.floor(low); k <= Math.ceil(high); k++) for (const m of [1, 2, 5]) all.push(m * 10 ** k);
  const inside = all.filter((value) => value >= 10 ** low * 0.999 && value <= 10 ** high * 1.001);
  const whole = inside.filter((value) => String(value).replace(/[0.]|e-?\d+/g, "") === "1");
  return inside.length <= most ? inside : whole;
}

// Means with intervals over named groups; rows: [[mean, low, high] or null per run] per group, values from 0 to 1.
export function dots(width, { names, rows, label, title, labels, joined }) {
  const y = { title: "%", ticks: roundTicks(0, 100, 5).map((value) => [value / 100, String(value)]) };
  const place = (i) => (i + 0.5) / names.length;
  const { parts, at, up } = axes(width, 280, { title, bare: true, ticks: names.map((name, i) => [place(i), name]) }, y, 14 + LEGEND * rowsOf(labels, width));
  const runs = Math.max(0, ...rows.map((row) => row.length)),
    gap = Math.min(16, (at(1) - at(0)) / names.length / (runs + 1));
  for (let run = 0; run < runs; run++) {
    const spots = rows.map((row, i) => row[run] && [at(place(i)) + gap * (run - (runs - 1) / 2), row[run]]).filter(Boolean);
    const seen = spots.filter(([, [mean]]) => typeof mean === "number");
    if (joined && seen.length > 1) {
      const d = seen.map(([x, [mean]], i) => `${i ? "L" : "M"}${x} ${up(mean)}`).join("");
      parts.push(svg("path", { class: `outline thin ${runClass(run)}`, d }));
    }
    for (const [x, [mean, low, high]] of seen) {
      const about = { class: `whisker ${runClass(run)}`, x1: x, x2: x, y1: up(low), y2: up(high) };
      if (typeof low === "number") parts.push(svg("line", about));
      const sign = mark(run, x, up(mean), 5);
      sign.append(svg("title", {}, `${labels[run]}: ${(100 * mean).toFixed(1)}`));
      parts.push(sign);
    }
  }
  return picture(width, 280, label, [...legendRows(labels, width), ...parts]);
}

// Names of the runs above a chart, in as many rows as they need; none for one run.
function legendRows(labels, width) {
  if (labels.length < 2) return [];
  const each = perRow(labels, width);
  return labels.flatMap((name, run) => {
    const x = EDGE.left + 6 + ((width - EDGE.left) * (run % each)) / each,
      y = 9 + LEGEND * Math.floor(run / each);
    return [mark(run, x, y, 5), svg("text", { class: "tick", x: x + 12, y: y + 4 }, name)];
  });
}

function perRow(labels, width) {
  const longest = Math.max(...labels.map((name) => name.length));
  return Math.max(1, Math.min(labels.length, Math.floor((width - EDGE.left) / (30 + 7 * longest))));
}

function rowsOf(labels, width) {
  return labels.length < 2 ? 0 : Math.ceil(labels.length / perRow(labels, width));
}

// One bar per run, cut into named parts; rows: [[name, count, words]].
export function stacked(width, rows, labels, label) {
  const tall = 26,
    pitch = tall + 26;
  const bars = rows.flatMap((parts, row) => {
    const total = parts.reduce((sum, [, count]) => sum + count, 0) || 1,
      top = row * pitch + 18;
    let at = 0;
    const pieces = parts.flatMap(([name, count, text]) => {
      const from = (width * at) / total,
        span = (width * count) / total;
      at += count;
      const middle = { x: from + span / 2, y: top + tall / 2 + 5, "text-anchor": "middle" };
      const bar = { class: `outcome ${name}`, x: from, y: top, width: Math.max(0.5, span - 1), height: tall };
      return [
        svg("rect", bar, svg("title", {}, `${text}: ${whole(count)}`)),
        span > 46 && svg("text", { class: "inside", ...middle }, `${fixed((100 * count) / total, 0)} %`),
      ].filter(Boolean);
    });
    return [mark(row, 7, top - 9, 5), svg("text", { class: "tick", x: 20, y: top - 5 }, labels[row]), ...pieces];
  });
  return picture(width, rows.length * pitch, label, bars);
}
