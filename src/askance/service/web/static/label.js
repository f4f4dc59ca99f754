import { root } from "./api.js";
import { answerOf, historyOf, reasonOf } from "./feedback.js";
import { Banner } from "./banner.js";
import { Choices } from "./choices.js";
import { at, el } from "./dom.js";
import { budgetLeft, speed, watchFigures, whyNothing } from "./figures.js";
import { askNote, flagWords, ownFlags } from "./flags.js";
import { openHelp } from "./help.js";
import { OwnKeys, keysAreOn, keysFor, meaning } from "./keys.js";
import { labelWords, sameLabel } from "./labels.js";
import { numberFormat, t } from "./language.js";
import { notify } from "./notices.js";
import { Outbox, isAnswer } from "./outbox.js";
import { Questions } from "./questions.js";
import { askReason, listSkipped } from "./skips.js";
import { contentOf, nameOf } from "./text.js";
import { Today } from "./today.js";

const LOOK_AGAIN = 15_000;
const TRY_AT_MOST_EVERY = 1000;
const MOST_MARKED = 6; // features: more would mark the whole text

const { task, person, ...given } = at("label-page").dataset;
const settings = JSON.parse(given.settings);
const usualKeys = JSON.parse(given.keys);
const { classes } = settings;
const { prediction: guessIs = "hidden", guidance = "" } = settings.interface ?? {};
const number = numberFormat();

const outbox = new Outbox(task, person);
const questions = new Questions(task, person, settings.labels?.lease_seconds ?? 300, outbox);
const today = new Today(task, person);
const ownKeys = new OwnKeys(task, person);
const choices = await choicesOf(`askance:recent:${person}:${task}`);
const banner = new Banner(outbox, () => Boolean(questions.current));
let keys = keysFor(classes, usualKeys, ownKeys.read());
let turn = 0; // counts what was shown, so that a late response does not replace something newer
let painted = false; // keys count only when the labeller can see the question
let revisited = null; // an earlier answer whose item is shown again
let resting = false;
let tried = 0;
let figures = null;

/** The possible answers: one class or, if items may have several, each class on or off. */
async function choicesOf(storage) {
  const give = (label) => answer("label", label);
  if (!settings.multilabel) return new Choices(at("answers"), classes, storage, give);
  const { Toggles } = await import("./toggles.js");
  return new Toggles(at("answers"), classes, storage, give, (label) => announce(t("Chosen: {labels}", { labels: labelWords(label) })));
}

/** Show the current question; if there is none, get one or say why there is none. */
async function show() {
  turn += 1;
  const mine = turn;
  painted = false;
  if (revisited) return paint(revisited.question);
  let failure = null;
  if (!questions.current || !questions.holds(questions.current)) {
    if (!resting && questions.current?.item !== Number(at("item").dataset.item)) wait();
    try {
      for (const message of await questions.prepare()) notify(message, "warn");
      if (!questions.current) await questions.refill();
    } catch (error) {
      failure = error;
    }
    if (mine !== turn) return;
  }
  if (questions.current) paint(questions.current);
  else rest(failure);
  if (questions.current) questions.refill().catch(() => {}); // questions that are here can be answered without it
}

function paint(question) {
  resting = false;
  const { why } = question;
  const open = guessIs === "shown";
  at("end").hidden = true;
  at("item").hidden = false;
  at("item").setAttribute("aria-busy", "false");
  at("item").dataset.item = question.item;
  at("item-name", nameOf(question));
  at("similar").href = `${root}/tasks/${encodeURIComponent(task)}/items/${question.item}/similar`;
  at("content", contentOf(question, open ? (why?.pulls.slice(0, MOST_MARKED) ?? []) : [], classes));
  at("guess", open ? [el("span", { class: "chip note plain" }, t("Prediction: {label}", { label: labelWords(question.prediction) }))] : []);
  at("note", question.note ?? "").hidden = !question.note;
  showFlags(question);
  at("why").hidden = !why;
  at("why").open = false;
  at("reason", why ? reasonOf(why, open, classes) : []);
  at("changing").hidden = !revisited;
  at("given", revisited ? labelWords(revisited.label) : "");
  choices.mark(revisited?.label ?? null, question.item);
  choices.enable(true);
  enableVerbs(true);
  const shown = turn;
  requestAnimationFrame(() => setTimeout(() => {
    painted = shown === turn;
    if (painted) focusItem();
  }));
}

/** Focus the item, so that keys and screen readers continue there; not in the handler of a key, because it takes a layout. */
function focusItem() {
  const focused = document.activeElement;
  if (focused === at("item") || focused.closest("dialog[open], input")) return;
  at("item").focus({ preventScroll: true });
  if (revisited) at("item").scrollIntoView({ block: "nearest" }); // on a phone, its answer is far below it
}

function enableVerbs(possible) {
  for (const verb of ["skip", "skip-reason", "flag"]) at(verb).disabled = !possible;
  at("undo").disabled = !questions.past.length && !revisited;
  at("similar").hidden = !possible || settings.multilabel;
}

