// A whole scene on the graphics card: textures and vertex colours as stored, as the agent's camera shows them.

import { linked } from "./gl.js";

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
const SOLID_FRAGMENT = `#version 300 es
precision highp float;
in vec3 at; in vec2 spot; in vec2 lightspot; in vec4 hue;
uniform sampler2D picture; uniform sampler2D light; uniform bool baked; uniform bool lit;
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
  if (at.y > top || (ghost > 0.0 && hides(at))) discard;
  if (cut && !gl_FrontFacing) { seen = vec4(0.35, 0.37, 0.41, 1.0); return; }
  vec3 shine = baked ? texture(light, lightspot).rgb * (255.0 / 128.0) : hue.rgb;
  vec4 colour = factor * vec4(shine, hue.a) * texture(picture, spot);
  if (colour.a < cutoff) discard;
  vec3 facing = normalize(cross(dFdx(at), dFdy(at)));
  if (lit) colour.rgb *= 0.35 + 0.5 * abs(dot(facing, normalize(eye - at))) + 0.15 * abs(facing.y);
  seen = vec4(colour.rgb, 1.0);
}`;
const WRAP = { repeat: "REPEAT", clamp: "CLAMP_TO_EDGE", mirror: "MIRRORED_REPEAT" };

export class Solid {
  // `scene`: the page's document; `part(name)`: the bytes of one of its parts.
  constructor(gl, scene, part) {
    this.gl = gl;
    this.scene = scene;
    this.places = {};
    this.program = linked(gl, SOLID_VERTEX, SOLID_FRAGMENT);
    this.array = gl.createVertexArray();
    gl.bindVertexArray(this.array);
    this.attribute("place", part("places"), 3, gl.UNSIGNED_SHORT, true, 8);
    this.attribute("uv", part("uvs"), 2, gl.FLOAT, false, 8);
    this.attribute("lightuv", part("lightuvs"), 2, gl.UNSIGNED_SHORT, true, 4);
    this.attribute("tint", part("colours"), 4, gl.UNSIGNED_BYTE, true, 4);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, part("triangles"), gl.STATIC_DRAW);
    this.white = this.texture(new ImageData(new Uint8ClampedArray([255, 255, 255, 255]), 1, 1), ["repeat", "repeat"]);
    this.pictures = scene.materials.map(() => this.white);
    this.lights = scene.materials.map(() => this.white);
  }

  attribute(name, data, size, type, normalised, stride) {
    const { gl } = this,
      slot = gl.getAttribLocation(this.program, name);
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

  // `camera`: 4 x 4, column-major; nothing above the height `top` (m) is drawn. `ghost`: what stands between the eye and
  // the place `at`, within `radius` (m) of that line and above `floor`, is seen through, and cut walls show their inside.
  draw(camera, eye, top, ghost = null) {
    const { gl, program, scene, places } = this,
      where = (name) => {
        if (!(name in places)) places[name] = gl.getUniformLocation(program, name);
        return places[name];
      };
    gl.useProgram(program);
    gl.bindVertexArray(this.array);
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
    gl.uniform1i(where("lit"), scene.bare ? 1 : 0);
    for (const [material, first, count] of runs(scene, sides(camera), top)) {
      const { factor, cutoff } = scene.materials[material];
      gl.uniform4fv(where("factor"), factor);
      gl.uniform1f(where("cutoff"), cutoff);
      gl.uniform1i(where("baked"), scene.materials[material].lightmap >= 0 ? 1 : 0);
      gl.activeTexture(gl.TEXTURE1);
      gl.bindTexture(gl.TEXTURE_2D, this.lights[material]);
      gl.activeTexture(gl.TEXTURE0);
      gl.bindTexture(gl.TEXTURE_2D, this.pictures[material]);
      gl.drawElements(gl.TRIANGLES, count, gl.UNSIGNED_INT, 4 * first);
    }
  }
}

// The chunks that may be in the picture, neighbours of one material together.
function runs(scene, planes, top) {
  const found = [];
  scene.ranges.forEach(([material, first, count], i) => {
    const box = scene.boxes[i];
    if (box[1] > top + 0.01 || planes.some((plane) => outside(box, plane))) return;
    const last = found[found.length - 1];
    if (last && last[0] === material && last[1] + last[2] === first) last[2] += count;
    else found.push([material, first, count]);
  });
  return found;
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
