// One player of an episode: what the agent saw, the plan or the 3-D view, the instruction, and one slider for all.

import { choice, h, select } from "./dom.js";
import { fixed, metres } from "./format.js";
import { points, unpacked } from "./decode.js";
import { eyes } from "./eyes.js";
import { corners, FloorMap, mapLegend, storeyOf } from "./map.js";
import { inForce, phrases, progress } from "./phrases.js";
import { sceneView } from "./scene3d.js";
import { slider } from "./steps.js";
import { sentences, t } from "./words.js";

const ROOMY = 24;

export class Stage {
  constructor(app, index) {
    this.app = app;
    this.index = index;
    this.scene = app.doc.scenes[app.doc.episodes.scene[index]];
    this.track = readTrack(app.doc.results[app.state.run], index);
    this.reference = points(app.doc.episodes.reference[index]);
    this.holder = h("div", { class: "stage" });
    this.tools = h("div", { class: "controls" });
    this.notes = h("div", {});
    this.said = instruction(app.doc.episodes, index, this.track, this.reference);
    this.eyes = this.track && eyes(this.track, this.scene, this.reference);
    const { path_length } = app.doc.results[app.state.run].values;
    this.steps = this.track && slider(this.track, this.goals(), path_length?.[index], (step) => this.move(step), app.state.step);
    app.state.step = null;
    this.words = this.track && answers(this.track.said);
    this.keys = this.steps ? this.steps.keys : {};
    this.panes = h("div", { class: "panes" }, this.eyes && this.eyes.element, this.holder);
    this.panes.classList.toggle("two", Boolean(this.eyes));
    this.storey = this.track ? storeyOf(this.track.points[this.steps.step()][1], this.scene.storeys) : 0;
    this.element = h(
      "div",
      { class: "player" },
      this.said && this.said.element,
      this.tools,
      this.panes,
      this.steps ? this.steps.element : h("p", {}, t("episode.notrack")),
      this.words && this.words.element,
      this.notes,
    );
    this.draw();
  }

  goals() {
    return points(this.app.doc.episodes.goals[this.index]);
  }

  move(step) {
    const storey = storeyOf(this.track.points[step][1], this.scene.storeys);
    if (this.app.state.view === "map" && storey !== this.storey) {
      this.storey = storey;
      this.draw();
    } else this.show(step);
  }

  show(step) {
    this.drawn.show(step);
    if (this.eyes) this.eyes.show(step);
    if (this.said) this.said.show(step);
    if (this.words) this.words.show(step);
  }

  draw() {
    if (this.drawn) this.drawn.close();
    this.tools.replaceChildren(...this.switches().filter(Boolean));
    const solid = this.app.state.view === "scene" && this.scene.mesh;
    this.panes.classList.toggle("solid", Boolean(solid));
    this.drawn = solid ? sceneView({ ...this.view(), label: t("view.label") }) : new FloorMap(this.view());
    this.holder.replaceChildren(this.drawn.element);
    this.notes.replaceChildren(...(solid ? [h("p", { class: "quiet" }, t("view.hint"))] : this.explained()));
    this.show(this.steps ? this.steps.step() : 0);
  }

  // All that a map or a 3-D view needs to know.
  view() {
    const { app, index, scene, track, storey } = this;
    const run = app.doc.runs[app.state.run];
    return {
      scene,
      track,
      storey,
      reference: this.reference,
      goals: this.goals(),
      radius: run.success_distance,
      hfov: run.hfov,
      others: app.state.others ? this.others() : [],
      ends: [],
      whole: this.whole(),
      fog: app.state.fog,
      camera: app.state.camera,
      label: t("map.label", { scene: scene.id, agent: app.labels[app.state.run] }),
    };
  }

  // A storey of a home is shown whole; of a larger building what the path crosses, until the reader says otherwise.
  whole() {
    if (this.app.state.whole !== null) return this.app.state.whole;
    const xs = corners(this.scene.storeys[this.storey]).flatMap(([x, , z]) => [x, z]);
    return xs.length > 0 && Math.max(...xs) - Math.min(...xs) < ROOMY;
  }

