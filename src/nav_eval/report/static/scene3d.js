// The path through the scene in three dimensions: the building cut open, the path as a tube, a camera that follows.

import { h } from "./dom.js";
import { bytes } from "./decode.js";
import { linked } from "./gl.js";
import { storeyOf, timeColour } from "./map.js";
import { cross3, lookAt, minus, multiply, perspective, unit } from "./matrix.js";
import { inTime, sized } from "./pace.js";
import { Solid } from "./solid.js";
import { t } from "./words.js";

const CUT = 1.7;
const LIFT = 0.18;
const SIDES = 8;
const BACK = 3.4;
const UP = 2.9;
const SMOOTH = 4;
const GHOST = 0.9;
const TUBE_VERTEX = `#version 300 es
in vec3 place; in vec3 colour; in vec3 normal; uniform mat4 camera; uniform vec3 eye; out vec3 shade;
void main() { float light = 0.6 + 0.4 * abs(dot(normalize(normal), normalize(eye - place)));
  shade = colour * light; gl_Position = camera * vec4(place, 1.0); }`;
const TUBE_FRAGMENT = `#version 300 es
precision mediump float; in vec3 shade; uniform float strength; out vec4 seen;
void main() { seen = vec4(shade, strength); }`;

export function sceneView(view) {
  const canvas = h("canvas", { class: "scene", tabindex: "0", role: "img", "aria-label": view.label });
  const gl = canvas.getContext("webgl2", { alpha: false, antialias: false, preserveDrawingBuffer: true });
  if (!gl) return { element: h("p", { class: "warning" }, t("view.none")), show() {}, close() {} };
  const { head, parts } = view.scene.mesh;
  const part = (name) => bytes(parts[name]);
  const solid = new Solid(gl, head, part);
  const still = new Tubes(gl),
    body = new Tubes(gl);
  const path = view.track ? view.track.points : [[0, 0, 0]];
  still.fill(pathTubes(view));
  const orbit = { turn: 0.6, tilt: 0.95, zoom: 1, away: spread(path) * 2 + 4, target: middle(path), step: path.length - 1 };
  const draw = inTime((scale) => drawScene(gl, solid, [still, body], canvas, orbit, view, scale));
  const show = (step) => {
    orbit.step = Math.min(step, path.length - 1);
    if (view.track) {
      const people = view.track.people.flatMap((way) => (way[orbit.step] ? personBody(way[orbit.step]) : []));
      body.fill([...agentBody(path[orbit.step], view.track.yaws[orbit.step]), ...people]);
    }
    draw();
  };
  steer(canvas, orbit, draw);
  const watch = new ResizeObserver(draw);
  watch.observe(canvas);
  solid.paint(part).then(() => {
    canvas.dataset.painted = "true";
    draw();
  });
  show(orbit.step);
  const close = () => {
    watch.disconnect();
    gl.getExtension("WEBGL_lose_context")?.loseContext();
  };
  return { element: canvas, show, close };
}

// Triangles with colours, drawn over the building, and faintly through it where it hides them.
class Tubes {
  constructor(gl) {
    this.gl = gl;
    this.program = linked(gl, TUBE_VERTEX, TUBE_FRAGMENT);
    this.array = gl.createVertexArray();
    this.buffer = gl.createBuffer();
    this.count = 0;
  }

  // triangles: [[corner, corner, corner], colour].
  fill(triangles) {
    const { gl } = this;
    const out = new Float32Array(triangles.length * 27);
    triangles.forEach(([corners, colour], i) => {
      const normal = unit(cross3(minus(corners[1], corners[0]), minus(corners[2], corners[0])));
      corners.forEach((place, k) => out.set([...place, ...colour, ...normal], 27 * i + 9 * k));
    });
    this.count = 3 * triangles.length;
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, out, gl.DYNAMIC_DRAW);
    ["place", "colour", "normal"].forEach((name, i) => {
      const slot = gl.getAttribLocation(this.program, name);
      gl.enableVertexAttribArray(slot);
      gl.vertexAttribPointer(slot, 3, gl.FLOAT, false, 36, 12 * i);
    });
  }

  draw(camera, eye) {
    const { gl, program } = this,
      where = (name) => gl.getUniformLocation(program, name);
    gl.useProgram(program);
    gl.bindVertexArray(this.array);
    gl.uniformMatrix4fv(where("camera"), false, new Float32Array(camera));
    gl.uniform3fv(where("eye"), eye);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    gl.depthMask(false);
    gl.depthFunc(gl.GREATER);
    gl.uniform1f(where("strength"), 0.35);
    gl.drawArrays(gl.TRIANGLES, 0, this.count);
    gl.disable(gl.BLEND);
    gl.depthMask(true);
    gl.depthFunc(gl.LESS);
    gl.uniform1f(where("strength"), 1);
    gl.drawArrays(gl.TRIANGLES, 0, this.count);
  }
}

