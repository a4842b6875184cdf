// The map of a storey with an agent's way on it, as SVG in metres: x to the right, z down (north of the scan is up).

import { h, svg } from "./dom.js";
import { cells, points } from "./decode.js";
import { reveal } from "./fog.js";
import { runClass } from "./charts.js";
import { t } from "./words.js";

const MARGIN = 1.5;
const NICE = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];

export function storeyOf(height, storeys) {
  let best = 0;
  storeys.forEach((storey, i) => {
    if (Math.abs(storey.height - height) < Math.abs(storeys[best].height - height)) best = i;
  });
  return best;
}

// Early is blue, late is orange, also for those who see no red.
export function timeColour(share) {
  const early = [42, 107, 214],
    middle = [150, 90, 190],
    late = [232, 106, 23];
  const [a, b, u] = share < 0.5 ? [early, middle, 2 * share] : [middle, late, 2 * share - 1];
  return `rgb(${a.map((value, i) => Math.round(value + (b[i] - value) * u)).join(",")})`;
}

// Cells that are set, as one path of rectangles, one per run of cells in a row.
export function cellsPath(bits, grid) {
  const parts = [];
  for (let row = 0; row < grid.rows; row++) {
    let from = -1;
    for (let column = 0; column <= grid.columns; column++) {
      const set = column < grid.columns && bits[row * grid.columns + column];
      if (set && from < 0) from = column;
      else if (!set && from >= 0) {
        parts.push(`M${from} ${row}h${column - from}v1h${from - column}z`);
        from = -1;
      }
    }
  }
  return parts.join("");
}

function gridTransform(grid) {
  return `translate(${grid.origin[0]} ${grid.origin[1]}) scale(${grid.cell})`;
}

export class FloorMap {
  // view: {scene, storey, track, reference, goals, radius, others, hfov, whole, fog, label}
  constructor(view) {
    this.view = view;
    this.grid = view.scene.storeys[view.storey];
    this.level = (point) => storeyOf(point[1], view.scene.storeys) === view.storey;
    this.box = this.bounds();
    this.unit = Math.max(this.box.width, this.box.height) / 100;
    this.moving = svg("g", {});
    this.shade = svg("g", {});
    const { x, z, width, height } = this.box;
    this.element = svg(
      "svg",
      { class: "floor", viewBox: `${x} ${z} ${width} ${height}`, role: "img", "aria-label": view.label },
      this.building(),
      this.shade,
      this.still(),
      this.way(),
      this.moving,
      this.scaleBar(),
    );
    this.show(view.track ? view.track.points.length - 1 : 0);
  }

  bounds() {
    const { view, grid } = this;
    const around = [...(view.track ? view.track.points : []), ...view.reference, ...view.goals].filter((point) =>
      this.level(point),
    );
    const all = [];
    if (grid && grid.kind === "grid") {
      const end = [grid.origin[0] + grid.columns * grid.cell, 0, grid.origin[1] + grid.rows * grid.cell];
      all.push([grid.origin[0], 0, grid.origin[1]], end);
    } else if (grid && grid.kind === "graph") all.push(...points(grid.nodes));
    const chosen = (view.whole || !around.length) && all.length ? all : around.length ? around : [[0, 0, 0]];
    const xs = chosen.map((point) => point[0]),
      zs = chosen.map((point) => point[2]);
    const margin = view.whole ? 0.5 : MARGIN;
    const low = [Math.min(...xs) - margin, Math.min(...zs) - margin],
      high = [Math.max(...xs) + margin, Math.max(...zs) + margin];
    const side = Math.max(4, (high[0] - low[0]) * 0.75, high[1] - low[1]);
    const width = Math.max(side / 0.75, high[0] - low[0]),
      height = side;
    return { x: (low[0] + high[0] - width) / 2, z: (low[1] + high[1] - height) / 2, width, height };
  }

  building() {
    const { grid } = this;
    if (!grid || grid.kind === "none") return svg("g", {});
    if (grid.kind === "graph") return this.graph();
    this.floor = cells(grid.floor, grid.rows * grid.columns);
    const stairs = cells(grid.stairs, grid.rows * grid.columns);
    return svg(
      "g",
      { transform: gridTransform(grid) },
      svg("rect", { class: "walls", x: 0, y: 0, width: grid.columns, height: grid.rows }),
      svg("path", { class: "stairs", d: cellsPath(stairs, grid) }),
      svg("path", { class: "ground", d: cellsPath(this.floor, grid) }),
    );
  }

