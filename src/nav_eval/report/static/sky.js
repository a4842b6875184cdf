// What is seen where no surface is: six pictures of a cube at infinity, one below the other: front (-z), left, back,
// right, up, down. There may be several, each for cameras from a height on.

import { linked } from "./gl.js";
import { cross3, minus, unit } from "./matrix.js";

const SKY_VERTEX = `#version 300 es
out vec2 at;
void main() {
  at = vec2((gl_VertexID << 1) & 2, gl_VertexID & 2) * 2.0 - 1.0;
  gl_Position = vec4(at, 1.0, 1.0);
}`;
const SKY_FRAGMENT = `#version 300 es
precision highp float;
in vec2 at;
uniform sampler2D faces; uniform vec3 across; uniform vec3 upward; uniform vec3 ahead;
out vec4 seen;
void main() {
  vec3 ray = ahead + at.x * across + at.y * upward, size = abs(ray);
  vec3 spot;
  if (size.y > max(size.x, size.z))
    spot = ray.y > 0.0 ? vec3(4.0, ray.x / ray.y, -ray.z / ray.y) : vec3(5.0, ray.x / -ray.y, ray.z / -ray.y);
  else if (size.x > size.z)
    spot = ray.x > 0.0 ? vec3(3.0, ray.z / ray.x, -ray.y / ray.x) : vec3(1.0, ray.z / ray.x, ray.y / ray.x);
  else spot = ray.z > 0.0 ? vec3(2.0, -ray.x / ray.z, -ray.y / ray.z) : vec3(0.0, ray.x / -ray.z, ray.y / ray.z);
  float half_texel = 0.5 / float(textureSize(faces, 0).x);
  vec2 within = clamp(spot.yz * 0.5 + 0.5, half_texel, 1.0 - half_texel);
  seen = vec4(texture(faces, vec2(within.x, (spot.x + within.y) / 6.0)).rgb, 1.0);
}`;

export class Sky {
  // above: the height (m) from which on each picture is seen, ascending.
  constructor(gl, above) {
    this.gl = gl;
    this.above = above;
    this.pictures = [];
    if (above.length) this.program = linked(gl, SKY_VERTEX, SKY_FRAGMENT);
    this.array = gl.createVertexArray();
  }

  async paint(part) {
    const { gl } = this;
    const images = this.above.map((_, i) => createImageBitmap(new Blob([part(`sky${i}`)], { type: "image/jpeg" })));
    this.pictures = (await Promise.all(images)).map((image) => {
      const texture = gl.createTexture();
      gl.bindTexture(gl.TEXTURE_2D, texture);
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, image);
      for (const [name, value] of [
        [gl.TEXTURE_MIN_FILTER, gl.LINEAR],
        [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE],
        [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE],
      ])
        gl.texParameteri(gl.TEXTURE_2D, name, value);
      return texture;
    });
  }

  // Where nothing was drawn before. `lens`: the projection.
  draw(eye, target, lens) {
    if (!this.pictures.length) return;
    const { gl, program } = this,
      ahead = unit(minus(target, eye)),
      across = unit(cross3(ahead, [0, 1, 0])),
      upward = cross3(across, ahead),
      index = Math.max(0, this.above.filter((height) => height <= eye[1]).length - 1);
    gl.useProgram(program);
    gl.bindVertexArray(this.array);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.pictures[index]);
    for (const [name, axis, size] of [
      ["ahead", ahead, 1],
      ["across", across, 1 / lens[0]],
      ["upward", upward, 1 / lens[5]],
    ])
      gl.uniform3fv(
        gl.getUniformLocation(program, name),
        axis.map((value) => value * size),
      );
    gl.depthFunc(gl.LEQUAL);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    gl.depthFunc(gl.LESS);
  }
}
