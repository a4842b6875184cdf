// A whole scene on the graphics card: textures and vertex colours as stored, as the agent's camera shows them.

import { linked } from "./gl.js";
import { simplified } from "./simpler.js";

const SOLID_VERTEX = `#version 300 es
in vec3 place; in vec2 uv; in vec2 lightuv; in vec4 tint;
uniform mat4 camera; uniform vec3 low; uniform vec3 extent;
out vec3 at; out vec2 spot; out vec2 lightspot; out vec4 hue;
void main() {
  at = low + place * extent;
  spot = uv;
  lightspot = lightuv;
  hue = tint;
  gl_Position = camera * vec4(at, 1.0);
}`;
// Only what a chunk needs is defined: discarding and turning to the light cost, and most of a scene wants neither.
const SOLID_FRAGMENT = `
precision highp float;
in vec3 at; in vec2 spot; in vec2 lightspot; in vec4 hue;
uniform sampler2D picture; uniform sampler2D light; uniform bool baked;
uniform vec4 factor; uniform float cutoff; uniform float top; uniform vec3 eye;
uniform vec3 kept; uniform float ghost; uniform float bottom; uniform bool cut;
out vec4 seen;
// Whether a point stands in the way of what is to be seen: every fourth pixel of it is left.
bool hides(vec3 point) {
  vec3 way = kept - eye, rest = point - eye;
  float far = length(way), along = dot(rest, way) / far;
  if (point.y < bottom || along > far - 0.25 || along < 0.0) return false;
  float off = length(rest - way * (along / far));
  return off < ghost * along / far + 0.15 && mod(floor(gl_FragCoord.x) + 2.0 * floor(gl_FragCoord.y), 4.0) > 0.5;
}
void main() {
#ifdef CUTS
  if (at.y > top) discard;
#endif
#ifdef GHOSTS
  if (hides(at)) discard;
  if (cut && !gl_FrontFacing) { seen = vec4(0.35, 0.37, 0.41, 1.0); return; }
#endif
  vec3 shine = baked ? texture(light, lightspot).rgb * (255.0 / 128.0) : hue.rgb;
  vec4 colour = factor * vec4(shine, hue.a) * texture(picture, spot);
#ifdef MASKED
  if (colour.a < cutoff) discard;
#endif
#ifdef BARE
  vec3 facing = normalize(cross(dFdx(at), dFdy(at)));
  colour.rgb *= 0.35 + 0.5 * abs(dot(facing, normalize(eye - at))) + 0.15 * abs(facing.y);
#endif
  seen = vec4(colour.rgb, 1.0);
}`;
const SLOTS = ["place", "uv", "lightuv", "tint"];
const CLOSE = 2,
  SHELL = 4;
const WRAP = { repeat: "REPEAT", clamp: "CLAMP_TO_EDGE", mirror: "MIRRORED_REPEAT" };

