// How often and how finely a 3-D view draws: as finely as this machine can while something moves, and finest at rest.

const FINE = 1.25;
const COARSE = 0.35;
const SLOW_MS = 55;
const REST_MS = 400;
const SLOW = 0.6;

// `draw(scale, haste)` once a frame at most; coarser while frames come slowly, and finely as soon as nothing moves.
// `haste`: something moves on a machine that was too slow once.
export function inTime(draw) {
  let asked = false,
    rest = null,
    before = 0,
    scale = 1,
    slow = false;
  return () => {
    clearTimeout(rest);
    rest = setTimeout(() => draw(FINE, false), REST_MS);
    if (asked) return;
    asked = true;
    requestAnimationFrame((now) => {
      asked = false;
      const passed = now - before;
      before = now;
      if (passed < 4 * REST_MS) scale = Math.max(COARSE, Math.min(1, scale * (passed > SLOW_MS ? 0.8 : 1.05)));
      slow ||= scale < SLOW;
      draw(scale, slow);
    });
  };
}

// Gives a canvas so many pixels to one of the page; returns its width and height in pixels.
export function sized(canvas, scale) {
  const pixels = scale * Math.min(window.devicePixelRatio || 1, 2);
  const size = [canvas.clientWidth || 960, canvas.clientHeight || 640].map((side) => Math.round(side * pixels));
  if (canvas.width !== size[0] || canvas.height !== size[1]) [canvas.width, canvas.height] = size;
  return size;
}
