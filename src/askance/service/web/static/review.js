import { get, post, root } from "./api.js";
import { Banner } from "./banner.js";
import { Choices } from "./choices.js";
import { at, el } from "./dom.js";
import { report } from "./errors.js";
import { OwnKeys, keysAreOn, keysFor, meaning } from "./keys.js";
import { isRightToLeft, numberFormat, pieces, t } from "./language.js";
import { notify } from "./notices.js";
import { Outbox } from "./outbox.js";
import { noteWords, reasonWords } from "./skip-reasons.js";
import { contentOf, nameOf, pullsOf } from "./text.js";
import { distance } from "./times.js";
import { toneOf } from "./tones.js";

const WHY = { disagreement: [t("Labellers disagree"), "disagreement"], flagged: [t("Flagged"), "note"], "likely error": [t("Likely label error"), "warn"], skipped: [t("Skipped"), ""] };
const COUNTED = { disagreement: "disagreements", flagged: "flags", "likely error": "errors", skipped: "skips" };

const { task, person, ...given } = at("review-page").dataset;
const { classes } = JSON.parse(given.settings);
const path = `/api/tasks/${encodeURIComponent(task)}`;
const keys = keysFor(classes, JSON.parse(given.keys), new OwnKeys(task, person).read());
const choices = new Choices(at("answers"), classes, `askance:recent:${person}:${task}`, decide);
const outbox = new Outbox(task, person, "decisions");
const undecided = new Map(); // by the key of a decision that is not sent yet: its case, and what it was before
const whole = numberFormat();
const fine = numberFormat({ maximumSignificantDigits: 3 });
const share = numberFormat({ style: "percent", maximumFractionDigits: 0 });

let cases = [];
let place = 0; // of the case that is shown; at the end, that is one more than the last
let before = null; // the entry before which items were not looked at yet
let lookedAt = 0;
let leftOut = 0;

/** Get the queue from its beginning, or its next part with older items. */
async function load(older) {
  wait();
  const unsent = new Set(outbox.entries().map(({ body }) => body.item)); // the service does not know of these decisions
  try {
    const queue = await get(`${path}/reviews${older ? `?before=${before}` : ""}`);
    cases = queue.cases.filter(({ item }) => !unsent.has(item.item)).map((one) => ({ ...one, decision: null }));
    lookedAt = older ? lookedAt + queue.looked_at : queue.looked_at;
    leftOut = queue.left_out;
    before = queue.before;
    place = 0;
    show();
  } catch (error) {
    report(error);
    rest(t("The queue cannot be loaded"), t("Try again."));
  }
}

function wait() {
  at("item").setAttribute("aria-busy", "true");
  choices.enable(false);
  at("keep").disabled = true;
}

function show() {
  showCounts();
  const current = cases[place];
  at("previous-case").disabled = place === 0;
  at("next-case").disabled = !current;
  if (!current) return showEnd();
  const { item } = current;
  at("end").hidden = true;
  at("item").hidden = false;
  at("item").setAttribute("aria-busy", "false");
  at("item").dataset.item = item.item;
  at("item-name", t("{item} · {place} of {all}", { item: nameOf(item), place: place + 1, all: cases.length }));
  const [words, look] = WHY[current.why];
  at("why", el("span", { class: `chip ${look}` }, words));
  at("decided", current.decision ?? "").hidden = !current.decision;
  at("note", item.note ?? "").hidden = !item.note;
  at("given", givenList(item));
  at("open").hidden = false;
  at("open").setAttribute("href", `${root}/tasks/${encodeURIComponent(task)}/items/${item.item}`);
  at("keep-words", keepWords(item));
  at("keep").disabled = false;
  choices.enable(true);
  choices.mark(item.label);
  showContent(current);
  if (!document.activeElement.closest("dialog[open], input")) at("item").focus({ preventScroll: true });
  explain(current);
}