  others() {
    const { app, index } = this;
    return app.doc.results
      .map((result, run) => ({ run, track: run !== app.state.run && readTrack(result, index) }))
      .filter((other) => other.track);
  }

  explained() {
    const storey = this.scene.storeys[this.storey];
    const lack = !storey ? "map.missing" : storey.kind === "none" ? "map.none" : null;
    return [mapLegend(this.view()), lack ? h("p", { class: "quiet" }, t(lack)) : "", h("p", { class: "quiet" }, t("step.keys"))];
  }

  switches() {
    const { app, scene } = this;
    const { state, doc, labels } = app;
    const flat = state.view === "map" || !scene.mesh,
      several = doc.runs.length > 1,
      drawn = scene.storeys.length > 0;
    const set = (name, read) => (value) => {
      state[name] = read(value);
      this.draw();
    };
    const check = (name, word) =>
      h(
        "label",
        { class: "check" },
        h("input", {
          type: "checkbox",
          checked: state[name],
          onchange: (event) => set(name, Boolean)(event.target.checked),
        }),
        t(word),
      );
    const pair = (name, word, values, chosen, read) =>
      choice(
        name,
        t(word),
        values.map((value) => [value, t(`${word}.${value}`)]),
        chosen,
        set(name, read),
      );
    const storeys = scene.storeys.map((one, i) => [
      String(i),
      t("map.storey.n", { n: i + 1, height: fixed(one.height, 1) }),
    ]);
    return [
      several &&
        select(
          t("episode.run"),
          labels.map((label, i) => [String(i), label]),
          String(state.run),
          (value) => {
            history.replaceState(null, "", app.link(this.index, Number(value)));
            app.render();
          },
        ),
      scene.mesh && pair("view", "view.title", ["map", "scene"], state.view, String),
      !flat && pair("camera", "view.camera", ["follow", "orbit"], state.camera, String),
      flat &&
        storeys.length > 1 &&
        select(t("map.storey"), storeys, String(this.storey), (value) => {
          this.storey = Number(value);
          this.draw();
        }),
      flat &&
        drawn &&
        pair("whole", "map.zoom", ["path", "whole"], this.whole() ? "whole" : "path", (value) => value === "whole"),
      flat && drawn && check("fog", "map.fog"),
      flat && several && check("others", "map.others"),
    ];
  }
}

// What the model said when it decided for the step that is shown, or for those that it is part of.
function answers(said) {
  if (!said) return null;
  const quote = h("blockquote", { class: "answer-said", dir: "auto" });
  const show = (step) => {
    const found = said.filter(([at]) => at < step).at(-1);
    quote.replaceChildren(found ? found[1] : "");
    element.hidden = !found;
  };
  const element = h("div", { class: "said" }, h("p", { class: "quiet" }, t("step.said")), quote);
  return { element, show };
}

// The instruction, with the sentence in force marked where the path is known that it describes.
function instruction(all, index, track, reference) {
  const text = all.text[index];
  if (!text) return null;
  const quote = (...children) => h("blockquote", { dir: "auto", lang: all.language[index] || null }, ...children);
  if (!track || reference.length < 2) return { element: quote(text), show() {} };
  const parts = all.parts && all.parts[index];
  const found = phrases(text, parts),
    reached = progress(track.points, reference);
  const marks = found.map(([piece]) => h("span", { class: "phrase" }, piece));
  const note = h("p", { class: "quiet said" });
  const show = (step) => {
    const { share, off } = reached[step];
    const now = inForce(found, share);
    marks.forEach((mark, i) => {
      mark.classList.toggle("now", i === now);
      if (i === now) mark.setAttribute("aria-current", "step");
      else mark.removeAttribute("aria-current");
    });
    const where = off > 1 ? t("said.off", { metres: metres(off, 1) }) : t("said.on");
    note.replaceChildren(sentences(where, t(parts ? "said.known" : "said.guessed")));
  };
  return { element: h("div", {}, quote(...marks), note), show };
}

function readTrack(run, index) {
  const track = run.tracks[index];
  return track && { ...unpacked(track), frames: run.frames ? run.frames[index] : null };
}
