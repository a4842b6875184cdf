// A strip of telling moments: a success, a near miss, a collision and an agent that was lost.

import { h } from "./dom.js";
import { metres } from "./format.js";
import { finalDistance, points, unpacked } from "./decode.js";
import { LOST, NEAR, OUTCOMES, WON } from "./facts.js";
import { frameAt } from "./eyes.js";
import { FloorMap, storeyOf } from "./map.js";
import { explained, t } from "./words.js";

export function moments(app) {
  if (!app.doc.episodes) return null;
  const chosen = choose(app);
  if (!chosen.length) return null;
  return h(
    "div",
    {},
    h("h3", {}, t("moments.title")),
    h("div", { class: "moments" }, ...chosen.map((moment) => card(app, moment))),
  );
}

// Of every kind the episode that shows it best; one that has pictures goes before one that has not.
function choose(app) {
  const all = candidates(app);
  const used = new Set();
  return Object.entries(WORTH).flatMap(([kind, worth]) => {
    const fit = all
      .filter((one) => !used.has(one.index) && worth(one) !== null)
      .sort((a, b) => Boolean(b.frames) - Boolean(a.frames) || worth(b) - worth(a));
    if (!fit.length) return [];
    used.add(fit[0].index);
    return [{ ...fit[0], kind }];
  });
}

const WORTH = {
  success: (one) => (one.outcome === WON ? one.shortest : null),
  near: (one) => (NEAR.includes(one.outcome) ? -one.distance : null),
  collision: (one) => (one.collided.length ? one.collided.length : null),
  lost: (one) => (LOST.includes(one.outcome) ? one.distance : null),
};

function candidates({ doc }) {
  const open = doc.runs.some((run) => !run.privileged);
  return doc.results.flatMap((result, run) =>
    doc.runs[run].privileged && open
      ? []
      : result.tracks.flatMap((track, index) => {
          const distance = finalDistance(result.values, index);
          if (!track) return [];
          return [
            {
              run,
              index,
              frames: result.frames[index],
              outcome: OUTCOMES[result.outcome[index]],
              distance: typeof distance === "number" ? distance : 0,
              shortest: Number(doc.episodes.shortest[index]) || 0,
              collided: track.collided,
            },
          ];
        }),
  );
}

function card(app, { kind, run, index, frames, outcome, distance, collided }) {
  const { doc } = app;
  const all = doc.episodes,
    scene = doc.scenes[all.scene[index]],
    packed = doc.results[run].tracks[index];
  const track = unpacked(packed);
  const step = kind === "collision" ? collided[collided.length >> 1] + 1 : track.points.length - 1;
  const plan = new FloorMap({
    scene,
    track,
    storey: storeyOf(track.points[step][1], scene.storeys),
    reference: points(all.reference[index]),
    goals: points(all.goals[index]),
    radius: doc.runs[run].success_distance,
    hfov: doc.runs[run].hfov,
    others: [],
    ends: [],
    whole: false,
    fog: false,
    small: true,
    label: t("map.label", { scene: scene.id, agent: app.labels[run] }),
  });
  plan.show(step);
  const open = () => Object.assign(app.state, { step });
  return h(
    "article",
    { class: `moment ${kind}` },
    h("h4", {}, h("a", { href: app.link(index, run), onclick: open }, t(`moments.${kind}`))),
    h("div", { class: "pair" }, shot(frames, step), plan.element),
    h("p", {}, h("strong", {}, app.labels[run]), " ", explained("outcome", outcome), t("moments.stop"), told(kind, distance, collided)),
    all.text[index] && h("p", { class: "clip quiet", dir: "auto" }, all.text[index]),
  );
}

function told(kind, distance, collided) {
  return kind === "collision"
    ? t("moments.hits", { n: collided.length })
    : t("moments.left", { metres: metres(distance, 1) });
}

function shot(frames, step) {
  if (!frames) return null;
  const at = Math.min(frames.rgb.length - 1, frameAt(frames, step));
  return h("img", { src: `data:image/jpeg;base64,${frames.rgb[at]}`, alt: t("step.frame.rgb", { step }) });
}