function showContent(current) {
  const { item, reasons } = current;
  const gone = item.text === null && item.record === null && item.vector_length === null;
  at("content", gone ? el("p", { class: "soft" }, t("The content of this item was dropped by compaction.")) : contentOf(item, reasons?.pulls ?? [], classes));
  at("model", modelWords(current));
}

/** What the current model says of the case that is shown, and why. It can be decided before this is known. */
async function explain(current) {
  if (current.reasons) return;
  try {
    current.reasons = await post(`${path}/explain`, { item: current.item.item });
  } catch {
    current.reasons = null; // no content, or too much to do: the case can be decided without it
  }
  if (cases[place] === current && current.reasons) showContent(current);
}

function modelWords({ prediction, probability, margin, reasons }) {
  const label = prediction ?? reasons?.prediction;
  if (!label) return el("p", { class: "soft" }, "–");
  const shown = probability > 0.99 ? t("over {share}", { share: share.format(0.99) }) : share.format(probability);
  const sure = probability !== null ? shown : t("margin {margin}", { margin: fine.format(margin ?? reasons.score) });
  return [el("p", {}, pieces("Predicts {label} ({certainty})", { label: tag(label), certainty: sure })), ...(reasons?.pulls.length ? [pullsOf(reasons.pulls, classes)] : [])];
}

function keepWords({ label }) {
  return label === null ? t("Leave it without a label") : t("Keep “{label}”", { label });
}

function tag(label) {
  return el("b", { class: `tag ${toneOf(label, classes)}` }, el("span", { dir: "auto" }, label));
}

/** Who said what about an item, the oldest first. */
function givenList({ votes, corrections, skips, flags, provenance }) {
  const said = [
    ...votes.filter((vote) => !vote.undone).map((vote) => [vote, tag(vote.label), vote.final ? t("{person} decided", { person: whoOf(vote) }) : whoOf(vote)]),
    ...corrections.map((one) => [one, tag(one.label), t("{person} corrected", { person: whoOf(one) })]),
    ...skips.map((one) => [one, el("span", {}, one.reason ? t("skipped: {reason}", { reason: reasonWords(one.reason) }) : t("skipped")), whoOf(one)]),
    ...flags.filter((one) => !one.undone).map((one) => [one, el("span", {}, one.note ? t("flagged: {note}", { note: noteWords(one.note) }) : t("flagged")), whoOf(one)]),
  ].sort(([one], [other]) => one.at - other.at);
  const rows = said.map(([one, what, who]) => el("li", {}, el("span", {}, who), what, el("span", { class: "soft" }, distance(one.at))));
  if (provenance) rows.unshift(el("li", {}, el("span", {}, t("Imported")), el("span", { dir: "auto" }, provenance.source ?? t("from an unknown source")), el("span", {})));
  return rows.length ? el("ul", { class: "plain-list" }, rows) : el("p", { class: "soft" }, t("Nobody has labelled this item."));
}

function whoOf({ by }) {
  return by ?? t("anonymous");
}

function showCounts() {
  for (const [why, id] of Object.entries(COUNTED)) {
    at(id, whole.format(cases.filter((one) => one.why === why && !one.decision).length));
  }
  const compared = { one: "{count} label compared with the model", other: "{count} labels compared with the model" };
  const more = { one: "{count} label compared with the model; {more} more to review", other: "{count} labels compared with the model; {more} more to review" };
  at("looked-at", t(leftOut ? more : compared, { count: lookedAt, more: leftOut }));
}

function showEnd() {
  const left = cases.filter((one) => !one.decision).length;
  const older = before === null ? "" : ` ${t("Older labels have not been compared with the model yet.")}`;
  if (left) rest(t("This is the end of the list"), t({ one: "You have not decided about {count} of these items.", other: "You have not decided about {count} of these items." }, { count: left }) + older);
  else if (leftOut) rest(t("These are done"), t({ one: "There is {count} more.", other: "There are {count} more." }, { count: leftOut }));
  else rest(t("Nothing to review"), t("No labellers disagree, nothing is flagged or skipped, and the model contradicts no label that it was compared with.") + older);
}

