// From the packed document to arrays that can be drawn. Points are metres here: [x, y, z], y up.

export async function readDocument(element) {
  return unpack(element.textContent.trim());
}

export async function unpack(text) {
  return JSON.parse(new TextDecoder().decode(await inflated(text)));
}

// Base64 of gzip -> ArrayBuffer.
export async function inflated(text) {
  const stream = new Blob([bytes(text)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

export function bytes(text) {
  const raw = atob(text);
  const out = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) out[i] = raw.charCodeAt(i);
  return out;
}

// Deltas of whole centimetres -> points in metres.
export function points(flat) {
  const out = [];
  let x = 0,
    y = 0,
    z = 0;
  for (let i = 0; i < flat.length; i += 3) {
    x += flat[i];
    y += flat[i + 1];
    z += flat[i + 2];
    out.push([x / 100, y / 100, z / 100]);
  }
  return out;
}

// Metres between two points.
export function apart(a, b) {
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

// Packed cells, row by row, eight to a byte -> one byte per cell.
export function cells(text, count) {
  const out = new Uint8Array(count);
  if (!text) return out;
  const packed = bytes(text);
  for (let i = 0; i < count; i++) out[i] = (packed[i >> 3] >> (7 - (i & 7))) & 1;
  return out;
}

// A track with its points, and those of the people who walked there.
export function unpacked(track) {
  return { ...track, points: points(track.points), people: (track.people || []).map(points) };
}

// A run's label: its entry's name, else its agent, and its directory where two runs are called the same.
export function labels(runs) {
  const name = (run) => run.entry.name || run.agent;
  const count = (wanted) => runs.filter((run) => name(run) === wanted).length;
  return runs.map((run) => (count(name(run)) > 1 ? `${name(run)} (${run.name})` : name(run)));
}

// The document with these runs only, in this order: what the charts and tables below the board draw.
export function only(doc, runs) {
  const pick = (list) => list && runs.map((i) => list[i]);
  return {
    ...doc,
    runs: pick(doc.runs),
    results: pick(doc.results),
    groups: doc.groups.map((group) => ({ ...group, runs: pick(group.runs) })),
    histograms: doc.histograms.map((one) => ({ ...one, counts: pick(one.counts) })),
    latency: doc.latency && { ...doc.latency, ...Object.fromEntries(["counts", "percentiles", "n"].map((name) => [name, pick(doc.latency[name])])) },
  };
}

// How far the agent was from the goal at the end, metres, "inf", or null.
export function finalDistance(values, index) {
  const column = values.navigation_error || values.distance_to_goal;
  return column ? column[index] : null;
}