  graph() {
    const nodes = points(this.grid.nodes);
    this.nodes = nodes;
    const edges = [];
    for (let i = 0; i < this.grid.edges.length; i += 2) {
      const a = nodes[this.grid.edges[i]],
        b = nodes[this.grid.edges[i + 1]];
      edges.push(`M${a[0]} ${a[2]}L${b[0]} ${b[2]}`);
    }
    return svg(
      "g",
      {},
      svg("path", { class: "edges", d: edges.join("") }),
      ...nodes.map((node) => svg("circle", { class: "node", cx: node[0], cy: node[2], r: 0.55 * this.unit })),
    );
  }

  still() {
    const { view, unit } = this;
    const goals = view.goals.filter((goal) => this.level(goal));
    const few = goals.length <= 5 ? goals : [];
    return svg(
      "g",
      {},
      ...few.map((goal) => svg("circle", { class: "radius", cx: goal[0], cy: goal[2], r: view.radius })),
      svg("path", { class: "reference", d: line(view.reference.filter((point) => this.level(point))) }),
      ...view.others.map(({ run, track }) =>
        svg("path", { class: `other ${runClass(run)}`, d: line(track.points.filter((point) => this.level(point))) }),
      ),
      ...goals.map((goal) => star(goal[0], goal[2], (few.length ? 2 : 0.9) * unit)),
    );
  }

  way() {
    const { view } = this;
    if (!view.track) return svg("g", {});
    const { points: path, collided } = view.track;
    const last = Math.max(1, path.length - 1);
    this.parts = [];
    for (let i = 1; i < path.length; i++) {
      if (path[i].every((value, axis) => value === path[i - 1][axis])) continue;
      const here = this.level(path[i]) || this.level(path[i - 1]);
      if (!here) continue;
      const part = svg("line", {
        class: "way",
        x1: path[i - 1][0],
        y1: path[i - 1][2],
        x2: path[i][0],
        y2: path[i][2],
        stroke: timeColour(i / last),
      });
      this.parts.push([i, part]);
    }
    const hits = collided
      .filter((i) => this.level(path[i + 1]))
      .map((i) => svg("circle", { class: "hit", cx: path[i + 1][0], cy: path[i + 1][2], r: 0.45 * this.unit }));
    return svg("g", {}, ...this.parts.map(([, part]) => part), ...hits);
  }

  // Put the agent at step `index`; what lies ahead of it is faint.
  show(index) {
    const { view, unit } = this;
    if (!view.track) return;
    const { points: path, yaws } = view.track;
    for (const [i, part] of this.parts) part.classList.toggle("ahead", i > index);
    const marks = [];
    if (this.level(path[0]))
      marks.push(svg("circle", { class: "start", cx: path[0][0], cy: path[0][2], r: 1.3 * unit }));
    const end = path[path.length - 1];
    const here = path[index];
    if (this.level(here)) {
      const turn = `translate(${here[0]} ${here[2]}) rotate(${-yaws[index]}) scale(${unit})`;
      marks.push(svg("path", { class: "agent", transform: turn, d: "M0 -3L1.8 2L0 1.1L-1.8 2Z" }));
    }
    if (this.level(end)) marks.push(cross(end[0], end[2], unit));
    this.moving.replaceChildren(...marks);
    this.shade.replaceChildren(...(view.fog ? this.fog(index) : []));
  }

  fog(index) {
    const { grid, view } = this;
    if (!grid) return [];
    const { points: path, yaws } = view.track;
    const poses = path
      .slice(0, index + 1)
      .map((point, i) => [point[0], point[2], yaws[i], point])
      .filter((pose) => this.level(pose[3]));
    if (grid.kind === "grid") {
      const seen = reveal(grid, this.floor, new Uint8Array(grid.rows * grid.columns), poses, view.hfov);
      return [
        svg("path", {
          class: "unseen",
          transform: gridTransform(grid),
          d: cellsPath(
            seen.map((bit) => 1 - bit),
            grid,
          ),
        }),
      ];
    }
    if (grid.kind !== "graph") return [];
    const near = (node) => poses.some(([x, z]) => Math.hypot(node[0] - x, node[2] - z) < 3.5);
    return this.nodes
      .filter((node) => !near(node))
      .map((node) => svg("circle", { class: "unseen", cx: node[0], cy: node[2], r: 0.8 * this.unit }));
  }

