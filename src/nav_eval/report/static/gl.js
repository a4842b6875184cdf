// The little of WebGL that every 3-D view of these pages begins with.

// `slots`: the attributes whose places several programs have in common, in order.
export function linked(gl, vertex, fragment, slots = []) {
  const program = gl.createProgram();
  for (const [kind, source] of [
    [gl.VERTEX_SHADER, vertex],
    [gl.FRAGMENT_SHADER, fragment],
  ]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  slots.forEach((name, slot) => gl.bindAttribLocation(program, slot, name));
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
  return program;
}
