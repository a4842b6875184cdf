// Charts as SVG, drawn with the page's own colours, so that they follow the theme and the printer.

import { h, svg } from "./dom.js";
import { saved } from "./export.js";
import { compact, fixed, whole } from "./format.js";
import { FAMILY, lengthOf, ROW, shortened, SIZE, wrapped } from "./lettering.js";
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

const PLOT = 200;
const RIM = 4;
const SIGN = 20;
const GAP = 6;
const DASHES = [null, "6 3", "2 2.5", "8 3 2 3"];

// The sign of a run whose figures are a line: its colour, and dashes of its own.
function stroke(index, props) {
  return svg("path", { class: `outline ${runClass(index)}`, "stroke-dasharray": DASHES[index % DASHES.length], ...props });
}

function sample(index, x, y) {
  return stroke(index, { d: `M${x - 8} ${y}L${x + 8} ${y}` });
}

function lettered(lines, x, y, props) {
  return lines.map((line, i) => svg("text", { class: "tick", x, y: y + ROW * i, ...props }, line));
}

// Names beside their signs, in as many columns as fit and as many lines as they need. sign(index, x, y) draws one.
function legend(names, width, sign) {
  const texts = names.map((name) => wrapped(name, width - SIGN - 2 * RIM));
  const pitch = SIGN + 2 * GAP + Math.max(...texts.flat().map((line) => lengthOf(line)));
  const columns = Math.max(1, Math.min(names.length, Math.floor((width + GAP) / pitch)));
  const parts = [];
  let height = 0;
  for (let first = 0; first < names.length; first += columns) {
    const row = texts.slice(first, first + columns);
    row.forEach((lines, i) => {
      const x = RIM + pitch * i;
      parts.push(sign(first + i, x + SIGN / 2 - 2, height + ROW / 2), ...lettered(lines, x + SIGN, height + ROW - 4));
    });
    height += ROW * Math.max(...row.map((lines) => lines.length));
  }
  return { parts, height };
}

// The first choice of ticks whose words stand side by side inside the drawing; null where none does.
function level(choices, at, width) {
  const apart = (ticks) => {
    let end = RIM - GAP;
    return ticks.every(([share, words]) => {
      const half = Math.max(...words.split("\n").map((line) => lengthOf(line))) / 2,
        from = at(share) - half;
      const free = from >= end + GAP;
      end = at(share) + half;
      return free && end <= width - RIM;
    });
  };
  return choices.find((ticks) => ticks.length && apart(ticks)) ?? null;
}

// Words below an axis, each under its tick: level where they fit, else turned. Returns their parts and height.
function tickWords(choices, at, width, y) {
  const ticks = level(choices, at, width);
  if (ticks) {
    const rows = Math.max(...ticks.map(([, words]) => words.split("\n").length));
    const parts = ticks.flatMap(([share, words]) => lettered(words.split("\n"), at(share), y + 18, { "text-anchor": "middle" }));
    return { ticks, parts, height: 8 + ROW * rows };
  }
  const turned = choices.at(-1).map(([share, words]) => [share, shortened(words.replace("\n", " "), PLOT)]);
  const parts = turned.map(([share, words]) => upright(words, at(share) + SIZE / 2 - 2, y + 9, "end"));
  return { ticks: turned, parts, height: 12 + Math.max(...turned.map(([, words]) => lengthOf(words))) };
}

function upright(words, x, y, anchor, kind = "tick") {
  return svg("text", { class: kind, x, y, "text-anchor": anchor, transform: `rotate(-90 ${x} ${y})` }, words);
}

