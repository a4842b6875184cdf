// The map of a storey with an agent's way on it, as SVG in metres: x to the right, z down (north of the scan is up).

import { h, svg } from "./dom.js";
import { cells, points } from "./decode.js";
import { reveal } from "./fog.js";
import { runClass } from "./charts.js";
import { drawnPlan } from "./plan.js";
import { t } from "./words.js";

const MARGIN = 1;
const FEW_GOALS = 5;
const TALL = 1.25;
const FLAT = 2;
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
  // view: {scene, storey, track, reference, goals, radius, others, hfov, whole, fog, label, ends: [{point, outcome, label, pick}]}
  constructor(view) {
    this.view = view;
    this.grid = view.scene.storeys[view.storey];
    this.level = (point) => storeyOf(point[1], view.scene.storeys) === view.storey;
    this.box = this.bounds();
    this.unit = Math.max(this.box.width, this.box.height) / (view.small ? 45 : 100);
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
    const around = [...(view.track ? view.track.points : []), ...view.reference];
    for (const [x, y, z] of view.goals) {
      const reach = view.goals.length <= FEW_GOALS ? view.radius : 0;
      around.push([x - reach, y, z - reach], [x + reach, y, z + reach]);
    }
    const storey = corners(grid);
    const chosen = [...(view.whole || !around.length ? storey : []), ...around];
    if (!chosen.length) chosen.push([0, 0, 0]);
    const xs = chosen.map((point) => point[0]),
      zs = chosen.map((point) => point[2]);
    const spread = Math.max(Math.max(...xs) - Math.min(...xs), Math.max(...zs) - Math.min(...zs));
    const margin = view.small
      ? Math.max(MARGIN, 0.1 * spread)
      : view.whole && grid && grid.kind === "grid"
        ? 0.4
        : MARGIN;
    const low = [Math.min(...xs) - margin, Math.min(...zs) - margin],
      high = [Math.max(...xs) + margin, Math.max(...zs) + margin];
    const width = Math.max(4, high[0] - low[0], (high[1] - low[1]) / TALL),
      height = Math.max(3, high[1] - low[1], width / FLAT);
    return { x: (low[0] + high[0] - width) / 2, z: (low[1] + high[1] - height) / 2, width, height };
  }

  building() {
    const { grid } = this;
    if (!grid || grid.kind === "none") return svg("g", {});
    if (grid.kind === "graph") return this.graph();
    this.floor = cells(grid.floor, grid.rows * grid.columns);
    if (grid.plan) return drawnPlan(grid.plan, this.unit);
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

  // What lies below the way: success circles, the reference as a broad band, other agents.
  still() {
    const { view } = this;
    const goals = view.goals.length <= FEW_GOALS ? view.goals.filter((goal) => this.level(goal)) : [];
    return svg(
      "g",
      {},
      ...goals.map((goal) => svg("circle", { class: "radius", cx: goal[0], cy: goal[2], r: view.radius })),
      ...this.lines(view.reference, "reference"),
      ...view.others.flatMap(({ run, track }) => this.lines(track.points, `other ${runClass(run)}`)),
      ...view.ends.filter(({ point }) => this.level(point)).map((end) => this.ended(end)),
    );
  }

  // A line on this storey, and what of it lies on others, faint, with a sign where it leaves.
  lines(path, name) {
    const here = [],
      elsewhere = [],
      signs = [];
    for (let i = 1; i < path.length; i++) {
      const [a, b] = [path[i - 1], path[i]],
        on = this.level(a) || this.level(b);
      (on ? here : elsewhere).push(`M${a[0]} ${a[2]}L${b[0]} ${b[2]}`);
      if (this.level(a) && !this.level(b)) signs.push(this.sign(b[1] > a[1] ? "▲" : "▼", b));
    }
    return [
      elsewhere.length && svg("path", { class: `${name} elsewhere`, d: elsewhere.join("") }),
      svg("path", { class: name, d: name === "reference" ? line(path.filter((p) => this.level(p))) : here.join("") }),
      ...signs,
    ];
  }

  sign(text, [x, , z]) {
    return svg("text", { class: "sign", x, y: z, style: { "font-size": `${2.6 * this.unit}px` } }, text);
  }

  ended({ point, outcome, label, pick }) {
    const dot = svg("circle", { class: `outcome ${outcome}`, cx: point[0], cy: point[2], r: 1.1 * this.unit });
    return svg("g", { class: "ended", onclick: pick }, dot, svg("title", {}, label));
  }

  way() {
    const { view } = this;
    this.parts = [];
    if (!view.track) return svg("g", {});
    const { points: path, collided } = view.track;
    const last = Math.max(1, path.length - 1);
    for (let i = 1; i < path.length; i++) {
      if (path[i].every((value, axis) => value === path[i - 1][axis])) continue;
      const here = this.level(path[i]) || this.level(path[i - 1]);
      const ends = { x1: path[i - 1][0], y1: path[i - 1][2], x2: path[i][0], y2: path[i][2] };
      const part = svg("line", { class: here ? "way" : "way elsewhere", ...ends, stroke: timeColour(i / last) });
      this.parts.push([i, part]);
    }
    const hits = collided
      .filter((i) => this.level(path[i + 1]))
      .map((i) => svg("circle", { class: "hit", cx: path[i + 1][0], cy: path[i + 1][2], r: 0.45 * this.unit }));
    return svg("g", {}, ...this.parts.map(([, part]) => part), ...hits);
  }

  // Put the agent at step `index`; what lies ahead of it is faint. The agent is a ring, so that a goal shows in it.
  show(index) {
    const { view, unit } = this;
    const marks = [];
    if (view.track) {
      const { points: path, yaws } = view.track,
        end = path[path.length - 1],
        here = path[index];
      for (const [i, part] of this.parts) part.classList.toggle("ahead", i > index);
      if (this.level(path[0]))
        marks.push(svg("circle", { class: "start", cx: path[0][0], cy: path[0][2], r: 1.1 * unit }));
      for (const way of view.track.people)
        if (way[index] && this.level(way[index]))
          marks.push(svg("circle", { class: "person", cx: way[index][0], cy: way[index][2], r: 0.25 }));
      marks.push(agent(here, yaws[index], unit, view.hfov, this.level(here)));
      if (this.level(end)) marks.push(cross(end[0], end[2], unit));
      this.shade.replaceChildren(...(view.fog ? this.fog(index) : []));
    }
    this.moving.replaceChildren(...marks, ...this.goals());
  }

  goals() {
    const { view, unit } = this;
    const size = (view.goals.length <= FEW_GOALS ? 1.5 : 0.8) * unit;
    return view.goals.map((goal) => star(goal[0], goal[2], size, this.level(goal) ? "goal" : "goal elsewhere"));
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

// The corners of what a storey holds, points in metres.
export function corners(grid) {
  if (!grid || grid.kind === "none") return [];
  if (grid.kind === "graph") return points(grid.nodes);
  const [x, z] = grid.origin;
  if (!grid.plan || !grid.plan.boxes)
    return [
      [x, 0, z],
      [x + grid.columns * grid.cell, 0, z + grid.rows * grid.cell],
    ];
  return grid.plan.rooms.flatMap(([, left, top, right, bottom]) => [
    [left / 100, 0, top / 100],
    [right / 100, 0, bottom / 100],
  ]);
}

function agent([x, , z], yaw, unit, hfov, here) {
  const half = (Math.min(hfov, 170) * Math.PI) / 360,
    reach = 9;
  const [dx, dy] = [reach * Math.sin(half), -reach * Math.cos(half)];
  return svg(
    "g",
    {
      class: here ? "agent" : "agent elsewhere",
      transform: `translate(${x} ${z}) rotate(${-yaw}) scale(${unit})`,
    },
    svg("path", { class: "sight", d: `M0 0L${-dx} ${dy}A${reach} ${reach} 0 0 1 ${dx} ${dy}Z` }),
    svg("circle", { class: "ring", r: 1.9 }),
    svg("path", { class: "nose", d: "M0 -4L1.2 -2.1H-1.2Z" }),
  );
}

function star(x, z, size, name = "goal") {
  const corners = Array.from({ length: 10 }, (_, i) => {
    const reach = size * (i % 2 ? 0.45 : 1),
      angle = (i * Math.PI) / 5;
    return `${x + reach * Math.sin(angle)} ${z - reach * Math.cos(angle)}`;
  });
  return svg("path", { class: name, d: `M${corners.join("L")}Z` });
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
  const grid = view.scene.storeys[view.storey] || {};
  const entries = [
    [icon(...stop), "map.legend.path"],
    view.reference.length > 1 && [icon(svg("path", { class: "reference", d: "M0 7H28" })), "map.legend.reference"],
    [icon(svg("circle", { class: "start", cx: 14, cy: 7, r: 5 })), "map.legend.start"],
    [icon(agent([14, 0, 9], 0, 2, 0, true)), "map.legend.agent"],
    [icon(cross(14, 7, 5)), "map.legend.stop"],
    view.goals.length && [icon(star(14, 7, 7)), "map.legend.goal"],
    view.goals.length &&
      view.goals.length <= FEW_GOALS && [icon(svg("circle", { class: "radius", cx: 14, cy: 7, r: 6 })), "map.legend.radius"],
    view.track &&
      view.track.collided.length && [
        icon(svg("circle", { class: "hit", cx: 14, cy: 7, r: 3 })),
        "map.legend.collision",
      ],
    view.track &&
      view.track.people.length && [icon(svg("circle", { class: "person", cx: 14, cy: 7, r: 5 })), "map.legend.people"],
    view.others.length && [icon(svg("path", { class: "other run-1", d: "M0 7H28" })), "map.legend.others"],
    (grid.plan ? !grid.plan.boxes && grid.plan.stairs.length : grid.stairs) && [
      icon(svg("rect", { class: "stairs", x: 2, y: 1, width: 24, height: 12 })),
      "map.legend.stairs",
    ],
    grid.kind === "graph" && [
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
