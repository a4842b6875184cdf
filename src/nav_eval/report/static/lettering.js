// Words in a chart: how long they are and where they break. A saved chart names the font by which it was laid out.

export const FAMILY = "Helvetica, Arial, 'Liberation Sans', 'Noto Sans CJK SC', 'PingFang SC', 'Microsoft YaHei', sans-serif";
export const SIZE = 11;
export const ROW = 17;

const MAX_LINES = 3;
const PIECES = /[^\s\-_/.:\u2e80-\uffef]*(?:\s+|[-_/.:\u2e80-\uffef]|$)/gu;
const pen = document.createElement("canvas").getContext("2d");

export function lengthOf(text, size = SIZE, weight = 400) {
  pen.font = `${weight} ${size}px ${FAMILY}`;
  return pen.measureText(text).width;
}

// In lines no longer than `width`: broken after blanks, joints and Chinese letters, else anywhere. What is beyond
// three lines is cut.
export function wrapped(text, width) {
  const pieces = text.match(PIECES).flatMap((piece) => (lengthOf(piece) > width ? [...piece] : [piece]));
  const lines = [""];
  for (const piece of pieces) {
    if (lengthOf(lines.at(-1) + piece.trimEnd()) > width) lines.push("");
    lines[lines.length - 1] += piece;
  }
  const kept = lines.map((line) => line.trim()).filter(Boolean);
  return kept.length > MAX_LINES ? [...kept.slice(0, MAX_LINES - 1), shortened(kept.slice(MAX_LINES - 1).join(" "), width)] : kept;
}

export function shortened(text, width) {
  if (lengthOf(text) <= width) return text;
  const letters = [...text];
  while (lengthOf(`${letters.join("")}…`) > width) letters.pop();
  return `${letters.join("")}…`;
}