// Axes below `top` with titles and round ticks. x: {title, choices: lists of [place in 0..1, words]}, of which the first
// that fits is drawn; y: {title, ticks}. Returns the SVG's parts, scales and the height of all.
function axes(width, top, x, y) {
  const beside = wrapped(y.title, PLOT);
  const left = RIM + ROW * beside.length + GAP + Math.max(...y.ticks.map(([, words]) => lengthOf(words))) + 7,
    right = width - (x.bare ? 14 : 28);
  const at = (share) => left + (right - left) * share,
    up = (share) => top + PLOT * (1 - share);
  const { ticks, parts: words, height } = tickWords(x.choices, at, width, up(0));
  const below = wrapped(x.title, width - 2 * RIM),
    half = Math.max(...below.map((line) => lengthOf(line))) / 2;
  const middle = Math.min(Math.max((left + right) / 2, RIM + half), width - RIM - half);
  const parts = [
    ...y.ticks.flatMap(([share, text]) => [
      svg("line", { class: "grid", x1: left, x2: right, y1: up(share), y2: up(share) }),
      ...lettered([text], left - 7, up(share) + 4, { "text-anchor": "end" }),
    ]),
    svg("line", { class: "rule", x1: left, x2: right, y1: up(0), y2: up(0) }),
    ...(x.bare ? [] : ticks.map(([share]) => svg("line", { class: "rule", x1: at(share), x2: at(share), y1: up(0), y2: up(0) + 5 }))),
    ...words,
    ...lettered(below, middle, up(0) + height + ROW, { class: "tick title", "text-anchor": "middle" }),
    ...beside.map((line, i) => upright(line, RIM + SIZE + ROW * i, (up(0) + up(1)) / 2, "middle", "tick title")),
  ];
  return { parts, at, up, height: up(0) + height + ROW * below.length + GAP };
}

function picture(width, height, label, parts) {
  const size = { width, height, viewBox: `0 0 ${width} ${height}` };
  return svg("svg", { class: "chart", ...size, "font-family": FAMILY, role: "img", "aria-label": label }, ...parts);
}

function countAxis(most) {
  const ticks = roundTicks(0, most, 4).filter((count) => Number.isInteger(count));
  return { ticks: ticks.map((count) => [count / most, compact(count)]) };
}

// counts: one array per run over the same bins, whose edges grow by equal steps or (log) by equal factors.
export function histogram(width, { edges, counts, labels, label, title, count, tick, log }) {
  const bins = edges.length - 1,
    most = Math.max(1, ...counts.flat());
  const [low, high] = [edges[0], edges[bins]].map((edge) => (log ? Math.log10(edge) : edge));
  const place = (value) => ((log ? Math.log10(value) : value) - low) / (high - low);
  const choices = (log ? decades(low, high) : [8, 6, 5, 4, 3, 2, 1].map((wanted) => roundTicks(low, high, wanted))).map((values) =>
    values.map((value) => [place(value), tick(value)]),
  );
  const names = legend(labels, width, sample);
  const { parts, at, up, height } = axes(width, names.height + GAP + 4, { title, choices }, { ...countAxis(most), title: count });
  counts.forEach((column, run) => {
    const steps = column
      .map((n, i) => `${i ? "L" : "M"}${at(i / bins)} ${up(n / most)}L${at((i + 1) / bins)} ${up(n / most)}`)
      .join("");
    parts.push(svg("path", { class: `area ${runClass(run)}`, d: `${steps}L${at(1)} ${up(0)}L${at(0)} ${up(0)}Z` }));
    parts.push(stroke(run, { d: steps }));
  });
  return picture(width, height, label, [...names.parts, ...parts]);
}

// Choices of ticks between two powers of ten, the densest first: 1, 2 and 5 of each decade, decades, every second, ...
// and round numbers where that leaves less than two.
function decades(low, high) {
  const powers = Array.from({ length: Math.ceil(high) - Math.floor(low) + 1 }, (_, i) => Math.floor(low) + i);
  const inside = (values) => values.filter((value) => value >= 10 ** low * 0.999 && value <= 10 ** high * 1.001);
  const every = [1, 2, 3, 4].map((step) => powers.filter((power) => power % step === 0).map((power) => 10 ** power));
  const choices = [powers.flatMap((power) => [1, 2, 5].map((factor) => +`${factor}e${power}`)), ...every].map(inside);
  return [...choices.filter((ticks) => ticks.length > 1), ...[4, 2, 1].map((wanted) => roundTicks(10 ** low, 10 ** high, wanted))];
}