function wait() {
  at("item").setAttribute("aria-busy", "true");
  at("item").removeAttribute("data-item");
  at("item-name", t("Looking for a question …"));
  at("content", el("span", { class: "skeleton" }), el("span", { class: "skeleton" }));
  for (const place of ["note", "flagged", "why", "changing"]) at(place).hidden = true;
  at("guess", []);
  choices.enable(false);
  enableVerbs(false);
}

/** No question, or no connection: say so, and continue automatically. */
function rest(error) {
  resting = true;
  choices.enable(false);
  choices.mark(null);
  enableVerbs(false);
  banner.refresh();
  const [title, text] = restWords(error);
  const changed = at("end-title").textContent !== title || at("end").hidden;
  at("item").hidden = true;
  at("item").removeAttribute("data-item");
  at("end").hidden = false;
  if (!changed) return;
  at("end-title", title);
  at("end-text", text);
  at("offer", []);
  if (figures && !figures.items && !figures.imported) offer().catch(() => {}); // the service has just been lost
  announce(`${title}. ${text}`);
}

/** Offer to add items. Most tasks have some and never load this. */
async function offer() {
  const { offerOf } = await import("./offer.js");
  at("offer", offerOf(task, given.role));
}

function restWords(error) {
  if (error?.status === 401 || error?.status === 403) return [t("You are signed out"), t("Sign in again to continue.")];
  if (error && !error.status) return [t("The service cannot be reached"), t("This page continues automatically when it is back.")];
  if (error) return [t("No questions can be loaded"), error.message];
  return figures ? whyNothing(figures, questions.waiting) : [t("No questions at the moment"), t("New ones will appear here.")];
}

/** Answer the item that is shown: give it a label, or skip it, if you like with a reason. */
function answer(kind, label, reason) {
  const question = revisited?.question ?? questions.current;
  if (!painted || !question) return;
  const { item } = question;
  if (item !== Number(at("item").dataset.item)) return show(); // the questions have changed: nobody has seen this one
  const before = revisited;
  if (before?.kind === kind && sameLabel(before.label, label)) return leave();
  if (before && !keep("undo", { item })) return;
  if (!keep(kind, kind === "label" ? { item, label } : { item, ...(reason ? { reason } : {}) })) return;
  if (before) questions.changed(before, kind, label);
  else questions.answered(kind, label);
  revisited = null;
  today.add(Number(kind === "label") - Number(Boolean(before)));
  at("previous", answerOf(question, kind, label, classes));
  announce(kind === "label" ? t("Labelled {label}.", { label: labelWords(label) }) : t("Skipped."));
  if (kind === "label") choices.use(label);
  showProgress();
  show();
}

/** Flag the item that is shown for review, with a note or without. It stays where it is. */
function flag(question, note) {
  const flags = question.flags ?? [];
  const isNew = !flags.some((one) => (one.note ?? "") === note);
  if (isNew && !keep("flag", { item: question.item, ...(note ? { note } : {}) })) return;
  if (isNew) setFlags(question, [...flags, { note }]);
  announce(t("Flagged for review."));
  at("item").focus({ preventScroll: true }); // so that Space skips and does not press the button again
}

/** Undo the last flag of the item that is shown. */
function unflag() {
  const question = revisited?.question ?? questions.current;
  if (!question?.flags?.length || !keep("unflag", { item: question.item })) return;
  setFlags(question, question.flags.slice(0, -1));
  announce(t("The flag is undone."));
  at("item").focus({ preventScroll: true }); // the button may be gone
}

function setFlags({ item }, flags) {
  questions.flag(item, flags);
  if (item === Number(at("item").dataset.item)) showFlags({ flags });
}

function showFlags({ flags = [] }) {
  at("flagged").hidden = !flags.length;
  at("flag-words", flagWords(flags));
}

/** Undo the last answer; while an earlier one is shown, go back to the questions. */
function undo() {
  if (revisited) return leave();
  const last = questions.past.at(-1);
  if (last) takeBack(last);
}

function takeBack({ kind, question }) {
  if (kind === "label" && !keep("undo", { item: question.item })) return;
  questions.undo(question.item);
  if (kind === "label") today.add(-1);
  at("previous", []);
  announce(t("Undone: {item} is shown again.", { item: nameOf(question) }));
  showProgress();
  show();
}

/** Show an earlier answer with its item. A label stays until another one is chosen; what was skipped is asked again. */
function revisit(past) {
  if (past.kind === "skip") {
    revisited = null;
    return takeBack(past);
  }
  revisited = past;
  announce(t("You answered {label}. Choose another answer to change it, or press Escape to keep it.", { label: labelWords(past.label) }));
  show();
}

/** Go back from an earlier answer to the questions. */
function leave() {
  revisited = null;
  show();
}

function keep(kind, body) {
  try {
    outbox.add(kind, body);
    return true;
  } catch {
    notify(t("The storage of the browser is full, so the answer was not saved. Free some space and answer again."), "bad");
    return false;
  }
}

function announce(text) {
  at("announcement").textContent = text;
}

/** Show progress, budget and the last answers. */
function showProgress() {
  at("mine", number.format(today.count));
  const rate = speed(questions.times);
  at("speed", rate === null ? "–" : number.format(Math.round(rate)));
  at("history", historyOf(questions.past, classes, revisit));
  showFigures();
}