function rest(title, text) {
  at("item").hidden = true;
  at("item").removeAttribute("data-item");
  at("end").hidden = false;
  at("end-title", title);
  at("end-text", text);
  at("older").hidden = before === null;
  for (const panel of ["given", "model"]) at(panel, el("p", { class: "soft" }, "–"));
  at("open").hidden = true;
  at("keep-words", t("Keep it as it is"));
  at("keep").disabled = true;
  choices.mark(null);
  choices.enable(false);
  announce(`${title}. ${text}`);
}

/** Decide that the case that is shown has this label. */
function decide(label) {
  const current = cases[place];
  if (!current) return;
  const { item } = current;
  if (label === item.label) return keep();
  choices.use(label);
  settle(current, t("You decided: {label}.", { label }), label, item.label === null ? "decision" : "correction", { item: item.item, label });
}

/** Leave the case that is shown as it is: it does not come back until something new happens to it. */
function keep() {
  const current = cases[place];
  if (current) settle(current, t("You kept it as it is."), current.item.label, "decision", { item: current.item.item });
}

/** Go on to the next case, and send the decision meanwhile. If it is refused, the case is undecided again. */
function settle(current, words, label, kind, body) {
  const earlier = { decision: current.decision, item: current.item };
  try {
    undecided.set(outbox.add(kind, body), { current, earlier });
  } catch {
    return notify(t("The storage of the browser is full, so the answer was not saved. Free some space and answer again."), "bad");
  }
  Object.assign(current, { decision: words, item: { ...current.item, label } });
  go(1);
  announce(cases[place] ? words : `${words} ${at("announcement").textContent}`); // at the end, also what is next
}

outbox.addEventListener("accepted", ({ detail: { body } }) => undecided.delete(body.key));
outbox.addEventListener("refused", ({ detail: { body, error } }) => {
  const { current, earlier } = undecided.get(body.key) ?? {}; // of a decision from before this page: nothing
  undecided.delete(body.key);
  notify(t("{item} was not changed.", { item: nameOf(current?.item ?? body) }), "bad");
  report(error);
  if (current) Object.assign(current, earlier);
  if (cases.includes(current)) show();
});

function go(step) {
  place = Math.min(cases.length, Math.max(0, place + step));
  show();
}

function announce(text) {
  at("announcement").textContent = text;
}

const VERBS = { skip: () => go(1), undo: () => go(-1), search: () => choices.search() };
const forward = isRightToLeft ? -1 : 1; // the arrow that points to where reading goes
const MOVES = { ArrowRight: () => go(forward), ArrowLeft: () => go(-forward), Enter: keep };

document.addEventListener("keydown", (event) => {
  const { target, key } = event;
  if (!keysAreOn() || at("item").getAttribute("aria-busy") === "true") return;
  const plain = !event.ctrlKey && !event.altKey && !event.metaKey && !event.shiftKey && !event.isComposing;
  const free = plain && !target.closest(key === "Enter" ? "input, dialog, button, a, summary" : "input, dialog");
  if (MOVES[key] && free) {
    if (event.repeat) return;
    event.preventDefault();
    MOVES[key]();
    return;
  }
  const meant = meaning(event, keys);
  if (!meant) return;
  if (meant.verb === "type") return choices.search(event.repeat ? "" : meant.character), choices.input && event.preventDefault();
  if (!meant.label && !VERBS[meant.verb]) return;
  event.preventDefault();
  if (event.repeat) return; // a key that is held down counts once
  if (meant.label) decide(meant.label);
  else VERBS[meant.verb]();
});
at("keep").addEventListener("click", keep);
at("previous-case").addEventListener("click", () => go(-1));
at("next-case").addEventListener("click", () => go(1));
at("older").addEventListener("click", () => load(true));
at("again").addEventListener("click", () => load(false));

at("review-page").classList.toggle("without-keys", !keysAreOn());
if (classes.length > 9) at("review-page").classList.add("many-classes");
choices.show(keys);
new Banner(outbox, () => Boolean(cases[place]));
outbox.hurry();
await load(false);