// Means with intervals over named groups; rows: [[mean, low, high] or null per run] per group, values from 0 to 1.
export function dots(width, { names, rows, label, title, labels, joined }) {
  const y = { title: "%", ticks: roundTicks(0, 100, 5).map((value) => [value / 100, String(value)]) };
  const place = (i) => (i + 0.5) / names.length;
  const agents = legend(labels, width, (run, x, y) => mark(run, x, y, 5));
  const x = { title, bare: true, choices: [names.map((name, i) => [place(i), name])] };
  const { parts, at, up, height } = axes(width, agents.height + 2 * GAP, x, y);
  const runs = labels.length,
    gap = Math.min(16, (at(1) - at(0)) / names.length / (runs + 1)),
    size = Math.max(2, Math.min(5, 0.6 * gap));
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
      const sign = mark(run, x, up(mean), size);
      sign.append(svg("title", {}, `${labels[run]}: ${(100 * mean).toFixed(1)}`));
      parts.push(sign);
    }
  }
  return picture(width, height, label, [...agents.parts, ...parts]);
}

// One sign per run: points: [x, y] or null per run, x from 0 on, y from 0 to 1.
export function scatter(width, { points, labels, title, label, tick }) {
  const most = 1.05 * Math.max(...points.filter(Boolean).map(([x]) => x));
  const choices = [6, 5, 4, 3, 2].map((wanted) => roundTicks(0, most, wanted).map((value) => [value / most, tick(value)]));
  const y = { title: t("usage.axis.success"), ticks: roundTicks(0, 100, 5).map((value) => [value / 100, String(value)]) };
  const agents = legend(labels, width, (run, x, y) => mark(run, x, y, 5));
  const { parts, at, up, height } = axes(width, agents.height + 2 * GAP, { title, choices }, y);
  const signs = points.map((point, run) => point && typeof point[1] === "number" && mark(run, at(point[0] / most), up(point[1]), 5));
  return picture(width, height, label, [...agents.parts, ...parts, ...signs.filter(Boolean)]);
}

// One bar per run, cut into named parts that the legend tells; rows: [[name, count]], words: name -> what it is called.
export function stacked(width, rows, words, labels, label) {
  const tall = 26;
  const names = Object.keys(words);
  const swatch = (i, x, y) => svg("rect", { class: `outcome ${names[i]}`, x: x - 5, y: y - 5, width: 10, height: 10 });
  const { parts, height } = legend(Object.values(words), width, swatch);
  let top = height + GAP;
  rows.forEach((pieces, row) => {
    const lines = wrapped(labels[row], width - SIGN - 2 * RIM);
    parts.push(mark(row, RIM + 5, top + ROW / 2, 5), ...lettered(lines, RIM + SIGN, top + ROW - 4));
    top += ROW * lines.length + 2;
    parts.push(...bar(width, top, tall, pieces, words));
    top += tall + GAP;
  });
  return picture(width, top, label, parts);
}

function bar(width, top, tall, pieces, words) {
  const total = pieces.reduce((sum, [, count]) => sum + count, 0) || 1;
  let at = 0;
  return pieces.flatMap(([name, count]) => {
    const from = (width * at) / total,
      span = (width * count) / total,
      share = `${fixed((100 * count) / total, 0)} %`;
    at += count;
    const box = { class: `outcome ${name}`, x: from, y: top, width: Math.max(0.5, span - 1), height: tall };
    const middle = { class: "inside", x: from + span / 2, y: top + tall / 2 + 5, "text-anchor": "middle" };
    return [
      svg("rect", box, svg("title", {}, `${words[name]}: ${whole(count)}`)),
      ...(span > lengthOf(share, 13, 600) + GAP ? [svg("text", middle, share)] : []),
    ];
  });
}
