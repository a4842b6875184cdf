// The floor to walk on: triangles of the navmesh, found by the metre of the plan that they lie over.

const REACH = 0.6;

export class Ground {
  // corners: nine floats to a triangle.
  constructor(corners) {
    this.corners = corners;
    this.cells = new Map();
    for (let i = 0; i < corners.length; i += 9) {
      const [x0, x1] = span(corners, i),
        [z0, z1] = span(corners, i + 2);
      for (let x = x0; x <= x1; x++) for (let z = z0; z <= z1; z++) this.note(`${x},${z}`, i);
    }
  }

  note(cell, triangle) {
    if (!this.cells.has(cell)) this.cells.set(cell, []);
    this.cells.get(cell).push(triangle);
  }

  // The height of the floor at x, z that is nearest to y, or null where there is none within a step's reach.
  height(x, y, z) {
    let best = null;
    for (const i of this.cells.get(`${Math.floor(x)},${Math.floor(z)}`) || []) {
      const found = over(this.corners, i, x, z);
      if (found !== null && Math.abs(found - y) <= (best === null ? REACH : Math.abs(best - y))) best = found;
    }
    return best;
  }

  // Where feet at `from` come to by (dx, dz): along a wall where one is met; anywhere where no floor is known.
  step(from, dx, dz) {
    for (const [x, z] of [
      [from[0] + dx, from[2] + dz],
      [from[0] + dx, from[2]],
      [from[0], from[2] + dz],
    ]) {
      const y = this.corners.length ? this.height(x, from[1], z) : from[1];
      if (y !== null) return [x, y, z];
    }
    return from;
  }
}

function span(corners, i) {
  const values = [corners[i], corners[i + 3], corners[i + 6]];
  return [Math.floor(Math.min(...values)), Math.floor(Math.max(...values))];
}

// The height of a triangle at x, z, or null beside it.
function over(c, i, x, z) {
  const ax = c[i + 3] - c[i],
    az = c[i + 5] - c[i + 2],
    bx = c[i + 6] - c[i],
    bz = c[i + 8] - c[i + 2];
  const area = ax * bz - bx * az;
  if (!area) return null;
  const u = ((x - c[i]) * bz - bx * (z - c[i + 2])) / area,
    v = (ax * (z - c[i + 2]) - (x - c[i]) * az) / area;
  if (u < -1e-4 || v < -1e-4 || u + v > 1 + 1e-4) return null;
  return c[i + 1] + u * (c[i + 4] - c[i + 1]) + v * (c[i + 7] - c[i + 1]);
}