function showFigures() {
  if (!figures) return;
  at("waiting", number.format(figures.waiting));
  const left = budgetLeft(figures);
  at("budget", left ? number.format(left[0]) : t("No limit"));
  at("budget-words", left ? left[1] : "");
}

outbox.addEventListener("accepted", () => resting && show());
outbox.addEventListener("refused", ({ detail: { kind, body, error } }) => {
  const known = [...questions.past, ...questions.queue.map((question) => ({ question }))].find(({ question }) => question.item === body.item);
  notify(`${nameOf(known?.question ?? body)}: ${error.message}`, "warn");
  if (kind === "flag" && known) setFlags(body, known.question.flags.filter(({ note }) => (note || undefined) !== body.note));
  if (!isAnswer(kind) && kind !== "undo") return;
  questions.disown(body.item, kind);
  if (kind !== "skip") today.add(kind === "label" ? -1 : 1); // a label whose undo is refused stands
  if (kind === "undo") withdraw(body.item);
  showProgress();
  if (revisited?.question.item === body.item) leave();
  else if (kind === "undo" && questions.drop(body.item)) show();
});
/** An answer stands because its undo was refused: what was answered in its place does not count. */
function withdraw(item) {
  for (const { kind } of outbox.withdraw(item)) {
    questions.disown(item, kind);
    if (kind === "label") today.add(-1);
  }
}

outbox.addEventListener("elsewhere", ({ detail: { kind, body } }) => {
  if (isAnswer(kind) && questions.drop(body.item)) show();
});

const VERBS = {
  skip: () => answer("skip"),
  skipWithReason: () => painted && askReason(at("skip-dialog"), (reason) => answer("skip", undefined, reason)),
  flag: () => {
    const question = revisited?.question ?? questions.current;
    if (painted && question) askNote(at("skip-dialog"), (note) => flag(question, note));
  },
  undo,
  help,
  search: () => choices.search(),
};

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && revisited && !event.target.closest("dialog, input")) return leave();
  if (settings.multilabel && isEnter(event)) return event.preventDefault(), event.repeat || choices.confirm();
  const meant = keysAreOn() ? meaning(event, keys) : null;
  if (!meant) return;
  if (meant.verb === "type") return choices.search(event.repeat ? "" : meant.character), choices.input && event.preventDefault();
  event.preventDefault();
  if (event.repeat) return; // a key that is held down counts once
  if (meant.label) choose(meant.label);
  else VERBS[meant.verb]();
});

/** A key of a class gives it as the answer or, if an item may have several, switches it on or off. */
function choose(name) {
  if (!settings.multilabel) answer("label", name);
  else if (painted) choices.toggle(name);
}

/** Whether Enter is pressed where it means nothing else. */
function isEnter(event) {
  return event.key === "Enter" && !event.ctrlKey && !event.altKey && !event.metaKey && !event.target.closest("button, a, summary, input, select, textarea, dialog");
}

function help() {
  const save = (own) => {
    ownKeys.write(own);
    keys = keysFor(classes, usualKeys, own);
    choices.show(keys);
    choices.enable(!resting);
  };
  openHelp(at("help-dialog"), { classes, keys, own: ownKeys.read(), save, switched: showWhetherKeysAreOn });
}

function showWhetherKeysAreOn() {
  at("label-page").classList.toggle("without-keys", !keysAreOn());
}

/** The guidelines are open where they have a place of their own. */
async function showGuidelines() {
  if (!guidance.trim()) return;
  const { markdown } = await import("./markdown.js");
  at("guideline", markdown(guidance));
  at("guidelines").hidden = false;
  at("guidelines").open = matchMedia("(min-width: 1100px)").matches;
}

at("skip").addEventListener("click", VERBS.skip);
at("skip-reason").addEventListener("click", VERBS.skipWithReason);
at("flag").addEventListener("click", VERBS.flag);
at("unflag").addEventListener("click", unflag);
at("undo").addEventListener("click", undo);
at("help").addEventListener("click", help);
at("keep").addEventListener("click", leave);
at("skipped").addEventListener("click", () => listSkipped(at("skip-dialog"), task, person, (item) => {
  revisited = null;
  questions.bring({ ...item, flags: ownFlags(item.flags, person) });
  showProgress();
  show();
}));
addEventListener("visibilitychange", () => {
  if (document.hidden) return;
  outbox.hurry();
  if (resting || (questions.current && !questions.holds(questions.current))) show();
});
setInterval(() => resting && !document.hidden && show(), LOOK_AGAIN);

watchFigures(task, (latest) => {
  figures = latest;
  showFigures();
  if (!resting) return;
  if (figures.waiting > 0 && Date.now() - tried > TRY_AT_MOST_EVERY) {
    tried = Date.now();
    show();
  } else rest(null);
});
choices.show(keys);
if (classes.length > 9) at("label-page").classList.add("many-classes");
showGuidelines();
showWhetherKeysAreOn();
showProgress();
outbox.hurry();
await questions.adopt();
show();
