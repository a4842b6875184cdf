// Asks Recast and Detour, compiled to WebAssembly, what Habitat would ask them; see README.md.
//
//     node tests/recorded/record.mjs FOLDER_WITH_NODE_MODULES
//
// Habitat's rules round Detour (how a point is snapped, when a step is refused, what a follower prefers) are written
// here after facebookresearch/habitat-sim, src/esp/nav/PathFinder.cpp and GreedyFollower.cpp (MIT), on their own:
// nothing here was made from nav_eval's code. Every operation on positions is rounded to float32, as theirs is.

import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const packages = resolve(process.argv[2] ?? ".", "node_modules");
const load = (name) => import(pathToFileURL(join(packages, name)).href);
const R = await load("recast-navigation/index.mjs");
await R.init();
const { Raw } = R;

const f = Math.fround;
const SUCCESS = 0x40000000;
const NOWHERE = [NaN, NaN, NaN];

// NavMeshSettings' defaults, in the order of a .navmesh file
const SETTINGS = {
  cell_size: 0.05, cell_height: 0.2, agent_height: 1.5, agent_radius: 0.1, agent_max_climb: 0.2,
  agent_max_slope: 45, region_min_size: 20, region_merge_size: 20, edge_max_len: 12, edge_max_error: 1.3,
  verts_per_poly: 6, detail_sample_dist: 6, detail_sample_max_error: 1,
};
const FILTERS = {
  filter_low_hanging_obstacles: true, filter_ledge_spans: true, filter_walkable_low_height_spans: true,
  include_static_objects: false,
};

// ---- vectors of float32

const minus = (a, b) => a.map((x, i) => f(x - b[i]));
const dot = (a, b) => f(f(f(a[0] * b[0]) + f(a[1] * b[1])) + f(a[2] * b[2]));
const size = (a) => f(Math.sqrt(dot(a, a)));
const single = (a) => a.map(f);

// ---- numbers by chance (mulberry32), and JSON with NaN and Infinity

