// The live view: the server says when there is more, the page fetches it and draws anew where the reader is.

import { h } from "./dom.js";
import { points, unpack } from "./decode.js";
import { minutes } from "./format.js";
import { FloorMap, storeyOf } from "./map.js";
import { gap, named, sentences, t } from "./words.js";

export function follow(app) {
  const line = h("p", { class: "live", role: "status" }),
    now = h("div", { class: "moments" }),
    lost = h("ul", { class: "legend" });
  const source = new EventSource("events");
  source.addEventListener("progress", (event) => {
    const told = JSON.parse(event.data);
    line.replaceChildren(sentences(t("live.line", told), pace(told)));
    now.replaceChildren(...told.sessions.map((session) => sessionCard(app, session)));
    lost.replaceChildren(
      ...told.lost.map(({ scene, id, status }) =>
        h("li", {}, t("live.lost.one", { scene, id, why: status === "ok" ? t("live.missed") : named("status", status) })),
      ),
    );
  });
  source.addEventListener("changed", async () => {
    const answer = await fetch("data");
    app.replace(await unpack(await answer.text()));
  });
  source.addEventListener("done", () => {
    line.append(`${gap()}${t("live.done")}`);
    now.replaceChildren();
    source.close();
  });
  source.addEventListener("error", () => line.replaceChildren(t("live.lost")));
  return h("section", { "aria-label": t("live.now") }, line, now, lost);
}

function pace({ per_minute: speed, left, sessions }) {
  const parts = [
    speed && t("live.speed", { n: speed.toFixed(1) }),
    left && t("live.left", { time: minutes(left) }),
    sessions.length && t("live.sessions", { n: sessions.length }),
  ];
  return sentences(...parts);
}

// What one session does now: its agent's picture, and the plan with its path so far.
function sessionCard(app, session) {
  const scene = app.doc.scenes && app.doc.scenes.find((one) => one.id === session.scene);
  const path = points(session.points);
  const run = app.doc.runs[0];
  const plan =
    scene &&
    path.length > 0 &&
    new FloorMap({
      scene,
      storey: storeyOf(path[path.length - 1][1], scene.storeys),
      track: { points: path, yaws: session.yaws, collided: [], people: [] },
      reference: points(session.reference),
      goals: points(session.goals),
      radius: run.success_distance,
      hfov: run.hfov,
      others: [],
      ends: [],
      whole: false,
      fog: false,
      small: true,
      label: t("map.label", { scene: session.scene, agent: app.labels[0] }),
    });
  const alt = t("step.frame.rgb", { step: session.steps });
  return h(
    "article",
    { class: "moment" },
    h("h4", {}, t("live.episode", { id: session.id, scene: session.scene, steps: session.steps })),
    h(
      "div",
      { class: "pair" },
      session.picture && h("img", { src: `data:image/jpeg;base64,${session.picture}`, alt }),
      plan && plan.element,
    ),
    h("p", { class: "clip quiet", dir: "auto" }, session.text),
  );
}