// The path in the colours of time, below it the reference as a broad green band, start, goal and end as posts.
function pathTubes(view) {
  const path = view.track ? view.track.points : [];
  const parts = [];
  for (let i = 1; i < path.length; i++)
    if (Math.hypot(...minus(path[i], path[i - 1])) > 0.01)
      parts.push(...tube(path[i - 1], path[i], 0.05, rgb(timeColour(i / Math.max(1, path.length - 1))), LIFT));
  for (let i = 1; i < view.reference.length; i++) parts.push(...band(view.reference[i - 1], view.reference[i]));
  if (path.length) parts.push(...post(path[0], [0.16, 0.42, 0.84]), ...post(path[path.length - 1], [0.9, 0.4, 0.1]));
  for (const goal of view.goals.slice(0, 5)) parts.push(...post(goal, [0.95, 0.76, 0]), ...circle(goal, view.radius));
  return parts;
}

function rgb(text) {
  return text.match(/\d+/g).map((value) => Number(value) / 255);
}

// A round tube from a to b, a little longer, so that the pieces of a bend meet.
function tube(a, b, radius, colour, lift = 0) {
  const along = unit(minus(b, a));
  const side = unit(cross3(along, Math.abs(along[1]) > 0.9 ? [1, 0, 0] : [0, 1, 0])),
    up = cross3(side, along);
  const end = (p, more) => p.map((value, k) => value + along[k] * more + (k === 1 ? lift : 0));
  const [from, to] = [end(a, -radius / 2), end(b, radius / 2)];
  const rim = (p, i) => {
    const angle = (2 * Math.PI * i) / SIDES;
    return p.map((value, k) => value + radius * (Math.cos(angle) * side[k] + Math.sin(angle) * up[k]));
  };
  return Array.from({ length: SIDES }, (_, i) => [
    [[rim(from, i), rim(to, i), rim(to, i + 1)], colour],
    [[rim(from, i), rim(to, i + 1), rim(from, i + 1)], colour],
    [[to, rim(to, i + 1), rim(to, i)], colour],
  ]).flat();
}

function band(a, b) {
  const along = minus(b, a),
    side = unit([-along[2], 0, along[0]]).map((value) => 0.13 * value);
  const corner = (p, sign) => [p[0] + sign * side[0], p[1] + 0.04, p[2] + sign * side[2]];
  const colour = [0.09, 0.68, 0.38];
  return [
    [[corner(a, 1), corner(b, 1), corner(b, -1)], colour],
    [[corner(a, 1), corner(b, -1), corner(a, -1)], colour],
  ];
}

function circle([x, y, z], radius) {
  const at = (i) => [x + radius * Math.sin((i * Math.PI) / 24), y + 0.05, z + radius * Math.cos((i * Math.PI) / 24)];
  return Array.from({ length: 48 }, (_, i) => tube(at(i), at(i + 1), 0.02, [0.85, 0.68, 0.1])).flat();
}

function post(place, colour) {
  return tube(place, [place[0], place[1] + 0.9, place[2]], 0.06, colour);
}

function agentBody(place, yaw) {
  const angle = (yaw * Math.PI) / 180,
    red = [0.9, 0.14, 0.3];
  const chest = [place[0], place[1] + 0.55, place[2]];
  const tip = [chest[0] - 0.42 * Math.sin(angle), chest[1], chest[2] - 0.42 * Math.cos(angle)];
  return [...tube(place, [place[0], place[1] + 0.8, place[2]], 0.13, [0.95, 0.95, 0.98]), ...tube(chest, tip, 0.07, red)];
}

