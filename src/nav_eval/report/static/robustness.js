// The card is whole in both languages; this shows one of them.

import { keep, kept } from "./kept.js";

function speak(language) {
  document.documentElement.lang = language === "zh" ? "zh-Hans" : "en";
}

speak(kept("lang") || ((navigator.language || "").toLowerCase().startsWith("zh") ? "zh" : "en"));
document.getElementById("language").addEventListener("click", () => {
  const language = document.documentElement.lang === "en" ? "zh" : "en";
  keep("lang", language);
  speak(language);
});
