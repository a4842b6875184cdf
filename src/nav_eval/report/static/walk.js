// The page of one scene: seen from outside with its ceilings cut off, or from within, on foot.

import { inflated } from "./decode.js";
import { choice, h, select } from "./dom.js";
import { whole } from "./format.js";
import { Ground } from "./ground.js";
import { lookAt, multiply, perspective } from "./matrix.js";
import { inTime, sized } from "./pace.js";
import { Sky } from "./sky.js";
import { Solid } from "./solid.js";
import { currentLanguage, speak, switchTo, t } from "./words.js";

const EYES = 1.45,
  SPEED = 1.8,
  TURNING = 1.6,
  CUTAWAY = 1.6;
const KEYS = {
  KeyW: "ahead",
  ArrowUp: "ahead",
  KeyS: "back",
  ArrowDown: "back",
  KeyA: "left",
  KeyD: "right",
  ArrowLeft: "turnleft",
  ArrowRight: "turnright",
  KeyQ: "turnleft",
  KeyE: "turnright",
};
const page = document.getElementById("page"),
  source = document.getElementById("data").textContent.trim();
const packed = await inflated(source);
const headEnd = 4 + new DataView(packed).getUint32(0, true);
const scene = JSON.parse(new TextDecoder().decode(new Uint8Array(packed, 4, headEnd - 4)));
const part = (name) => new Uint8Array(packed, headEnd + scene.parts[name][0], scene.parts[name][1]);

const ground = new Ground(new Float32Array(part("floor").slice().buffer));
const state = {
  mode: "orbit",
  storey: 0,
  top: 0,
  turn: 0.6,
  tilt: 1.0,
  away: Math.max(4, 1.05 * scene.spread),
  target: [...scene.centre],
  feet: scene.start.feet,
  yaw: scene.start.yaw,
  pitch: 0,
};
const held = new Set();
const draw = inTime(drawScene);
let solid = null,
  sky = null,
  canvas = null,
  last = 0;

function render() {
  canvas = canvas || h("canvas", { class: "scene", tabindex: "0", role: "img" });
  canvas.setAttribute("aria-label", t("walk.label", { name: scene.name }));
  const modes = [
    ["orbit", t("walk.orbit")],
    ["walk", t("walk.walk")],
  ];
  page.replaceChildren(
    h(
      "header",
      { class: "top" },
      h("div", { class: "title" }, h("h1", {}, scene.name), h("p", {}, facts())),
      h("div", { class: "switches" }, languageSwitch()),
    ),
    h(
      "main",
      {},
      scene.shrunk > 1 && h("p", { class: "quiet" }, t("walk.shrunk", { n: scene.shrunk })),
      h("div", { class: "controls" }, choice("mode", t("walk.mode"), modes, state.mode, enter), ...places()),
      canvas,
      h("div", { class: "controls" }, ...pad()),
      h("p", { class: "quiet" }, t(`walk.hint.${state.mode}`)),
    ),
  );
  draw();
}

function facts() {
  return t("walk.facts", {
    triangles: whole(scene.triangles),
    objects: whole(scene.objects),
    rooms: whole(scene.rooms.length),
    size: (document.documentElement.outerHTML.length / 1e6).toFixed(1),
  });
}

function languageSwitch() {
  const other = currentLanguage() === "en" ? "zh" : "en";
  const say = () => {
    switchTo(other);
    render();
    document.getElementById("language").focus();
  };
  return h("button", { id: "language", lang: other === "zh" ? "zh-Hans" : "en", onclick: say }, t("page.language"));
}

// What can be gone to: storeys and the height of the cut from outside, rooms from within.
function places() {
  const storeys = scene.storeys.map((height, i) => [String(i), t("walk.floor", { n: i + 1 })]);
  const rooms = scene.rooms.map((room, i) => [String(i), `${room.name} ${room.id}`]);
  if (state.mode === "walk")
    return rooms.length ? [select(t("walk.room"), [["", "–"], ...rooms], "", (i) => i && visit(scene.rooms[i]))] : [];
  const floor = scene.storeys[state.storey] ?? scene.low[1];
  const output = h("span", {}, t("walk.cut", { m: (state.top - floor).toFixed(1) }));
  const cut = (event) => {
    state.top = Number(event.target.value);
    output.replaceChildren(t("walk.cut", { m: (state.top - floor).toFixed(1) }));
    draw();
  };
  const [min, max] = [scene.low[1], scene.low[1] + scene.extent[1] + 0.05];
  return [
    storeys.length > 1 && select(t("walk.storey"), storeys, String(state.storey), climb),
    h(
      "label",
      { class: "field grow" },
      output,
      h("input", { type: "range", min, max, step: 0.05, value: state.top, oninput: cut }),
    ),
  ].filter(Boolean);
}

function climb(i) {
  state.storey = Number(i);
  const floor = scene.storeys[state.storey] ?? scene.low[1];
  state.top = Math.min(floor + CUTAWAY, scene.low[1] + scene.extent[1]);
  state.target[1] = floor;
  render();
}

function enter(mode) {
  state.mode = mode;
  render();
  canvas.focus();
}

function visit(room) {
  state.feet = room.feet;
  draw();
  canvas.focus();
}

