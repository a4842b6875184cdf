// The part of the address that names an episode, and whose it is where a page has several runs.

// An address that stays the same in every report: the episode's id, after its scene's where two buildings have that id.
export function link(app, index, run) {
  const { id, scene } = app.doc.episodes;
  const alone = id.indexOf(id[index]) === id.lastIndexOf(id[index]);
  const name = alone ? id[index] : `${app.doc.scenes[scene[index]].id}/${id[index]}`;
  const whose = app.entries.length > 1 ? `&run=${encodeURIComponent(app.labels[run])}` : "";
  return `#episode=${encodeURIComponent(name)}${whose}`;
}

// The indices of the named episode and of its run among all, -1 for what is not here; null where no episode is named.
export function addressed(app) {
  if (!location.hash.startsWith("#episode=")) return null;
  const [name, run] = location.hash.slice("#episode=".length).split("&run=").map(decoded);
  return { index: episodeCalled(app.doc, name), run: app.entries.indexOf(run) };
}

function episodeCalled({ episodes, scenes }, name) {
  if (!episodes) return -1;
  const found = episodes.id.indexOf(name);
  return found >= 0 ? found : episodes.id.findIndex((id, i) => `${scenes[episodes.scene[i]].id}/${id}` === name);
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
