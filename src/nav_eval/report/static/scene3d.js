// The way through the scene in three dimensions: plain WebGL, because one shader and an orbiting camera need no library.

import { h } from "./dom.js";
import { bytes } from "./decode.js";
import { linked } from "./gl.js";
import { storeyOf, timeColour } from "./map.js";
import { cross3, lookAt, minus, multiply, perspective, unit } from "./matrix.js";
import { t } from "./words.js";

const CUT = 1.6;
const LIFT = 0.15;
const VERTEX = `attribute vec3 place; attribute vec3 colour; attribute vec3 normal; uniform mat4 camera; uniform vec3 eye;
varying vec3 shade; varying float height;
void main() { vec3 view = normalize(eye - place); float light = 0.55 + 0.45 * abs(dot(normal, view));
  shade = colour * mix(1.0, light, step(0.5, dot(normal, normal))); height = place.y; gl_Position = camera * vec4(place, 1.0); }`;
const FRAGMENT = `precision mediump float; varying vec3 shade; varying float height; uniform float top;
void main() { if (height > top) discard; gl_FragColor = vec4(shade, 1.0); }`;

export function sceneView(view) {
  const canvas = h("canvas", {
    class: "scene",
    width: 960,
    height: 640,
    tabindex: "0",
    role: "img",
    "aria-label": view.label,
  });
  const gl = canvas.getContext("webgl", { antialias: true, preserveDrawingBuffer: true });
  if (!gl) return { element: h("p", { class: "warning" }, t("view.none")), show() {}, close() {} };
  const program = linked(gl, VERTEX, FRAGMENT);
  const solids = [buffers(gl, meshArrays(view.scene.mesh)), buffers(gl, wayArrays(view))];
  const agent = buffers(gl, new Float32Array(0));
  const path = view.track ? view.track.points : [[0, 0, 0]];
  const orbit = { turn: 0.6, tilt: 0.9, away: spread(path) * 2 + 3, target: middle(path), step: path.length - 1 };
  const draw = () => drawScene(gl, program, canvas, orbit, [...solids, agent], view);
  const show = (step) => {
    orbit.step = Math.min(step, path.length - 1);
    if (view.track) agent.fill(agentArrays(path[orbit.step], view.track.yaws[orbit.step]));
    draw();
  };
  steer(canvas, orbit, draw);
  show(orbit.step);
  return { element: canvas, show, close: () => gl.getExtension("WEBGL_lose_context")?.loseContext() };
}

// Nine floats to a corner: place, colour, normal.
function buffers(gl, data) {
  const buffer = gl.createBuffer();
  const solid = {
    buffer,
    count: 0,
    fill(corners) {
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferData(gl.ARRAY_BUFFER, corners, gl.STATIC_DRAW);
      solid.count = corners.length / 9;
    },
  };
  solid.fill(data);
  return solid;
}

function meshArrays(mesh) {
  const places = new Int16Array(bytes(mesh.vertices).buffer),
    corners = new Uint16Array(bytes(mesh.triangles).buffer),
    colours = bytes(mesh.colours);
  const at = (corner) => [places[3 * corner] / 100, places[3 * corner + 1] / 100, places[3 * corner + 2] / 100];
  const out = new Float32Array(corners.length * 9);
  for (let i = 0; i < corners.length; i += 3) {
    const triangle = [at(corners[i]), at(corners[i + 1]), at(corners[i + 2])];
    put(out, i, triangle, [colours[i] / 255, colours[i + 1] / 255, colours[i + 2] / 255]);
  }
  return out;
}

function put(out, corner, triangle, colour) {
  const normal = unit(cross3(minus(triangle[1], triangle[0]), minus(triangle[2], triangle[0])));
  triangle.forEach((place, k) => out.set([...place, ...colour, ...normal], 9 * (corner + k)));
}

// The way as a ribbon of small boxes in the colours of time, the reference in green, start and goal as posts.
function wayArrays(view) {
  const parts = [];
  const path = view.track ? view.track.points : [];
  for (let i = 1; i < path.length; i++)
    parts.push(beam(path[i - 1], path[i], 0.045, rgb(timeColour(i / Math.max(1, path.length - 1)))));
  for (let i = 1; i < view.reference.length; i++)
    parts.push(beam(view.reference[i - 1], view.reference[i], 0.03, [0.1, 0.65, 0.35]));
  if (path.length) parts.push(post(path[0], [0.16, 0.42, 0.84]), post(path[path.length - 1], [0.9, 0.4, 0.1]));
  for (const goal of view.goals.slice(0, 5)) parts.push(post(goal, [0.85, 0.65, 0.05]));
  const corners = parts.flat();
  const out = new Float32Array(corners.length * 27);
  corners.forEach(([triangle, colour], i) => put(out, 3 * i, triangle, colour));
  return out;
}

