// What the agent sees at a step: the pictures of its cameras, or at a graph's node the ways that lead on.

import { h, svg } from "./dom.js";
import { metres } from "./format.js";
import { apart, points } from "./decode.js";
import { t } from "./words.js";

const KINDS = ["rgb", "depth"];
const REACH = 88;

export function eyes(track, scene, reference) {
  if (track.frames) return cameras(track.frames);
  return scene.storeys.some((storey) => storey.kind === "graph") ? rose(track, scene, reference) : null;
}

// Which of the recorded pictures is the last one at a step.
export function frameAt(frames, step) {
  return Math.max(0, Math.floor((step - frames.first) / frames.every));
}

function cameras(frames) {
  const pictures = KINDS.filter((kind) => frames[kind]).map((kind) => h("img", { class: `frame ${kind}` }));
  const note = h("p", { class: "quiet unseen-yet" }, t("step.unseen"));
  const show = (step) => {
    const seen = step >= frames.first;
    note.hidden = seen;
    pictures.forEach((picture) => {
      const kind = picture.className.split(" ")[1];
      const at = frameAt(frames, step);
      picture.classList.toggle("waiting", !seen);
      picture.src = `data:image/jpeg;base64,${frames[kind][Math.min(at, frames[kind].length - 1)]}`;
      picture.alt = !seen ? t("step.unseen") : step ? t(`step.frame.${kind}`, { step }) : t("step.start");
    });
  };
  return { element: h("div", { class: "eyes" }, note, ...pictures), show };
}

// A graph's node from above, the agent looking up: every neighbour in its direction, the one that was taken filled.
function rose(track, scene, reference) {
  const picture = svg("svg", { class: "rose", viewBox: "-120 -120 240 240", role: "img" });
  const line = h("p", { class: "quiet" });
  const show = (step) => {
    const here = track.points[step],
      next = track.points.slice(step + 1).find((point) => apart(point, here) > 0.01),
      ways = neighbours(scene, here);
    const asked = onward(reference, here);
    const most = Math.max(1, ...ways.map((way) => apart(way, here)));
    const spokes = ways.map((way) => {
      const angle = bearing(here, way) + (track.yaws[step] * Math.PI) / 180,
        out = 30 + ((REACH - 30) * apart(way, here)) / most;
      const x = out * Math.sin(angle),
        y = -out * Math.cos(angle);
      const kind = [
        "spoke",
        next && apart(way, next) < 0.05 ? "taken" : "",
        asked && apart(way, asked) < 0.05 ? "asked" : "",
      ].join(" ");
      return svg(
        "g",
        { class: kind },
        svg("line", { x1: 0, y1: 0, x2: x, y2: y }),
        svg("circle", { cx: x, cy: y, r: 7 }),
        svg("text", { x: x * (1 + 18 / out), y: y * (1 + 18 / out) }, apart(way, here).toFixed(1)),
      );
    });
    const sectors = Array.from({ length: 12 }, (_, i) => {
      const angle = ((i + 0.5) * Math.PI) / 6;
      return svg("line", { x1: 0, y1: 0, x2: 104 * Math.sin(angle), y2: -104 * Math.cos(angle) });
    });
    const text = t("rose.line", { n: ways.length, metres: metres(most, 1) });
    picture.setAttribute("aria-label", text);
    line.replaceChildren(text, " ", t("rose.key"));
    picture.replaceChildren(
      svg("circle", { class: "dial", r: 104 }),
      svg("g", { class: "sectors" }, ...sectors),
      svg("text", { class: "ahead-word", x: 0, y: -109 }, t("rose.ahead")),
      ...spokes,
      svg("path", { class: "nose", d: "M0 -11L8 8L0 4L-8 8Z" }),
    );
  };
  return { element: h("div", { class: "eyes" }, picture, line), show };
}

// Yaw is positive to the left and 0 along -z; a bearing is positive to the right.
function bearing(from, to) {
  return Math.atan2(to[0] - from[0], -(to[2] - from[2]));
}

function neighbours(scene, here) {
  const found = new Map();
  for (const storey of scene.storeys.filter((one) => one.kind === "graph")) {
    const nodes = points(storey.nodes);
    const own = nodes.findIndex((node) => apart(node, here) < 0.05);
    for (let i = 0; own >= 0 && i < storey.edges.length; i += 2) {
      const [a, b] = [storey.edges[i], storey.edges[i + 1]];
      if (a === own || b === own) found.set(nodes[a === own ? b : a].join(), nodes[a === own ? b : a]);
    }
  }
  return [...found.values()];
}

// The node that the reference path names after this one.
function onward(reference, here) {
  const at = reference.findIndex((point) => apart(point, here) < 0.05);
  return at < 0 ? null : reference[at + 1];
}
