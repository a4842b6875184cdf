// What an agent has seen of a storey: rays over its field of view, up to the next wall or RANGE metres.

const RANGE = 5;

// poses: [x, z, yaw in degrees]; marks cells in `seen` (one byte per cell).
export function reveal(grid, floor, seen, poses, hfov) {
  const reach = RANGE / grid.cell;
  const between = (180 / Math.PI) * (0.7 / reach);
  for (const [px, pz, yaw] of poses) {
    const column = (px - grid.origin[0]) / grid.cell,
      row = (pz - grid.origin[1]) / grid.cell;
    for (let turn = -hfov / 2; turn <= hfov / 2; turn += between) {
      const angle = ((yaw + turn) * Math.PI) / 180;
      const dx = -Math.sin(angle) / 2,
        dz = -Math.cos(angle) / 2;
      for (let k = 0; k < 2 * reach; k++) {
        const c = Math.floor(column + dx * k),
          r = Math.floor(row + dz * k);
        if (c < 0 || r < 0 || c >= grid.columns || r >= grid.rows) break;
        seen[r * grid.columns + c] = 1;
        if (k > 2 && !floor[r * grid.columns + c]) break;
      }
    }
  }
  return seen;
}