function personBody(place) {
  const neck = [place[0], place[1] + 1.4, place[2]];
  return [
    ...tube(place, neck, 0.17, [0.62, 0.42, 0.12]),
    ...tube([place[0], place[1] + 1.5, place[2]], [place[0], place[1] + 1.72, place[2]], 0.1, [0.85, 0.66, 0.53]),
  ];
}

function middle(path) {
  const mean = (axis) => path.reduce((sum, point) => sum + point[axis], 0) / path.length;
  return [mean(0), mean(1), mean(2)];
}

function spread(path) {
  const centre = middle(path);
  return Math.max(1, ...path.map((point) => Math.hypot(...minus(point, centre))));
}

// Where the camera is and what it looks at. One that follows stands behind the mean of a few steps, so as not to jerk.
function stand(orbit, view) {
  if (view.camera === "orbit" || !view.track) {
    const { turn, tilt, away, zoom, target } = orbit,
      out = away * zoom;
    const from = [Math.sin(turn) * Math.cos(tilt), Math.sin(tilt), Math.cos(turn) * Math.cos(tilt)];
    return [from.map((value, axis) => target[axis] + out * value), target];
  }
  const { points: path, yaws } = view.track;
  const near = path.map((_, i) => i).slice(Math.max(0, orbit.step - SMOOTH), orbit.step + 1);
  const turned = (wave) => near.reduce((sum, i) => sum + wave((yaws[i] * Math.PI) / 180), 0);
  const yaw = Math.atan2(turned(Math.sin), turned(Math.cos)) + orbit.turn - 0.6;
  const at = path[orbit.step],
    back = BACK * orbit.zoom;
  const eye = [at[0] + back * Math.sin(yaw), at[1] + UP * orbit.zoom + (orbit.tilt - 0.95) * 2, at[2] + back * Math.cos(yaw)];
  return [eye, [at[0] - 0.6 * Math.sin(yaw), at[1] + 0.7, at[2] - 0.6 * Math.cos(yaw)]];
}

function drawScene(gl, solid, tubes, canvas, orbit, view, scale) {
  if (gl.isContextLost()) return;
  const [eye, target] = stand(orbit, view);
  const size = sized(canvas, scale);
  const camera = multiply(perspective(0.9, size[0] / size[1], 0.1, 300), lookAt(eye, target));
  const storeys = view.scene.storeys;
  const here = view.track ? view.track.points[orbit.step] : orbit.target;
  const level = storeys.length ? storeys[storeyOf(here[1], storeys)].height : here[1];
  gl.viewport(0, 0, ...size);
  gl.clearColor(0.09, 0.1, 0.13, 1);
  gl.enable(gl.DEPTH_TEST);
  gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
  const chest = [here[0], here[1] + 0.6, here[2]];
  solid.draw(camera, eye, level + CUT, { ghost: { at: chest, radius: view.track ? GHOST : 0, floor: level + 0.15 } });
  for (const one of tubes) one.draw(camera, eye);
}

function steer(canvas, orbit, draw) {
  const turn = (by, up) => {
    orbit.turn += by;
    orbit.tilt = Math.max(0.05, Math.min(1.5, orbit.tilt + up));
    draw();
  };
  const zoom = (factor) => {
    orbit.zoom = Math.max(0.2, Math.min(8, orbit.zoom * factor));
    draw();
  };
  const keys = {
    ArrowLeft: () => turn(-0.1, 0),
    ArrowRight: () => turn(0.1, 0),
    ArrowUp: () => turn(0, 0.1),
    ArrowDown: () => turn(0, -0.1),
    "+": () => zoom(0.9),
    "-": () => zoom(1.1),
  };
  canvas.addEventListener("keydown", (event) => {
    if (!(event.key in keys)) return;
    keys[event.key]();
    event.preventDefault();
  });
  canvas.addEventListener("pointermove", (event) => {
    if (event.buttons & 1) turn(-event.movementX / 150, event.movementY / 150);
  });
  canvas.addEventListener(
    "wheel",
    (event) => {
      zoom(event.deltaY > 0 ? 1.1 : 0.9);
      event.preventDefault();
    },
    { passive: false },
  );
}
