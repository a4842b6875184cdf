// The live view: the server says when there is more, the page fetches it and draws anew where the reader is.

import { h } from "./dom.js";
import { unpack } from "./decode.js";
import { t } from "./words.js";

export function follow(app) {
  const line = h("p", { class: "live", role: "status" });
  const source = new EventSource("events");
  source.addEventListener("progress", (event) => line.replaceChildren(t("live.line", JSON.parse(event.data))));
  source.addEventListener("changed", async () => {
    const answer = await fetch("data");
    app.replace(await unpack(await answer.text()));
  });
  source.addEventListener("done", () => {
    line.append(` ${t("live.done")}`);
    source.close();
  });
  source.addEventListener("error", () => line.replaceChildren(t("live.lost")));
  return line;
}
