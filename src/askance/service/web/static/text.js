import { el } from "./dom.js";

const COLOURS = 6;

/** What to call an item: its id, or its number if it has none. */
export function nameOf({ id, item }) {
  return id || `Item ${new Intl.NumberFormat().format(item)}`;
}

/** The content of an item: its text with the marked words, its record as a table, and the length of its vector. */
export function contentOf(question, pulls, classes) {
  const { text, record } = question;
  const parts = [
    typeof text === "string" ? el("div", { class: "text", tabindex: "0", role: "region", "aria-label": "Text" }, marked(text, pulls, classes)) : null,
    record ? recordOf(record) : null,
    question.vector_length ? el("p", { class: "soft" }, vectorOf(question.vector_length)) : null,
  ].filter((part) => part !== null);
  return parts.length === 1 ? parts[0] : el("div", {}, parts);
}

/** What is shown instead of the numbers of a vector. */
function vectorOf(length) {
  return `a vector of ${length} ${length === 1 ? "number" : "numbers"}`;
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
    pieces.push(owner[start] ? markOf(piece, owner[start], classes) : piece);
  }
  return pieces;
}

/** The features with the most influence, as text: `refund → billing`. */
export function pullsOf(pulls, classes) {
  const shown = pulls.map((pull) =>
    el("li", {}, el("span", { class: colour(pull, classes) }, pull.feature), " → ", pull.towards));
  return el("ul", { class: "pulls", "aria-label": "Features with the most influence" }, shown);
}

function markOf(piece, pull, classes) {
  return el("mark", { class: colour(pull, classes), title: `towards ${pull.towards}` }, piece);
}

function colour(pull, classes) {
  return `pull-${Math.max(0, classes.indexOf(pull.towards)) % COLOURS}`;
}

function recordOf(record) {
  const rows = Object.entries(record).map(([name, value]) =>
    el("tr", {}, el("th", { scope: "row" }, name), el("td", {}, valueOf(value))));
  const table = el("table", { class: "record" }, el("tbody", {}, rows));
  return el("div", { class: "text", tabindex: "0", role: "region", "aria-label": "Record" }, table);
}

function valueOf(value) {
  if (value === null || value === "") return el("span", { class: "soft" }, "empty");
  return typeof value === "string" ? value : JSON.stringify(value, null, 1);
}

/** The beginning of the content, for a list. */
export function excerptOf(item) {
  const { text, record, vector_length: length } = item;
  const fields = record === null ? null : Object.entries(record).map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`).join(" · ");
  const parts = [text, fields, length ? vectorOf(length) : null].filter((part) => part !== null);
  if (!parts.length) return "(content dropped by compaction)";
  return parts.join(" · ").slice(0, 300) || "(empty)";
}