  close() {}

  // A bar of a round number of metres, about a quarter of the width.
  scaleBar() {
    const { x, z, width, height } = this.box;
    const length = NICE.filter((metres) => metres <= width / 4).pop() || NICE[0];
    const left = x + 2.5 * this.unit,
      low = z + height - 2.5 * this.unit;
    return svg(
      "g",
      { class: "scale", style: { "--unit": this.unit } },
      svg("line", { "data-metres": length, x1: left, x2: left + length, y1: low, y2: low }),
      svg(
        "text",
        { x: left + length / 2, y: low - 1.2 * this.unit, "text-anchor": "middle" },
        t("map.scale", { metres: length }),
      ),
    );
  }
}

function line(path) {
  return path.map((point, i) => `${i ? "L" : "M"}${point[0]} ${point[2]}`).join("");
}

function star(x, z, size) {
  const corners = Array.from({ length: 10 }, (_, i) => {
    const reach = size * (i % 2 ? 0.45 : 1),
      angle = (i * Math.PI) / 5;
    return `${x + reach * Math.sin(angle)} ${z - reach * Math.cos(angle)}`;
  });
  return svg("path", { class: "goal", d: `M${corners.join("L")}Z` });
}

function cross(x, z, size) {
  return svg("path", {
    class: "end",
    d: `M${x - size} ${z - size}L${x + size} ${z + size}M${x + size} ${z - size}L${x - size} ${z + size}`,
  });
}

export function mapLegend(view) {
  const icon = (...parts) => svg("svg", { class: "key wide", viewBox: "0 0 28 14", "aria-hidden": "true" }, ...parts);
  const stop = [0, 0.25, 0.5, 0.75].map((share) =>
    svg("line", { class: "way", x1: 28 * share, x2: 28 * share + 7, y1: 7, y2: 7, stroke: timeColour(share + 0.12) }),
  );
  const kind = view.scene.storeys[view.storey] && view.scene.storeys[view.storey].kind;
  const entries = [
    [icon(...stop), "map.legend.path"],
    [icon(svg("circle", { class: "start", cx: 14, cy: 7, r: 5 })), "map.legend.start"],
    [icon(cross(14, 7, 5)), "map.legend.stop"],
    view.goals.length && [icon(star(14, 7, 7)), "map.legend.goal"],
    view.goals.length &&
      view.goals.length <= 5 && [icon(svg("circle", { class: "radius", cx: 14, cy: 7, r: 6 })), "map.legend.radius"],
    view.reference.length > 1 && [icon(svg("path", { class: "reference", d: "M0 7H28" })), "map.legend.reference"],
    view.track &&
      view.track.collided.length && [
        icon(svg("circle", { class: "hit", cx: 14, cy: 7, r: 3 })),
        "map.legend.collision",
      ],
    view.others.length && [icon(svg("path", { class: "other run-1", d: "M0 7H28" })), "map.legend.others"],
    kind === "grid" && [icon(svg("rect", { class: "ground", x: 2, y: 1, width: 24, height: 12 })), "map.legend.floor"],
    kind === "grid" &&
      view.scene.storeys[view.storey].stairs && [
        icon(svg("rect", { class: "stairs", x: 2, y: 1, width: 24, height: 12 })),
        "map.legend.stairs",
      ],
    kind === "graph" && [
      icon(
        svg("path", { class: "edges", d: "M4 7H24" }),
        svg("circle", { class: "node", cx: 4, cy: 7, r: 3 }),
        svg("circle", { class: "node", cx: 24, cy: 7, r: 3 }),
      ),
      "map.legend.graph",
    ],
  ];
  return h(
    "ul",
    { class: "legend" },
    ...entries.filter(Boolean).map(([picture, word]) => h("li", {}, picture, " ", t(word))),
  );
}
