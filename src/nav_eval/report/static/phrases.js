// The sentences of an instruction, and which of them is in force while an agent follows its path.

import { apart } from "./decode.js";

const ENDS = /[^.!?;。！？；\n]+[.!?;。！？；\n]*["”’)]*\s*/gu;
const COMMAS = /[^,，、]+[,，、]*\s*/gu;
const FEW_SENTENCES = 3;
const OFF_PATH = 3;
const AHEAD = 1.5;

// [[text, share of the reference path at which it ends]]: as the data set says, else by the length of the words.
export function phrases(text, parts) {
  if (parts) return parts.map(([part, share], i) => [i + 1 < parts.length ? `${part} ` : part, share]);
  const sentences = text.match(ENDS) || [text];
  const pieces = sentences.length < FEW_SENTENCES ? sentences.flatMap((one) => one.match(COMMAS) || [one]) : sentences;
  let before = 0;
  return pieces.map((piece) => {
    before += piece.length;
    return [piece, before / pieces.join("").length];
  });
}

// For each pose of a track the share of the reference path that it has followed and how far off it stands, metres.
export function progress(track, reference) {
  const lengths = [0];
  for (let i = 1; i < reference.length; i++) lengths.push(lengths[i - 1] + apart(reference[i], reference[i - 1]));
  const whole = lengths[lengths.length - 1] || 1;
  let furthest = 0,
    walked = 0;
  return track.map((point, i) => {
    if (i) walked += apart(point, track[i - 1]);
    const [at, off] = nearest(point, reference, lengths, Math.min(furthest, whole), walked + AHEAD);
    if (off < OFF_PATH) furthest = Math.max(furthest, at);
    return { share: furthest / whole, off };
  });
}

// The phrase of a share, as an index.
export function inForce(found, share) {
  const at = found.findIndex(([, end]) => share < end - 1e-6);
  return at < 0 ? found.length - 1 : at;
}

function nearest(point, path, lengths, from, to) {
  let best = [from, Infinity];
  for (let i = 1; i < path.length; i++) {
    if (lengths[i] < from - 1e-6 || lengths[i - 1] > to) continue;
    const [a, b] = [path[i - 1], path[i]],
      span = apart(a, b);
    const along = span ? a.reduce((sum, value, k) => sum + (point[k] - value) * (b[k] - value), 0) / span : 0;
    const at = Math.max(0, Math.min(span, along));
    const spot = a.map((value, k) => value + (span ? ((b[k] - value) * at) / span : 0));
    const off = apart(spot, point);
    if (off < best[1]) best = [lengths[i - 1] + at, off];
  }
  return best;
}
