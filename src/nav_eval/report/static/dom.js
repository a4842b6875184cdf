// Elements from plain calls. Children that are strings become text nodes, so that no text is ever read as markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, props, children) {
  for (const [name, value] of Object.entries(props || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [key, to] of Object.entries(value)) element.style.setProperty(key, to);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export function h(tag, props, ...children) {
  return fill(document.createElement(tag), props, children);
}

export function svg(tag, props, ...children) {
  return fill(document.createElementNS(SVG, tag), props, children);
}

// A choice among few: real radio buttons, so that arrow keys work.
export function choice(name, label, options, chosen, pick) {
  const inputs = options.map(([value, text]) =>
    h(
      "label",
      { class: "chip" },
      h("input", { type: "radio", name, value, checked: value === chosen, onchange: () => pick(value) }),
      h("span", {}, text),
    ),
  );
  return h("fieldset", { class: "choice" }, h("legend", { class: "quiet" }, label), ...inputs);
}

export function select(label, options, chosen, pick) {
  const entries = options.map(([value, text]) => h("option", { value, selected: value === chosen }, text));
  return h(
    "label",
    { class: "field" },
    h("span", {}, label),
    h("select", { onchange: (event) => pick(event.target.value) }, ...entries),
  );
}

// A table that can scroll sideways by itself, also with the keyboard.
export function wide(label, table) {
  return h("div", { class: "wide", role: "region", "aria-label": label, tabindex: "0" }, table);
}
