// A chart as a file for a paper: SVG that needs no style sheet, or a PDF of one page. Both in the light theme's colours.
// The PDF names Helvetica, and for Chinese Adobe's Song, which every reader of PDF brings or replaces.

import { h } from "./dom.js";
import { t } from "./words.js";

const COLUMN = 340;
const POINT = 0.75;
const STYLES = ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "font-size", "font-weight", "text-anchor"];

// Draws at the width of a paper's column (9 cm), in the light theme, and hands the file to the browser.
export function saved(name, kind, draw) {
  const root = document.documentElement,
    theme = root.dataset.theme;
  const picture = draw(COLUMN);
  const desk = h("div", { class: "desk" }, picture);
  root.dataset.theme = "light";
  document.body.append(desk);
  const text = kind === "svg" ? svgText(picture) : pdfText(picture);
  desk.remove();
  if (theme) root.dataset.theme = theme;
  else delete root.dataset.theme;
  const content = kind === "svg" ? text : Uint8Array.from(text, (letter) => letter.charCodeAt(0));
  handOver(`${name}.${kind}`, kind === "svg" ? "image/svg+xml" : "application/pdf", content);
}

// A file for the reader's disk; nothing leaves the page.
export function handOver(name, type, content) {
  const address = URL.createObjectURL(new Blob([content], { type }));
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

// A button that copies a text, and says so beside it.
export function copying(word, text) {
  const said = h("span", { role: "status", class: "quiet" });
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text());
      said.replaceChildren(t("copy.done"));
    } catch {
      prompt(t(word), text());
    }
  };
  return [h("button", { onclick: copy }, t(word)), " ", said];
}

function svgText(picture) {
  const copy = picture.cloneNode(true);
  const originals = [...picture.querySelectorAll("*")];
  [...copy.querySelectorAll("*")].forEach((part, i) => {
    const style = getComputedStyle(originals[i]);
    for (const name of STYLES) part.setAttribute(name, style.getPropertyValue(name));
    part.removeAttribute("class");
    // Where none of the fonts is installed, another must not make the words longer.
    if (part.tagName === "text") part.setAttribute("textLength", originals[i].getComputedTextLength().toFixed(1));
  });
  copy.removeAttribute("class");
  return new XMLSerializer().serializeToString(copy);
}

const FONTS = [
  "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
  "<< /Type /Font /Subtype /Type0 /BaseFont /STSong-Light-UniGB-UTF16-H /Encoding /UniGB-UTF16-H /DescendantFonts [7 0 R] >>",
  "<< /Type /Font /Subtype /CIDFontType0 /BaseFont /STSong-Light " +
    "/CIDSystemInfo << /Registry (Adobe) /Ordering (GB1) /Supplement 4 >> /DW 1000 /FontDescriptor 8 0 R >>",
  "<< /Type /FontDescriptor /FontName /STSong-Light /Flags 6 /FontBBox [-25 -254 1000 880] " +
    "/ItalicAngle 0 /Ascent 880 /Descent -120 /CapHeight 880 /StemV 93 >>",
];