function rgb(text) {
  return text.match(/\d+/g).map((value) => Number(value) / 255);
}

function post(place, colour) {
  return beam(place, [place[0], place[1] + 0.9, place[2]], 0.07, colour, 0);
}

// A four-sided beam from a to b, lifted a little above the floor.
function beam(a, b, half, colour, lift = LIFT) {
  const along = unit(minus(b, a));
  const side = unit(cross3(along, Math.abs(along[1]) > 0.9 ? [1, 0, 0] : [0, 1, 0])),
    up = cross3(side, along);
  const corner = (p, i) => {
    const u = i === 0 || i === 3 ? -half : half,
      v = i < 2 ? -half : half;
    return [p[0] + side[0] * u + up[0] * v, p[1] + lift + side[1] * u + up[1] * v, p[2] + side[2] * u + up[2] * v];
  };
  const triangles = [];
  for (let i = 0; i < 4; i++) {
    const j = (i + 1) % 4;
    triangles.push(
      [[corner(a, i), corner(b, i), corner(b, j)], colour],
      [[corner(a, i), corner(b, j), corner(a, j)], colour],
    );
  }
  return triangles;
}

function agentArrays(place, yaw) {
  const angle = (yaw * Math.PI) / 180;
  const ahead = [-Math.sin(angle), 0, -Math.cos(angle)];
  const tip = [place[0] + 0.35 * ahead[0], place[1], place[2] + 0.35 * ahead[2]];
  const body = [
    ...beam(place, [place[0], place[1] + 0.5, place[2]], 0.12, [0.95, 0.95, 0.98], 0),
    ...beam(place, tip, 0.06, [0.95, 0.2, 0.3], 0.4),
  ];
  const out = new Float32Array(body.length * 27);
  body.forEach(([triangle, colour], i) => put(out, 3 * i, triangle, colour));
  return out;
}

function middle(path) {
  const mean = (axis) => path.reduce((sum, point) => sum + point[axis], 0) / path.length;
  return [mean(0), mean(1), mean(2)];
}

function spread(path) {
  const centre = middle(path);
  return Math.max(1, ...path.map((point) => Math.hypot(...minus(point, centre))));
}

function drawScene(gl, program, canvas, orbit, solids, view) {
  const { turn, tilt, away, target } = orbit;
  const eye = [
    target[0] + away * Math.sin(turn) * Math.cos(tilt),
    target[1] + away * Math.sin(tilt),
    target[2] + away * Math.cos(turn) * Math.cos(tilt),
  ];
  const scale = window.devicePixelRatio || 1;
  canvas.width = Math.round((canvas.clientWidth || 960) * scale);
  canvas.height = Math.round((canvas.clientHeight || 640) * scale);
  const camera = multiply(perspective(0.9, canvas.width / canvas.height, 0.05, 500), lookAt(eye, target));
  const storeys = view.scene.storeys;
  const here = view.track ? view.track.points[orbit.step][1] : 0;
  const level = storeys.length ? storeys[storeyOf(here, storeys)].height : here;
  gl.viewport(0, 0, canvas.width, canvas.height);
  gl.clearColor(0.09, 0.1, 0.13, 1);
  gl.enable(gl.DEPTH_TEST);
  gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
  gl.useProgram(program);
  gl.uniformMatrix4fv(gl.getUniformLocation(program, "camera"), false, new Float32Array(camera));
  gl.uniform3fv(gl.getUniformLocation(program, "eye"), new Float32Array(eye));
  gl.uniform1f(gl.getUniformLocation(program, "top"), level + CUT);
  for (const solid of solids) paint(gl, program, solid);
}

function paint(gl, program, solid) {
  if (!solid.count) return;
  gl.bindBuffer(gl.ARRAY_BUFFER, solid.buffer);
  ["place", "colour", "normal"].forEach((name, i) => {
    const slot = gl.getAttribLocation(program, name);
    gl.enableVertexAttribArray(slot);
    gl.vertexAttribPointer(slot, 3, gl.FLOAT, false, 36, 12 * i);
  });
  gl.drawArrays(gl.TRIANGLES, 0, solid.count);
}

function steer(canvas, orbit, draw) {
  const turn = (by, up) => {
    orbit.turn += by;
    orbit.tilt = Math.max(0.05, Math.min(1.5, orbit.tilt + up));
    draw();
  };
  const zoom = (factor) => {
    orbit.away = Math.max(1, Math.min(200, orbit.away * factor));
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
