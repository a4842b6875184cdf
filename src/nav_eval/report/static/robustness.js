// The card is whole in both languages; this shows one of them.
function speak(language) {
  document.documentElement.lang = language;
}
speak((navigator.language || "").toLowerCase().startsWith("zh") ? "zh-Hans" : "en");
document.getElementById("language").addEventListener("click", () => {
  speak(document.documentElement.lang === "en" ? "zh-Hans" : "en");
});