// Buttons that act as long as they are held, for fingers and for whoever has no such keys.
function pad() {
  const signs = { ahead: "↑", back: "↓", left: "←", right: "→", turnleft: "↶", turnright: "↷" };
  const moves = Object.entries(signs).map(([name, sign]) => {
    const end = () => held.delete(name);
    const begin = () => press(name);
    const click = (event) => event.detail === 0 && move(name, 0.25);
    const on = { onpointerdown: begin, onpointerup: end, onpointerleave: end, onpointercancel: end, onclick: click };
    return h("button", { ...on, "aria-label": t(`walk.${name}`), title: t(`walk.${name}`) }, sign);
  });
  const zooms = [
    [0.8, "+", "nearer"],
    [1.25, "−", "farther"],
  ].map(([factor, sign, name]) =>
    h("button", { onclick: () => zoom(factor), "aria-label": t(`walk.${name}`), title: t(`walk.${name}`) }, sign),
  );
  return state.mode === "orbit" ? [...moves, ...zooms] : moves;
}

function zoom(factor) {
  state.away = Math.max(1, Math.min(400, state.away * factor));
  draw();
}

function press(name) {
  if (!held.size) {
    last = performance.now();
    requestAnimationFrame(tick);
  }
  held.add(name);
}

function tick(now) {
  const passed = Math.min(0.1, (now - last) / 1000);
  last = now;
  for (const name of held) move(name, passed);
  if (held.size) requestAnimationFrame(tick);
}

function move(name, seconds) {
  const outside = state.mode === "orbit";
  const angle = outside ? state.turn : state.yaw;
  const pace = seconds * (outside ? 0.5 * state.away : SPEED);
  const turn = { turnleft: 1, turnright: -1 }[name];
  if (turn && outside) state.turn -= turn * seconds * TURNING;
  else if (turn) state.yaw += turn * seconds * TURNING;
  else {
    const [along, aside] = { ahead: [pace, 0], back: [-pace, 0], left: [0, -pace], right: [0, pace] }[name];
    const dx = -Math.sin(angle) * along + Math.cos(angle) * aside,
      dz = -Math.cos(angle) * along - Math.sin(angle) * aside;
    if (outside) state.target = [state.target[0] + dx, state.target[1], state.target[2] + dz];
    else state.feet = ground.step(state.feet, dx, dz);
  }
  draw();
}

function look(dx, dy) {
  if (state.mode === "orbit") {
    state.turn -= dx / 150;
    state.tilt = Math.max(0.05, Math.min(1.55, state.tilt + dy / 150));
  } else {
    state.yaw += dx / 250;
    state.pitch = Math.max(-1.4, Math.min(1.4, state.pitch + dy / 250));
  }
  draw();
}

// Camera position and what it looks at; a tall picture is taken from farther off.
function camera(aspect) {
  if (state.mode === "walk") {
    const { feet, yaw, pitch } = state,
      flat = Math.cos(pitch),
      eye = [feet[0], feet[1] + EYES, feet[2]];
    return [eye, [eye[0] - Math.sin(yaw) * flat, eye[1] + Math.sin(pitch), eye[2] - Math.cos(yaw) * flat]];
  }
  const { turn, tilt, target } = state,
    away = state.away / Math.min(1, aspect),
    out = away * Math.cos(tilt);
  const eye = [out * Math.sin(turn), away * Math.sin(tilt), out * Math.cos(turn)];
  return [eye.map((value, axis) => value + target[axis]), target];
}

function drawScene(scale, haste) {
  if (!sky) return;
  const { gl } = solid,
    within = state.mode === "walk";
  const [width, height] = sized(canvas, scale),
    aspect = width / height,
    [eye, target] = camera(aspect),
    lens = perspective(within ? 1.1 : 0.9, aspect, within ? 0.04 : 0.2, within ? 150 : 1000);
  gl.viewport(0, 0, width, height);
  gl.clearColor(0.09, 0.1, 0.13, 1);
  gl.enable(gl.DEPTH_TEST);
  gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
  solid.draw(multiply(lens, lookAt(eye, target)), eye, within ? 1e9 : state.top, { haste });
  if (within) sky.draw(eye, target, lens);
}

function steered() {
  addEventListener("keydown", (event) => {
    if (/^(INPUT|SELECT|BUTTON)$/.test(document.activeElement?.tagName) || event.ctrlKey || event.metaKey) return;
    if (event.code in KEYS) press(KEYS[event.code]);
    else if (event.key === "+" || event.key === "-") zoom(event.key === "+" ? 0.9 : 1.1);
    else return;
    event.preventDefault();
  });
  addEventListener("keyup", (event) => held.delete(KEYS[event.code]));
  addEventListener("blur", () => held.clear());
  addEventListener("resize", draw);
  const fingers = new Map();
  canvas.addEventListener("pointerdown", (event) => {
    fingers.set(event.pointerId, event);
    canvas.setPointerCapture(event.pointerId);
  });
  for (const name of ["pointerup", "pointercancel"])
    canvas.addEventListener(name, (event) => fingers.delete(event.pointerId));
  canvas.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) return;
    const other = [...fingers.values()].find((one) => one.pointerId !== event.pointerId);
    const apart = (one) => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
    if (other) zoom(apart(before) / Math.max(1, apart(event)));
    else look(event.clientX - before.clientX, event.clientY - before.clientY);
    fingers.set(event.pointerId, event);
  });
  const wheel = (event) => {
    zoom(event.deltaY > 0 ? 1.1 : 0.9);
    event.preventDefault();
  };
  canvas.addEventListener("wheel", wheel, { passive: false });
}

speak(currentLanguage());
climb(0);
const context = canvas.getContext("webgl2", { antialias: false, preserveDrawingBuffer: true });
if (context) {
  solid = new Solid(context, scene, part);
  steered();
  sky = new Sky(context, scene.sky);
  await Promise.all([solid.paint(part), sky.paint(part)]);
  drawScene(1, false);
  draw();
} else page.querySelector("main").prepend(h("p", { class: "warning" }, t("view.none")));
page.dataset.ready = "true";
