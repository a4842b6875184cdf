// The picture of an episode: map or 3-D view, the switches above it and the slider below, which all act on each other.

import { choice, h, select } from "./dom.js";
import { fixed } from "./format.js";
import { points } from "./decode.js";
import { FloorMap, mapLegend, storeyOf } from "./map.js";
import { sceneView } from "./scene3d.js";
import { slider } from "./steps.js";
import { t } from "./words.js";

export class Stage {
  constructor(app, index) {
    this.app = app;
    this.index = index;
    this.scene = app.doc.scenes[app.doc.episodes.scene[index]];
    this.track = readTrack(app.doc.results[app.state.run], index);
    this.holder = h("div", { class: "stage" });
    this.tools = h("div", { class: "controls" });
    this.steps = this.track && slider(this.track, this.goals(), (step) => this.move(step));
    const last = this.track ? this.track.points.length - 1 : 0;
    this.storey = this.track ? storeyOf(this.track.points[last][1], this.scene.storeys) : 0;
    this.element = h(
      "div",
      { class: "picture" },
      this.tools,
      this.holder,
      this.steps ? this.steps.element : h("p", {}, t("episode.notrack")),
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
    } else this.drawn.show(step);
  }

  draw() {
    if (this.drawn) this.drawn.close();
    this.tools.replaceChildren(...this.switches().filter(Boolean));
    const solid = this.app.state.view === "scene" && this.scene.mesh;
    this.drawn = solid ? sceneView({ ...this.view(), label: t("view.label") }) : new FloorMap(this.view());
    this.holder.replaceChildren(
      this.drawn.element,
      ...(solid ? [h("p", { class: "quiet" }, t("view.hint"))] : this.notes()),
    );
    this.drawn.show(this.steps ? this.steps.step() : 0);
  }

  // All that a map or a 3-D view needs to know.
  view() {
    const { app, index, scene, track, storey } = this;
    const run = app.doc.runs[app.state.run];
    return {
      scene,
      track,
      storey,
      reference: points(app.doc.episodes.reference[index]),
      goals: this.goals(),
      radius: run.success_distance,
      hfov: run.hfov,
      others: app.state.others ? this.others() : [],
      whole: app.state.whole,
      fog: app.state.fog,
      label: t("map.label", { scene: scene.id, agent: app.labels[app.state.run] }),
    };
  }

  others() {
    const { app, index } = this;
    return app.doc.results
      .map((result, run) => ({ run, track: run !== app.state.run && readTrack(result, index) }))
      .filter((other) => other.track);
  }

  notes() {
    const storey = this.scene.storeys[this.storey];
    const lack = !storey ? "map.missing" : storey.kind === "none" ? "map.none" : null;
    return [mapLegend(this.view()), lack ? h("p", { class: "quiet" }, t(lack)) : ""];
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
            state.run = Number(value);
            app.render();
          },
        ),
      scene.mesh &&
        choice(
          "view",
          t("view.title"),
          [
            ["map", t("view.map")],
            ["scene", t("view.scene")],
          ],
          state.view,
          set("view", String),
        ),
      flat &&
        storeys.length > 1 &&
        select(t("map.storey"), storeys, String(this.storey), (value) => {
          this.storey = Number(value);
          this.draw();
        }),
      flat &&
        drawn &&
        choice(
          "zoom",
          t("map.zoom"),
          [
            ["path", t("map.path")],
            ["whole", t("map.whole")],
          ],
          state.whole ? "whole" : "path",
          set("whole", (value) => value === "whole"),
        ),
      flat && drawn && check("fog", "map.fog"),
      flat && several && check("others", "map.others"),
    ];
  }
}

function readTrack(run, index) {
  const track = run.tracks[index];
  return track && { ...track, points: points(track.points), frames: run.frames ? run.frames[index] : null };
}