function chance(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

function number(x) {
  if (!Number.isFinite(x)) return String(x);
  const short = String(Number(x.toPrecision(9)));
  return f(Number(short)) === x ? short : String(x);
}

function text(value) {
  if (typeof value === "number") return number(value);
  if (Array.isArray(value)) return `[${value.map(text).join(",")}]`;
  if (value !== null && typeof value === "object") {
    const lines = Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}:${text(one)}`);
    return `{${lines.join(",\n")}}`;
  }
  return JSON.stringify(value);
}

// ---- a scene: the triangles of a .glb without transforms, node by node

function triangles(path) {
  const file = readFileSync(path);
  const length = file.readUInt32LE(12);
  const document = JSON.parse(file.subarray(20, 20 + length).toString());
  const binary = file.subarray(20 + length + 8);
  const positions = [], indices = [];
  for (const node of document.scenes[0].nodes) {
    for (const part of document.meshes[document.nodes[node].mesh].primitives) {
      const first = positions.length / 3;
      positions.push(...values(document, binary, part.attributes.POSITION));
      indices.push(...values(document, binary, part.indices).map((i) => first + i));
    }
  }
  return { positions, indices };
}

function values(document, binary, which) {
  const { bufferView, count, componentType, type } = document.accessors[which];
  const start = document.bufferViews[bufferView].byteOffset ?? 0;
  const read = { 5126: (at) => binary.readFloatLE(start + 4 * at), 5123: (at) => binary.readUInt16LE(start + 2 * at) };
  return Array.from({ length: count * (type === "VEC3" ? 3 : 1) }, (_, at) => read[componentType](at));
}

// ---- PathFinder::build

function built({ positions, indices }) {
  const bs = Object.fromEntries(Object.entries(SETTINGS).map(([key, value]) => [key, f(value)]));
  const low = [0, 1, 2].map((k) => positions.filter((_, i) => i % 3 === k).reduce((a, b) => Math.min(a, b)));
  const high = [0, 1, 2].map((k) => positions.filter((_, i) => i % 3 === k).reduce((a, b) => Math.max(a, b)));
  const context = new R.RecastBuildContext();
  const climb = Math.floor(f(bs.agent_max_climb / bs.cell_height));
  const height = Math.ceil(f(bs.agent_height / bs.cell_height));
  const corners = new R.VerticesArray(), faces = new R.TrianglesArray(), areas = new R.TriangleAreasArray();
  corners.copy(positions);
  faces.copy(indices);
  areas.resize(indices.length / 3);
  const grid = R.calcGridSize(low, high, bs.cell_size);
  const solid = R.allocHeightfield(), open = R.allocCompactHeightfield();
  const check = (ok, what) => { if (!ok) throw new Error(`Recast: ${what}`); };
  check(R.createHeightfield(context, solid, grid.width, grid.height, low, high, bs.cell_size, bs.cell_height), "grid");
  const [nv, nt] = [positions.length / 3, indices.length / 3];
  R.markWalkableTriangles(context, bs.agent_max_slope, corners, nv, faces, nt, areas);
  check(R.rasterizeTriangles(context, corners, nv, faces, areas, nt, solid, climb), "triangles");
  R.filterLowHangingWalkableObstacles(context, climb, solid);
  R.filterLedgeSpans(context, height, climb, solid);
  R.filterWalkableLowHeightSpans(context, height, solid);
  check(R.buildCompactHeightfield(context, height, climb, solid, open), "floors");
  check(R.erodeWalkableArea(context, Math.ceil(f(bs.agent_radius / bs.cell_size)), open), "erosion");
  check(R.buildDistanceField(context, open), "distances");
  check(R.buildRegions(context, open, 0, bs.region_min_size ** 2, bs.region_merge_size ** 2), "regions");
  const outlines = R.allocContourSet(), mesh = R.allocPolyMesh(), detail = R.allocPolyMeshDetail();
  const longest = Math.trunc(f(bs.edge_max_len / bs.cell_size));
  const walls = R.Recast.RC_CONTOUR_TESS_WALL_EDGES;
  check(R.buildContours(context, open, bs.edge_max_error, longest, outlines, walls), "contours");
  check(R.buildPolyMesh(context, outlines, bs.verts_per_poly, mesh), "polygons");
  const spacing = f(bs.cell_size * bs.detail_sample_dist);
  const error = f(bs.cell_height * bs.detail_sample_max_error);
  check(R.buildPolyMeshDetail(context, mesh, open, spacing, error, detail), "details");
  for (let i = 0; i < mesh.npolys(); i++) {
    mesh.setAreas(i, 0);
    mesh.setFlags(i, 1);
  }
  const wanted = new R.NavMeshCreateParams();
  wanted.setPolyMeshCreateParams(mesh);
  wanted.setPolyMeshDetailCreateParams(detail);
  wanted.setWalkableHeight(bs.agent_height);
  wanted.setWalkableRadius(bs.agent_radius);
  wanted.setWalkableClimb(bs.agent_max_climb);
  wanted.setCellSize(bs.cell_size);
  wanted.setCellHeight(bs.cell_height);
  wanted.setBuildBvTree(true);
  const made = R.createNavMeshData(wanted);
  check(made.success, "tile");
  const nav = new R.NavMesh();
  check(nav.initSolo(made.navMeshData), "navmesh");
  return nav;
}

// ---- PathFinder: islands, and questions to Detour

class PathFinder {
  constructor(nav) {
    this.nav = nav;
    this.tile = nav.getTile(0);
    this.query = new R.NavMeshQuery(nav, { maxNodes: 2048 });
    this.filter = new R.QueryFilter();
    this.filter.includeFlags = 1;
    this.filter.excludeFlags = 0;
    this.count = this.tile.header().polyCount();
    const base = nav.encodePolyId(this.tile.salt(), 0, 0);
    this.refOf = (index) => base + index;
    this.indexOf = (ref) => ref - base;
    this.polygons = Array.from({ length: this.count }, (_, i) => this.polygon(i));
    this.findIslands();
    this.area = 0;
    this.polygons.forEach((one, i) => this.shutIfFlat(one, i));
  }

  polygon(index) {
    const poly = this.tile.polys(index), corners = [], edges = [];
    for (let j = 0; j < poly.vertCount(); j++) {
      corners.push([0, 1, 2].map((k) => this.tile.verts(3 * poly.verts(j) + k)));
      edges.push(poly.neis(j));
    }
    return { corners, edges, across: edges.map((to) => to - 1), links: this.links(poly), flat: false };
  }

  links(poly) {
    const found = [];
    for (let at = poly.firstLink(); at !== 0xffffffff && at !== -1; at = this.tile.links(at).next()) {
      found.push(this.indexOf(this.tile.links(at).ref()));
    }
    return found;
  }

  findIslands() {
    this.island = new Array(this.count).fill(-1);
    this.radius = [];
    for (let first = 0; first < this.count; first++) {
      if (this.island[first] >= 0) continue;
      const number = this.radius.length, stack = [first], corners = [];
      this.island[first] = number;
      while (stack.length) {
        const here = this.polygons[stack.pop()];
        corners.push(...here.corners);
        for (const next of here.links) {
          if (this.island[next] >= 0) continue;
          this.island[next] = number;
          stack.push(next);
        }
      }
      const middle = [0, 1, 2].map((k) => corners.reduce((sum, c) => sum + c[k], 0) / corners.length);
      this.radius.push(Math.max(...corners.map((c) => Math.hypot(...c.map((x, k) => x - middle[k])))));
    }
  }

  // removeZeroAreaPolys: the area over the detail triangles, and a flag for what has none
  shutIfFlat(polygon, index) {
    const detail = this.tile.detailMeshes(index);
    const corner = (k) => k < polygon.corners.length
      ? polygon.corners[k]
      : [0, 1, 2].map((c) => this.tile.detailVerts(3 * (detail.vertBase() + k - polygon.corners.length) + c));
    let area = 0;
    for (let t = 0; t < detail.triCount(); t++) {
      const [a, b, c] = [0, 1, 2].map((k) => corner(this.tile.detailTris(4 * (detail.triBase() + t) + k)));
      const [u, v] = [minus(b, a), minus(c, b)];
      area += Math.hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]) / 2;
    }
    polygon.flat = area < 1e-5;
    if (polygon.flat) this.nav.setPolyFlags(this.refOf(index), 4);
    else this.area += area;
  }

  project(point) {
    const found = this.query.findNearestPoly(
      { x: point[0], y: point[1], z: point[2] },
      { filter: this.filter, halfExtents: { x: 2, y: 4, z: 2 } },
    );
    if (!found.success || !found.nearestRef) return null;
    const { x, y, z } = found.nearestPoint;
    return { ref: found.nearestRef, island: this.island[this.indexOf(found.nearestRef)], point: [x, y, z] };
  }

  snap(point) {
    return this.project(point)?.point ?? NOWHERE;
  }

  islandOf(point) {
    return this.project(point)?.island ?? -1;
  }

  islandRadius(point) {
    const found = this.project(point);
    return found ? this.radius[found.island] : 0;
  }

  isNavigable(point, maxYDelta = 0.5) {
    const found = this.project(point);
    if (!found) return false;
    const [x, y, z] = minus(found.point, point);
    return Math.abs(y) <= f(maxYDelta) && f(Math.sqrt(f(f(x * x) + f(z * z)))) <= f(1e-2);
  }

  findPath(start, end) {
    const [a, b] = [this.project(start), this.project(end)];
    const none = { length: Infinity, points: [] };
    if (!a || !b) return none;
    if (a.point.every((x, k) => Math.abs(x - b.point[k]) < 1e-5)) return { length: 0, points: [a.point, b.point] };
    if (a.island !== b.island) return none;
    const corridor = new R.UnsignedIntArray();
    corridor.resize(256);
    const status = this.query.raw.findPath(a.ref, b.ref, a.point, b.point, this.filter.raw, corridor.raw, 256);
    const points = status === SUCCESS && corridor.size > 0 ? this.pulled(start, end, corridor) : [];
    corridor.destroy();
    if (!points.length) return none;
    let [length, before] = [0, points[0]];
    for (const point of points) {
      length = f(length + size(minus(before, point)));
      before = point;
    }
    return { length, points };
  }

  pulled(start, end, corridor) {
    const [at, to] = [start, end].map(([x, y, z]) => ({ x, y, z }));
    const found = this.query.findStraightPath(at, to, corridor, { maxStraightPathPoints: 256 });
    if (found.status !== SUCCESS) return [];
    const points = [];
    for (let i = 0; i < found.straightPathCount; i++) {
      points.push([0, 1, 2].map((k) => found.straightPath.get(3 * i + k)));
    }
    for (const array of [found.straightPath, found.straightPathFlags, found.straightPathRefs]) array.destroy();
    return points;
  }

  tryStep(start, end, sliding = true) {
    const [a, b] = [this.project(start), this.project(end)];
    if (!a || !b || a.island !== b.island) return start;
    const [from, to] = [a.point, end].map(([x, y, z]) => ({ x, y, z }));
    const moved = this.query.moveAlongSurface(a.ref, from, to, { filter: this.filter, maxVisitedSize: 256 });
    if (!moved.visited.length) return start;
    let { x, y, z } = moved.resultPosition;
    if (!sliding) [x, y, z] = this.wallHit(a.point, end, moved.visited) ?? [x, y, z];
    const last = moved.visited[moved.visited.length - 1];
    const height = this.query.getPolyHeight(last, { x, y, z });
    const reached = [x, height.success ? height.height : y, z];
    return this.project(reached)?.island === a.island ? reached : this.nudged(reached, last);
  }

  // Into the polygon that the walk ended in, 0.1 mm towards its centre
  nudged(point, ref) {
    const { corners } = this.polygons[this.indexOf(ref)];
    const centre = [0, 1, 2].map((k) => f(corners.reduce((sum, c) => f(sum + c[k]), 0) / corners.length));
    const way = minus(centre, point), inverse = f(1 / size(way));
    return point.map((x, k) => f(x + f(f(1e-4) * f(way[k] * inverse))));
  }

  // Where start to end crosses or touches a wall of the polygons that were visited, nearest to a point
  wallHit(start, end, visited, nearest = end) {
    let [best, hit] = [Infinity, null];
    for (const { corners, edges } of visited.map((ref) => this.polygons[this.indexOf(ref)])) {
      edges.forEach((to, j) => {
        if (to !== 0) return;
        const point = crossing(corners[j], corners[(j + 1) % corners.length], start, end);
        const gap = point ? (point[0] - nearest[0]) ** 2 + (point[2] - nearest[2]) ** 2 : Infinity;
        if (gap < best) [best, hit] = [gap, point];
      });
    }
    return hit;
  }

  // Straight on to the first wall: the one that is met, or else, as rounding can put a body beyond the wall that it
  // stands on, where Detour's own ray ends
  straightStep(start, end) {
    const from = this.project(start);
    const [at, to] = [from.point, end].map(([x, y, z]) => ({ x, y, z }));
    const { visited } = this.query.moveAlongSurface(from.ref, at, to, { filter: this.filter, maxVisitedSize: 256 });
    const met = this.wallHit(from.point, end, visited, from.point);
    const { t } = this.query.raycast(from.ref, at, to, { filter: this.filter });
    const free = t > 1 ? end : single(from.point.map((x, k) => x + (end[k] - x) * t));
    return this.tryStep(start, met ?? free);
  }

  // findDistanceToWall, which the package does not offer: polygons by the nearest of the edges that lead to them
  obstacleDistance(point, radius = 2) {
    const found = this.project(point);
    if (!found) return Infinity;
    const open = [[0, this.indexOf(found.ref)]], seen = new Set();
    let best = radius;
    while (open.length) {
      open.sort((a, b) => b[0] - a[0]);
      const [reach, index] = open.pop();
      if (reach >= best || seen.has(index)) continue;
      seen.add(index);
      const { corners, edges, across } = this.polygons[index];
      edges.forEach((to, j) => {
        const gap = distanceInPlane(found.point, corners[j], corners[(j + 1) % corners.length]);
        if (to !== 0 && !this.polygons[across[j]].flat) open.push([gap, across[j]]);
        else best = Math.min(best, gap);
      });
    }
    return f(best);
  }

  topdown(metres, height, eps) {
    const { low, high } = this.bounds();
    const [columns, rows] = [0, 2].map((k) => Math.trunc(f(f(high[k] - low[k]) / f(metres))));
    const map = [];
    let z = low[2];
    for (let h = 0; h < rows; h++, z = f(z + f(metres))) {
      const row = [];
      let x = low[0];
      for (let w = 0; w < columns; w++, x = f(x + f(metres))) row.push(this.isNavigable([x, height, z], eps) ? 1 : 0);
      map.push(row);
    }
    return map;
  }

  bounds() {
    const header = this.tile.header();
    const [low, high] = [header.bmin, header.bmax].map((at) => [0, 1, 2].map((k) => at.call(header, k)));
    return { low, high };
  }

  randomPoint() {
    const { x, y, z } = this.query.findRandomPoint({ filter: this.filter }).randomPoint;
    return [x, y, z];
  }
}

// dtIntersectSegSeg2D
function crossing(a, b, p, q) {
  const [u, v, w] = [minus(b, a), minus(q, p), minus(a, p)];
  const perp = (m, n) => f(f(m[0] * n[2]) - f(m[2] * n[0]));
  const d = perp(u, v);
  if (Math.abs(d) < f(1e-6)) return null;
  const [s, t] = [f(perp(v, w) / d), f(perp(u, w) / d)];
  return s < 0 || s > 1 || t < 0 || t > 1 ? null : a.map((x, k) => f(x + f(f(b[k] - x) * s)));
}

function distanceInPlane(p, a, b) {
  const [dx, dz] = [b[0] - a[0], b[2] - a[2]], square = dx * dx + dz * dz;
  const t = square > 0 ? Math.min(Math.max(((p[0] - a[0]) * dx + (p[2] - a[2]) * dz) / square, 0), 1) : 0;
  return Math.hypot(a[0] + t * dx - p[0], a[2] + t * dz - p[2]);
}

// ---- an agent's body: a yaw as a quaternion w, x, y, z, and steps that the navmesh shortens

const STEP = 0.25, TURN = Math.PI / 12;
const [STOP, FORWARD, LEFT, RIGHT] = [0, 1, 2, 3];
const facing = (yaw) => [Math.cos(yaw / 2), 0, Math.sin(yaw / 2), 0];

function forward(finder, { position, yaw }, sliding) {
  const target = single([position[0] - STEP * Math.sin(yaw), position[1], position[2] - STEP * Math.cos(yaw)]);
  const reached = sliding ? finder.tryStep(position, target) : finder.straightStep(position, target);
  const square = (a, b) => dot(minus(b, a), minus(b, a));
  return { position: reached, yaw, collided: square(position, reached) + 1e-5 < square(position, target) };
}

function acted(finder, state, action, sliding) {
  if (action === FORWARD) return forward(finder, state, sliding);
  const yaw = state.yaw + (action === LEFT ? TURN : action === RIGHT ? -TURN : 0);
  return { position: state.position, yaw, collided: false };
}

const row = (action, state) => [action, state.collided ? 1 : 0, ...state.position, ...single(facing(state.yaw))];

// ---- GreedyGeodesicFollower

class Follower {
  constructor(finder, goalRadius) {
    Object.assign(this, { finder, goalRadius, past: [], plan: [] });
  }

  reward(state, goal, distance, turns) {
    const after = forward(this.finder, state, true);
    const left = this.finder.findPath(after.position, goal).length;
    const near = this.finder.obstacleDistance(after.position, f(1.1 * f(0.2))) < f(0.2);
    const cost = f(f(f(f(-0.0125) * turns) - (after.collided ? f(0.25) : 0)) - (near ? f(0.05) : 0));
    return f(f(f(distance - left) / f(STEP)) + cost);
  }

  best(state, goal) {
    const distance = this.finder.findPath(state.position, goal).length;
    if (distance === Infinity) return [];
    if (distance < this.goalRadius) return [STOP];
    let [most, chosen] = [-0.25, []];
    for (let angle = 0, turns = 0; angle < Math.PI; angle = f(angle + f(TURN)), turns++) {
      for (const [side, sign] of [[LEFT, 1], [RIGHT, -1]]) {
        const turned = { position: state.position, yaw: state.yaw + sign * turns * TURN };
        const found = this.reward(turned, goal, distance, turns);
        if (found > most) [most, chosen] = [found, [...new Array(turns).fill(side), FORWARD]];
      }
      if (most > f(0.99)) break;
    }
    return chosen;
  }

  thrashes() {
    const last = this.past.slice(-16), turns = new Set([LEFT, RIGHT]);
    return last.length === 16 && last.every((a, i) => turns.has(a) && (i === 0 || a !== last[i - 1]));
  }

  next(state, goal) {
    if (!this.plan.length) {
      const moves = this.best(state, goal);
      if (!moves.length) return null;
      this.plan = this.thrashes() ? [...moves] : [moves[0]];
    }
    this.past.push(this.plan.shift());
    return this.past[this.past.length - 1];
  }
}

// ---- what is asked

function pairs(finder, count) {
  const found = [];
  while (found.length < count) {
    const [start, end] = [finder.randomPoint(), finder.randomPoint()];
    const path = finder.findPath(start, end);
    found.push({ start, end, geodesic: path.length, points: path.points });
  }
  return found;
}

function arrays(finder, asked, random) {
  const { low, high } = finder.bounds();
  const found = { start: asked.map((p) => p.start), end: asked.map((p) => p.end) };
  const raised = (p) => [p[0], f(p[1] + 0.5), p[2]];
  found.geodesic = asked.map((p) => p.geodesic);
  found.geodesic_reverse = asked.map((p) => finder.findPath(p.end, p.start).length);
  found.geodesic_start_raised_0p5 = asked.map((p) => finder.findPath(raised(p.start), p.end).length);
  for (const end of ["start", "end"]) found[`island_${end}`] = found[end].map((p) => finder.islandOf(p));
  found.random_points = asked.map(() => single([0, 1, 2].map((k) => low[k] + random() * (high[k] - low[k]))));
  found.snap = found.random_points.map((p) => finder.snap(p));
  found.is_navigable = [...found.random_points, ...found.start].map((p) => finder.isNavigable(p));
  found.random_points.push(...found.start);
  found.snap.push(...found.start.map((p) => finder.snap(p)));
  found.obstacle_distance = found.start.map((p) => finder.obstacleDistance(p));
  found.island_radius = found.start.map((p) => f(finder.islandRadius(p)));
  for (const length of ["0.25", "1.0", "4.0"]) {
    const ends = found.start.map((p) => {
      const angle = random() * 2 * Math.PI;
      return single([p[0] + Number(length) * Math.cos(angle), p[1], p[2] + Number(length) * Math.sin(angle)]);
    });
    found[`end_${length}`] = ends;
    found[`slide_${length}`] = found.start.map((p, i) => finder.tryStep(p, ends[i]));
    if (length === "0.25") found["noslide_0.25"] = found.start.map((p, i) => finder.tryStep(p, ends[i], false));
  }
  return found;
}

function offMesh(finder, count, random) {
  const { low, high } = finder.bounds();
  const anywhere = () => single([0, 1, 2].map((k) => low[k] + random() * (high[k] - low[k])));
  return Array.from({ length: count }, () => {
    const [start, end] = [anywhere(), anywhere()];
    const path = finder.findPath(start, end);
    const snapped = { snap_start: finder.snap(start), snap_end: finder.snap(end) };
    return { start, end, geodesic: path.length, points: path.points, ...snapped, try_step: finder.tryStep(start, end) };
  });
}

function walk(finder, start, sliding, count, random) {
  const steps = [];
  let [state, side, turns] = [{ position: start, yaw: 0 }, LEFT, 0];
  for (let i = 0; i < count; i++) {
    const action = turns > 0 ? side : FORWARD;
    state = acted(finder, state, action, sliding);
    if (turns > 0) turns--;
    else if (random() < (state.collided ? 0.6 : 0.2)) {
      [side, turns] = [random() < 0.5 ? LEFT : RIGHT, Math.trunc(1 + random() * 9)];
    }
    steps.push(row(action, state));
  }
  return { sliding, start, steps };
}

function followed(finder, asked, random) {
  const episodes = [];
  for (const { start, end, geodesic } of asked) {
    const yaw = f((random() * 2 - 1) * Math.PI);
    const follower = new Follower(finder, 0.5), steps = [];
    let state = { position: start, yaw };
    for (let action = -1; action !== STOP && steps.length < 500; ) {
      action = follower.next(state, end);
      state = acted(finder, state, action, true);
      steps.push(row(action, state));
    }
    episodes.push({ start, yaw, goal: end, geodesic, steps });
  }
  return { sliding: true, goal_radius: 0.5, episodes };
}

function navmeshFile(nav) {
  const exported = Buffer.from(R.exportNavMesh(nav));
  // The package's own header: magic, version, count, then dtNavMeshParams, then the tiles, each with (ref, size)
  const tiles = exported.indexOf(Buffer.from("VAND")) - 8;
  const params = exported.subarray(tiles - 28, tiles);
  const header = Buffer.alloc(12);
  [0x4d534554, 2, 1].forEach((value, k) => header.writeInt32LE(value, 4 * k));
  const settings = Buffer.alloc(56);
  Object.values(SETTINGS).forEach((value, k) => settings.writeFloatLE(value, 4 * k));
  Object.values(FILTERS).forEach((value, k) => settings.writeUInt8(value ? 1 : 0, 52 + k));
  return Buffer.concat([header, params, settings, exported.subarray(tiles)]);
}

function record(name, seed) {
  const folder = join(import.meta.dirname, name);
  const write = (file, value) => writeFileSync(join(folder, file), `${text(value)}\n`);
  const finder = new PathFinder(built(triangles(join(folder, "scene.glb"))));
  R.setRandomSeed(seed);
  const random = chance(seed);
  const asked = pairs(finder, 120);
  const settings = Object.fromEntries(Object.entries(SETTINGS).map(([key, value]) => [key, f(value)]));
  const about = { area: finder.area, islands: finder.radius.length };
  writeFileSync(join(folder, "scene.navmesh"), navmeshFile(finder.nav));
  write("nav.json", { settings: { ...settings, ...FILTERS }, ...about, pairs: asked });
  write("nav-arrays.json", arrays(finder, asked, random));
  write("offmesh.json", offMesh(finder, 120, random));
  const height = Math.min(...asked.map((p) => p.start[1]));
  write("topdown-arrays.json", { mpp: 0.1, height, eps: 0.5, map: finder.topdown(0.1, height, 0.5) });
  write("agent_walk_slide.json", walk(finder, asked[0].start, true, 300, random));
  write("agent_walk_noslide.json", walk(finder, asked[0].start, false, 300, random));
  const reachable = asked.filter((p) => p.geodesic < Infinity && p.geodesic > 1).slice(0, 20);
  write("follower_slide.json", followed(finder, reachable, random));
}

record("rooms", 1);
record("storeys", 2);
