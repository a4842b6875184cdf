// The two languages of the page. A word that is missing in one shows its key, which the tests look for.

import { EN } from "./words.en.js";
import { ZH } from "./words.zh.js";
import { keep, kept } from "./kept.js";

const LANGUAGES = { en: EN, zh: ZH };
let language = kept("lang") || ((navigator.language || "").toLowerCase().startsWith("zh") ? "zh" : "en");

export function currentLanguage() {
  return language;
}

// The reader's choice, which the address keeps.
export function switchTo(name) {
  keep("lang", name);
  speak(name);
}

export function speak(name) {
  language = name;
  document.documentElement.lang = name === "zh" ? "zh-Hans" : "en";
}

// The text of `key` with {name} replaced by values.name, and {name|one|more} by the word for so many.
export function t(key, values) {
  const text = LANGUAGES[language][key];
  if (text === undefined) return key;
  const counted = text.replace(/\{(\w+)\|([^|}]*)\|([^}]*)\}/g, (_, name, one, more) => (String(values?.[name]) === "1" ? one : more));
  return percents(counted.replace(/\{(\w+)\}/g, (_, name) => (values && name in values ? String(values[name]) : `{${name}}`)));
}

// A number and its percent sign stay in one line; Chinese has no space between them.
export function percents(text) {
  return text.replace(/(\d) %/g, language === "zh" ? "$1%" : "$1\u00a0%");
}

// Whole sentences, one after the other: Chinese full stops bring their own space.
export function sentences(...parts) {
  return parts.filter(Boolean).join(gap());
}

export function gap() {
  return language === "zh" ? "" : " ";
}

// A remark of the document: words of this page with their values, or a text from elsewhere as it is.
export function remark(one) {
  return typeof one === "string" ? one : t(one.word, one);
}

// What an outcome or a column is called.
export function named(kind, name) {
  const key = `${kind}.${name}`;
  return key in LANGUAGES[language] ? t(key) : name.replaceAll("_", " ");
}

export function explained(kind, name) {
  const key = `${kind}.${name}.why`;
  return key in LANGUAGES[language] ? t(key) : "";
}

// A metric is called and explained by what it says of itself.
export function metricName(doc, name) {
  return metricWords(doc, name)[0];
}

function metricWords(doc, name) {
  return doc.definitions[name]?.words[language] ?? [name.replaceAll("_", " "), ""];
}

// With its unit as the figures show it: percent where they are shares.
export function metricTitle(doc, name, exact) {
  const { kind, unit } = doc.definitions[name] || {};
  return (kind === "rate" || unit === "share") && !exact ? t("metric.percent", { metric: metricName(doc, name) }) : metricName(doc, name);
}

export function metricWhy(doc, name) {
  return metricWords(doc, name)[1];
}
