// Charts as SVG, drawn with the page's own colours, so that they follow the theme and the printer.

import { svg } from "./dom.js";
import { compact, fixed, whole } from "./format.js";

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

// Means with their intervals on one line; rows: [[mean, low, high] or null per run].
export function whiskers(rows, low, high) {
  const width = 220,
    height = 10 + 13 * rows.length;
  const x = (value) => 8 + ((width - 16) * (value - low)) / (high - low || 1);
  const parts = [svg("line", { class: "axis", x1: 8, x2: width - 8, y1: height / 2, y2: height / 2 })];
  rows.forEach((row, i) => {
    if (!row || typeof row[0] !== "number") return;
    const y = 11 + 13 * i;
    if (typeof row[1] === "number")
      parts.push(svg("line", { class: `whisker ${runClass(i)}`, x1: x(row[1]), x2: x(row[2]), y1: y, y2: y }));
    parts.push(mark(i, x(row[0]), y, 4.5));
  });
  return svg("svg", { class: "whiskers", viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" }, ...parts);
}

// counts: one array per run over the same bins; `tick` makes a bin edge into text.
export function histogram(edges, counts, label, tick) {
  const width = 640,
    height = 240,
    left = 60,
    bottom = 34,
    top = 8;
  const bins = edges.length - 1;
  const most = Math.max(1, ...counts.flat());
  const x = (i) => left + ((width - left - 8) * i) / bins;
  const y = (count) => top + (height - top - bottom) * (1 - count / most);
  const parts = [];
  for (const at of [0, 0.5, 1]) {
    const count = Math.round(most * at);
    parts.push(svg("line", { class: "grid", x1: left, x2: width - 8, y1: y(count), y2: y(count) }));
    parts.push(svg("text", { class: "tick", x: left - 6, y: y(count) + 4, "text-anchor": "end" }, compact(count)));
  }
  counts.forEach((column, run) => {
    const steps = column.map((count, i) => `${i ? "L" : "M"}${x(i)} ${y(count)}L${x(i + 1)} ${y(count)}`).join("");
    parts.push(svg("path", { class: `area ${runClass(run)}`, d: `${steps}L${x(bins)} ${y(0)}L${x(0)} ${y(0)}Z` }));
    parts.push(svg("path", { class: `outline ${runClass(run)}`, d: steps }));
  });
  const every = Math.ceil(bins / 5);
  for (let i = 0; i <= bins; i += every)
    parts.push(
      svg(
        "text",
        { class: "tick", x: x(i), y: height - bottom + 16, "text-anchor": i > bins - every / 2 ? "end" : "middle" },
        tick(edges[i]),
      ),
    );
  return svg("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label }, ...parts);
}

// One bar per run, cut into named parts; parts: [[name, count]].
export function stacked(rows, label) {
  const width = 640,
    tall = 26;
  const bars = rows.map((parts, row) => {
    const total = parts.reduce((sum, [, count]) => sum + count, 0) || 1;
    let at = 0;
    return parts.map(([name, count, text]) => {
      const from = (width * at) / total;
      at += count;
      const span = (width * count) / total;
      return svg(
        "g",
        {},
        svg(
          "rect",
          { class: `outcome ${name}`, x: from, y: row * (tall + 8), width: Math.max(0.5, span - 1), height: tall },
          svg("title", {}, `${text}: ${whole(count)}`),
        ),
        span > 46 &&
          svg(
            "text",
            {
              class: `inside ${name}`,
              x: from + span / 2,
              y: row * (tall + 8) + tall / 2,
              "dominant-baseline": "central",
              "text-anchor": "middle",
            },
            `${fixed((100 * count) / total, 0)} %`,
          ),
      );
    });
  });
  const height = rows.length * (tall + 8);
  return svg(
    "svg",
    { class: "chart bars", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label },
    ...bars,
  );
}
