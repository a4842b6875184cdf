// The floor plan of a storey, in metres: rooms with their names and furniture, else the floor that can be walked on.

import { svg } from "./dom.js";
import { named } from "./words.js";

const WALL = 0.12;
const WIDE = 0.56;
const LINE = 1.25;

// Points in whole centimetres, x and z in turn -> the outline of a polygon.
function outline(corners) {
  const parts = [];
  for (let i = 0; i < corners.length; i += 2) parts.push(`${corners[i] / 100} ${corners[i + 1] / 100}`);
  return `M${parts.join("L")}Z`;
}

function rect(box, props, grow = 0) {
  const [left, top, right, bottom] = box.map((value) => value / 100);
  return svg("rect", {
    x: left - grow,
    y: top - grow,
    width: right - left + 2 * grow,
    height: bottom - top + 2 * grow,
    ...props,
  });
}

// `unit`: a hundredth of the picture's side, metres, by which names are sized.
export function drawnPlan(plan, unit) {
  return svg("g", { class: "plan" }, ...(plan.boxes ? rooms(plan) : floors(plan)), ...names(plan, unit));
}

// A door is seen in the wall only: its box holds the leaf, too, however far it stands open.
function rooms(plan) {
  const doors = plan.things.filter(([kind]) => kind === "door"),
    others = plan.things.filter(([kind]) => kind !== "door");
  return [
    ...plan.rooms.map(([, ...box]) => rect(box, { class: "walls" }, WALL)),
    ...doors.map(([, ...box]) => rect(box, { class: "door" })),
    ...plan.rooms.map(([name, ...box]) => rect(box, { class: `room ${name.replaceAll(" ", "-")}` })),
    ...others.map(([kind, ...box]) => rect(box, { class: kind, rx: kind === "plant" ? 1 : null })),
  ];
}

// Walkable polygons, grown by the agent's radius: what the walls leave free. The walls are a rim round all of them.
function floors(plan) {
  const stairs = plan.stairs.map(outline).join(""),
    ground = plan.floor.map(outline).join("");
  const grown = (d, name, by) => svg("path", { class: name, d, style: { "stroke-width": `${2 * (plan.radius + by)}px` } });
  return [
    grown(stairs + ground, "rim", WALL),
    grown(stairs, "level stairs", 0),
    grown(ground, "rim", 0.02),
    grown(ground, "level ground", 0),
  ].filter((part) => part.getAttribute("d"));
}

// A name stands in its room, along its longer side, where it fits; the larger rooms first.
function names(plan, unit) {
  return plan.rooms.map(([name, ...box]) => {
    const [left, top, right, bottom] = box.map((value) => value / 100);
    const text = named("room", name.replaceAll(" ", "_")),
      letters = [...text].reduce((sum, letter) => sum + (letter > "\u2e80" ? 1 : WIDE), 0);
    const across = right - left,
      along = bottom - top,
      turned = along > 1.6 * across;
    const size = Math.min(2.6 * unit, (0.9 * (turned ? along : across)) / letters, (turned ? across : along) / LINE);
    if (size < 1.1 * unit) return null;
    const x = (left + right) / 2,
      y = (top + bottom) / 2;
    return svg(
      "text",
      { class: "name", x, y, transform: turned ? `rotate(-90 ${x} ${y})` : null, style: { "font-size": `${size}px` } },
      text,
    );
  });
}
