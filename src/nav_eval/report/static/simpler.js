// A scene of fewer triangles over the same corners, for while it moves: corners in one cell become the first of them.

const CELL = 0.1;
const LARGE = 0.4;

// Corner numbers, and the first and the number of those of each chunk. `places`: shares of the box, four to a corner.
// Large triangles, lightmapped ones and those with holes stay as they are: walls would bend, leaves vanish.
export function simplified({ ranges, materials, low, extent }, places, triangles) {
  const corners = new Uint32Array(triangles.length),
    found = [],
    scale = extent.map((side) => side / 65535);
  const at = (corner, axis) => low[axis] + scale[axis] * places[4 * corner + axis];
  const cell = (corner) => {
    const [x, y, z] = [0, 1, 2].map((axis) => Math.floor(at(corner, axis) / CELL) & 0xffff);
    return (x * 65536 + y) * 65536 + z;
  };
  const wide = (a, b) => [0, 1, 2].some((axis) => Math.abs(at(a, axis) - at(b, axis)) > LARGE);
  let filled = 0,
    before = -1,
    chosen = null;
  const stand = (corner) => {
    const key = cell(corner);
    if (!chosen.has(key)) chosen.set(key, corner);
    return chosen.get(key);
  };
  for (const [material, first, count] of ranges) {
    const { lightmap, cutoff } = materials[material],
      begin = filled;
    if (material !== before) chosen = new Map();
    before = material;
    for (let i = first; i < first + count; i += 3) {
      let [a, b, c] = [triangles[i], triangles[i + 1], triangles[i + 2]];
      if (lightmap < 0 && cutoff < 0 && !wide(a, b) && !wide(b, c) && !wide(c, a)) [a, b, c] = [stand(a), stand(b), stand(c)];
      if (a === b || b === c || c === a) continue;
      corners[filled++] = a;
      corners[filled++] = b;
      corners[filled++] = c;
    }
    found.push([begin, filled - begin]);
  }
  return { corners: corners.slice(0, filled), ranges: found };
}