export class Solid {
  // `scene`: the page's document; `part(name)`: the bytes of one of its parts.
  constructor(gl, scene, part) {
    this.gl = gl;
    this.scene = scene;
    this.programs = new Map();
    this.samplers = new Map();
    this.array = gl.createVertexArray();
    gl.bindVertexArray(this.array);
    this.places = part("places");
    this.attribute("place", this.places, 3, gl.UNSIGNED_SHORT, true, 8);
    this.attribute("uv", part("uvs"), 2, gl.FLOAT, false, 8);
    this.attribute("lightuv", part("lightuvs"), 2, gl.UNSIGNED_SHORT, true, 4);
    this.attribute("tint", part("colours"), 4, gl.UNSIGNED_BYTE, true, 4);
    this.corners = part("triangles");
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, this.corners, gl.STATIC_DRAW);
    this.rough = null;
    this.white = this.texture(new ImageData(new Uint8ClampedArray([255, 255, 255, 255]), 1, 1), ["repeat", "repeat"]);
    this.pictures = scene.materials.map(() => this.white);
    this.lights = scene.materials.map(() => this.white);
  }

  attribute(name, data, size, type, normalised, stride) {
    const { gl } = this,
      slot = SLOTS.indexOf(name);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(slot);
    gl.vertexAttribPointer(slot, size, type, normalised, stride, 0);
  }

  // Unpacks the pictures; resolves when all are on the card.
  async paint(part) {
    const options = { premultiplyAlpha: "none", colorSpaceConversion: "none" };
    const images = await Promise.all(
      this.scene.textures.map((kind, i) => createImageBitmap(new Blob([part(`texture${i}`)], { type: kind }), options)),
    );
    const light = new Map();
    this.scene.materials.forEach(({ texture, lightmap, wrap }, i) => {
      if (texture >= 0) this.pictures[i] = this.texture(images[texture], wrap);
      if (lightmap < 0) return;
      if (!light.has(lightmap)) light.set(lightmap, this.texture(images[lightmap], ["clamp", "clamp"], false));
      this.lights[i] = light.get(lightmap);
    });
  }

  texture(image, wrap, mips = true) {
    const { gl } = this,
      texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, image);
    if (mips) gl.generateMipmap(gl.TEXTURE_2D);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, mips ? gl.LINEAR_MIPMAP_LINEAR : gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl[WRAP[wrap[0]]]);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl[WRAP[wrap[1]]]);
    const finer = gl.getExtension("EXT_texture_filter_anisotropic");
    if (finer) gl.texParameterf(gl.TEXTURE_2D, finer.TEXTURE_MAX_ANISOTROPY_EXT, 4);
    return texture;
  }

  // How a texture that repeats so is read in haste: of one size, from one direction.
  hasty(wrap) {
    const { gl, samplers } = this,
      name = wrap.join();
    if (!samplers.has(name)) {
      const sampler = gl.createSampler();
      gl.samplerParameteri(sampler, gl.TEXTURE_MIN_FILTER, gl.LINEAR_MIPMAP_NEAREST);
      gl.samplerParameteri(sampler, gl.TEXTURE_WRAP_S, gl[WRAP[wrap[0]]]);
      gl.samplerParameteri(sampler, gl.TEXTURE_WRAP_T, gl[WRAP[wrap[1]]]);
      samplers.set(name, sampler);
    }
    return samplers.get(name);
  }

  // The program for what a chunk needs, and where its uniforms are.
  program(needs) {
    const { gl, programs } = this;
    if (!programs.has(needs)) {
      const defined = needs && needs.split(",").map((need) => `#define ${need}\n`).join("");
      const made = linked(gl, SOLID_VERTEX, `#version 300 es\n${defined}${SOLID_FRAGMENT}`, SLOTS);
      const found = new Map();
      const where = (uniform) => {
        if (!found.has(uniform)) found.set(uniform, gl.getUniformLocation(made, uniform));
        return found.get(uniform);
      };
      programs.set(needs, { made, where });
    }
    return programs.get(needs);
  }

  // Makes a simpler form of the scene, for while it moves on a slow machine.
  simplify() {
    const { gl, scene } = this;
    const places = new Uint16Array(this.places.slice().buffer),
      corners = new Uint32Array(this.corners.slice().buffer);
    this.rough = simplified(scene, places, corners);
    const both = new Uint32Array(corners.length + this.rough.corners.length);
    both.set(corners);
    both.set(this.rough.corners, corners.length);
    gl.bindVertexArray(this.array);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, both, gl.STATIC_DRAW);
    this.rough.ranges.forEach((range) => {
      range[0] += corners.length;
    });
  }

  // `camera`: 4 x 4, column-major; nothing above the height `top` (m) is drawn. `ghost`: what stands between the eye and
  // the place `at`, within `radius` (m) of that line and above `floor`, is seen through, and cut walls show their inside.
  // `haste`: what is farther than CLOSE is drawn in its simpler form.
  draw(camera, eye, top, { ghost = null, haste = false } = {}) {
    const { gl, scene } = this;
    if (haste && !this.rough) this.simplify();
    gl.bindVertexArray(this.array);
    let before = null,
      last = -1;
    for (const { material, needs, from, many } of this.pieces(sides(camera), eye, top, ghost, haste)) {
      const program = this.program(needs);
      if (program !== before) this.begin(program, camera, eye, top, ghost);
      if (program !== before || material !== last) this.dress(program, material, haste);
      [before, last] = [program, material];
      gl.drawElements(gl.TRIANGLES, many, gl.UNSIGNED_INT, 4 * from);
    }
    gl.bindSampler(0, null);
  }

  // What is drawn, one after the other; neighbours of one material that need the same are one piece.
  pieces(planes, eye, top, ghost, haste) {
    const { scene } = this,
      found = [];
    for (const { i, apart } of inView(scene, planes, eye, top)) {
      const [material, first, count] = scene.ranges[i];
      const [from, many] = haste && apart > CLOSE ? this.rough.ranges[i] : [first, count];
      const needs = [
        scene.boxes[i][4] > top && "CUTS",
        ghost && ghost.radius > 0 && "GHOSTS",
        scene.materials[material].cutoff >= 0 && "MASKED",
        scene.bare && "BARE",
      ];
      const name = needs.filter(Boolean).join(),
        last = found[found.length - 1];
      if (last && last.material === material && last.needs === name && last.from + last.many === from) last.many += many;
      else if (many) found.push({ material, needs: name, from, many });
    }
    return found;
  }

  begin({ made, where }, camera, eye, top, ghost) {
    const { gl, scene } = this;
    gl.useProgram(made);
    gl.uniformMatrix4fv(where("camera"), false, new Float32Array(camera));
    for (const [name, value] of [
      ["low", scene.low],
      ["extent", scene.extent],
      ["eye", eye],
      ["kept", ghost ? ghost.at : eye],
    ])
      gl.uniform3fv(where(name), value);
    gl.uniform1f(where("top"), top);
    gl.uniform1f(where("ghost"), ghost ? ghost.radius : 0);
    gl.uniform1f(where("bottom"), ghost ? ghost.floor : 0);
    // Of a coarse scene both sides of a thin thing lie in one plane: neither may be told from the other.
    gl.uniform1i(where("cut"), ghost && scene.textures.length ? 1 : 0);
    gl.uniform1i(where("light"), 1);
  }

  dress({ where }, material, haste) {
    const { gl } = this,
      { factor, cutoff, lightmap, wrap } = this.scene.materials[material];
    gl.uniform4fv(where("factor"), factor);
    gl.uniform1f(where("cutoff"), cutoff);
    gl.uniform1i(where("baked"), lightmap >= 0 ? 1 : 0);
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D, this.lights[material]);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.pictures[material]);
    gl.bindSampler(0, haste ? this.hasty(wrap) : null);
  }
}

// The chunks that may be in the picture, and how far off they are: nearer ones first, so that what they hide is not
// painted, and within a few metres in their order, so that many are one piece.
function inView({ boxes }, planes, eye, top) {
  const found = [];
  boxes.forEach((box, i) => {
    if (box[1] > top + 0.01 || planes.some((plane) => outside(box, plane))) return;
    found.push({ i, apart: Math.hypot(...eye.map((value, k) => Math.max(0, box[k] - value, value - box[k + 3]))) });
  });
  const shell = ({ apart }) => Math.floor(apart / SHELL);
  return found.sort((a, b) => shell(a) - shell(b) || a.i - b.i);
}

// The six sides of what a camera sees, each as a plane with its inside positive.
function sides(camera) {
  const row = (i) => [0, 4, 8, 12].map((at) => camera[at + i]);
  const last = row(3);
  return [0, 1, 2].flatMap((i) => [1, -1].map((sign) => row(i).map((value, k) => last[k] + sign * value)));
}

function outside(box, [a, b, c, d]) {
  return a * box[a > 0 ? 3 : 0] + b * box[b > 0 ? 4 : 1] + c * box[c > 0 ? 5 : 2] + d < 0;
}