// Drawing operators of PDF 1.5; y grows upwards there.
function pdfText(picture) {
  const height = Number(picture.getAttribute("height")) * POINT,
    width = Number(picture.getAttribute("width")) * POINT;
  const drawn = [...picture.querySelectorAll("line, rect, circle, path, text")].map((part) => operators(part));
  const stream = `${POINT} 0 0 ${-POINT} 0 ${height} cm\n${drawn.join("\n")}`;
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} ${height}] /Contents 4 0 R /Resources << /Font << /F1 5 0 R /F2 6 0 R >> ${faint()} >> >>`,
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    ...FONTS,
  ];
  let text = "%PDF-1.5\n";
  const places = objects.map((object, i) => {
    const place = text.length;
    text += `${i + 1} 0 obj\n${object}\nendobj\n`;
    return place;
  });
  const rows = places.map((place) => `${String(place).padStart(10, "0")} 00000 n \n`).join("");
  const size = objects.length + 1;
  const trailer = `trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`;
  return `${text}xref\n0 ${size}\n0000000000 65535 f \n${rows}${trailer}`;
}

function faint() {
  const levels = Array.from({ length: 11 }, (_, i) => `/A${i} << /ca ${i / 10} /CA ${i / 10} >>`);
  return `/ExtGState << ${levels.join(" ")} >>`;
}

function operators(part) {
  const style = getComputedStyle(part),
    number = (name) => Number(part.getAttribute(name) || 0);
  const fill = colour(style.fill, "rg"),
    stroke = colour(style.stroke, "RG");
  const look = `q /A${Math.round(10 * Number(style.opacity))} gs ${fill} ${stroke} ${parseFloat(style.strokeWidth) || 1} w ${dashes(style)}`;
  const paint = fill && stroke ? "B" : fill ? "f" : "S";
  switch (part.tagName) {
    case "line":
      return `${look} ${number("x1")} ${number("y1")} m ${number("x2")} ${number("y2")} l S Q`;
    case "rect":
      return `${look} ${number("x")} ${number("y")} ${number("width")} ${number("height")} re ${paint} Q`;
    case "circle":
      return `${look} ${ring(number("cx"), number("cy"), number("r"))} ${paint} Q`;
    case "path":
      return `${look} ${outlined(part.getAttribute("d"))} ${paint} Q`;
    default:
      return written(part, style, look);
  }
}

function colour(value, operator) {
  const found = value.match(/rgba?\(([^)]*)\)/);
  if (!found) return "";
  const [r, g, b, a = 1] = found[1].split(/[ ,/]+/).map(Number);
  return a ? `${[r, g, b].map((one) => (one / 255).toFixed(3)).join(" ")} ${operator}` : "";
}

function ring(x, y, r) {
  const k = 0.5523 * r;
  return [
    `${x + r} ${y} m`,
    `${x + r} ${y + k} ${x + k} ${y + r} ${x} ${y + r} c ${x - k} ${y + r} ${x - r} ${y + k} ${x - r} ${y} c`,
    `${x - r} ${y - k} ${x - k} ${y - r} ${x} ${y - r} c ${x + k} ${y - r} ${x + r} ${y - k} ${x + r} ${y} c h`,
  ].join(" ");
}

// The commands that the charts use: M, L, H and Z.
function outlined(d) {
  let y = 0;
  return [...d.matchAll(/([MLHZ])([^MLHZ]*)/g)]
    .map(([, command, rest]) => {
      const numbers = rest.trim().split(/[ ,]+/).map(Number);
      if (command === "Z") return "h";
      if (command !== "H") y = numbers[1];
      return `${numbers[0]} ${y} ${command === "M" ? "m" : "l"}`;
    })
    .join(" ");
}

function dashes({ strokeDasharray: value }) {
  return value === "none" ? "" : `[${value.split(/[ ,]+/).map(parseFloat).join(" ")}] 0 d`;
}

// A turned text stands upright on its anchor.
function written(part, style, look) {
  const long = part.getComputedTextLength(),
    back = { middle: long / 2, end: long }[style.textAnchor] || 0;
  const [x, y] = [Number(part.getAttribute("x")), Number(part.getAttribute("y"))];
  const matrix = part.hasAttribute("transform") ? `0 -1 -1 0 ${x} ${y + back}` : `1 0 0 -1 ${x - back} ${y}`;
  return `${look} BT ${matrix} Tm ${strings(part.textContent, parseFloat(style.fontSize))} ET Q`;
}

const WINDOWS = { "–": "\x96", "—": "\x97", "…": "\x85", "“": "\x93", "”": "\x94", "’": "\x92", "−": "-" };

// Letters that Helvetica has, and in between those that only the Chinese font may have.
function strings(text, size) {
  return text
    .replace(/[–—…“”’−]/g, (one) => WINDOWS[one])
    .match(/[\0-\xff]+|[^\0-\xff]+/g)
    .map((run) => {
      if (run.charCodeAt(0) < 256) return `/F1 ${size} Tf (${run.replace(/[\\()]/g, (one) => `\\${one}`)}) Tj`;
      const codes = [...Array(run.length).keys()].map((i) => run.charCodeAt(i).toString(16).padStart(4, "0"));
      return `/F2 ${size} Tf <${codes.join("")}> Tj`;
    })
    .join(" ");
}
