import { root } from "./api.js";
import { el } from "./dom.js";
import { folded } from "./fold.js";
import { isRightToLeft, t } from "./language.js";
import { recordOf, rounded } from "./record.js";
import { markOf, toneOf } from "./tones.js";

/** What to call an item: its id, or its number if it has none. */
export function nameOf({ id, item }) {
  return id || t("Item {number}", { number: item });
}

/** The content of an item: its image, its text with the marked words, its record as a list, and the length of its vector. */
export function contentOf(question, pulls, classes) {
  const { text, record } = question;
  const parts = question.image ? [imageOf(question)] : [];
  if (typeof text === "string") parts.push(...folded(el("div", { class: "text", dir: "auto" }, marked(text, pulls, classes)), t({ one: "Show the only character", other: "Show all {count} characters" }, { count: text.length })));
  if (record) parts.push(...folded(recordOf(record, pulls, classes), t({ one: "Show the only column", other: "Show all {count} columns" }, { count: Object.keys(record).length })));
  if (question.vector_length) parts.push(el("p", { class: "soft" }, vectorOf(question.vector_length)));
  return el("div", {}, parts);
}

/** The image of an item. Its box has its size before the image is there, so nothing jumps. */
function imageOf(question) {
  const failed = ({ target }) => target.replaceWith(el("figcaption", { class: "soft" }, t("The image cannot be loaded.")));
  return el("figure", { class: "image" }, el("img", { src: question.image.startsWith("/") ? root + question.image : question.image, alt: t("Image of item {number}", { number: question.item }), decoding: "async", onerror: failed }));
}

/** What is shown instead of the numbers of a vector. */
function vectorOf(length) {
  return t({ one: "a vector of {count} number", other: "a vector of {count} numbers" }, { count: length });
}

/** The text in pieces, with the strongest features marked; where they overlap, the strongest one counts. */
function marked(text, pulls, classes) {
  const spans = pulls.flatMap((pull) => pull.spans.map(([start, end]) => ({ pull, start, end })));
  if (!spans.length) return [text];
  const letters = Array.from(text); // spans count code points
  const owner = new Array(letters.length).fill(null);
  for (const { pull, start, end } of spans) {
    for (let place = start; place < Math.min(end, letters.length); place += 1) owner[place] ??= pull;
  }
  const pieces = [];
  for (let start = 0, end; start < letters.length; start = end) {
    for (end = start + 1; end < letters.length && owner[end] === owner[start]; ) end += 1;
    const piece = letters.slice(start, end).join("");
    pieces.push(owner[start] ? markOf(piece, owner[start], pulls, classes) : piece);
  }
  return pieces;
}

/** The features with the most influence, as text: `refund → billing`. */
export function pullsOf(pulls, classes) {
  const shown = pulls.map((pull) =>
    el("li", {}, el("span", { class: toneOf(pull.towards, classes), dir: "auto" }, pull.feature), isRightToLeft ? " ← " : " → ", el("bdi", {}, pull.towards)));
  return el("ul", { class: "pulls", "aria-label": t("Features with the most influence") }, shown);
}

/** The beginning of the content, for a list. */
export function excerptOf(item) {
  const { text, record, vector_length: length } = item;
  const fields = record === null ? null : Object.entries(record).map(([name, value]) => `${name}: ${plain(value)}`).join(" · ");
  const parts = [text, fields, length ? vectorOf(length) : null].filter((part) => part !== null);
  if (!parts.length) return t("(content dropped by compaction)");
  return parts.join(" · ").slice(0, 300) || t("(empty)");
}

function plain(value) {
  if (typeof value === "number") return rounded(value);
  return typeof value === "string" ? value : JSON.stringify(value);
}
