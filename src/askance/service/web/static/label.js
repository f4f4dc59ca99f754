import { root } from "./api.js";
import { answerOf, reasonOf } from "./feedback.js";
import { Choices } from "./choices.js";
import { at, el } from "./dom.js";
import { budgetLeft, speed, watchFigures, whyNothing } from "./figures.js";
import { openHelp } from "./help.js";
import { OwnKeys, keysFor, meaning } from "./keys.js";
import { notify } from "./notices.js";
import { offerOf } from "./offer.js";
import { Outbox } from "./outbox.js";
import { Questions } from "./questions.js";
import { contentOf, nameOf } from "./text.js";

const LOOK_AGAIN = 15_000;
const TRY_AT_MOST_EVERY = 1000;
const MOST_MARKED = 6; // features: more would mark the whole text

const { task, person, ...given } = at("label-page").dataset;
const settings = JSON.parse(given.settings);
const usualKeys = JSON.parse(given.keys);
const { classes } = settings;
const { prediction: guessIs = "hidden", guidance = "" } = settings.interface ?? {};
const number = new Intl.NumberFormat();

const outbox = new Outbox(task, person);
const questions = new Questions(task, person, settings.labels?.lease_seconds ?? 300, outbox);
const ownKeys = new OwnKeys(task, person);
const choices = new Choices(at("answers"), classes, (name) => answer("label", name));
let keys = keysFor(classes, usualKeys, ownKeys.read());
let turn = 0; // counts what was shown, so that a late response does not replace something newer
let painted = false; // keys count only when the labeller can see the question
let resting = false;
let tried = 0;
let offline = false;
let figures = null;

/** Show the current question; if there is none, get one or say why there is none. */
async function show() {
  turn += 1;
  const mine = turn;
  painted = false;
  let failure = null;
  if (!questions.current || !questions.holds(questions.current)) {
    if (!questions.current && !resting) wait();
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
  at("content", contentOf(question, open ? (why?.pulls.slice(0, MOST_MARKED) ?? []) : [], classes));
  at("guess", open ? [el("span", { class: "chip note plain" }, `Prediction: ${question.prediction}`)] : []);
  at("note", question.note ?? "").hidden = !question.note;
  at("why").hidden = !why;
  at("why").open = false;
  at("reason", why ? reasonOf(why, open, classes) : []);
  choices.enable(true);
  at("skip").disabled = false;
  at("undo").disabled = !questions.past.length;
  if (!at("help-dialog").open) at("item").focus({ preventScroll: true });
  const shown = turn;
  requestAnimationFrame(() => setTimeout(() => (painted = shown === turn)));
}

function wait() {
  at("item").setAttribute("aria-busy", "true");
  at("item").removeAttribute("data-item");
  at("item-name", "Looking for a question …");
  at("content", el("span", { class: "skeleton" }), el("span", { class: "skeleton" }));
  for (const place of ["note", "why"]) at(place).hidden = true;
  at("guess", []);
  choices.enable(false);
}

/** No question, or no connection: say so, and continue automatically. */
function rest(error) {
  resting = true;
  choices.enable(false);
  at("skip").disabled = true;
  at("undo").disabled = !questions.past.length;
  const [title, text] = restWords(error);
  const changed = at("end-title").textContent !== title || at("end").hidden;
  at("item").hidden = true;
  at("item").removeAttribute("data-item");
  at("end").hidden = false;
  if (!changed) return;
  at("end-title", title);
  at("end-text", text);
  at("offer", figures && !figures.items && !figures.imported ? [offerOf(task, given.role)] : []);
  announce(`${title}. ${text}`);
}

function restWords(error) {
  if (error?.status === 401 || error?.status === 403) return ["You are signed out", "Sign in again to continue."];
  if (error && !error.status) return ["The service cannot be reached", "This page continues automatically when it is back."];
  if (error) return ["No questions can be loaded", error.message];
  return figures ? whyNothing(figures, questions.waiting) : ["No questions at the moment", "New ones will appear here."];
}

function answer(kind, label) {
  const question = questions.current;
  if (!painted || !question) return;
  const { item } = question;
  if (!keep(kind, kind === "label" ? { item, label } : { item })) return;
  questions.answered(kind, label);
  at("previous", answerOf(question, kind, label, classes));
  announce(kind === "label" ? `Labelled ${label}.` : "Skipped.");
  showProgress();
  show();
}

function undo() {
  const last = questions.past.at(-1);
  if (!last) return;
  if (last.kind === "label" && !keep("undo", { item: last.question.item })) return;
  questions.undo();
  at("previous", []);
  announce(`Undone: ${nameOf(last.question)} is shown again.`);
  showProgress();
  show();
}

function keep(kind, body) {
  try {
    outbox.add(kind, body);
    return true;
  } catch {
    notify("The storage of the browser is full, so the answer was not saved. Free some space and answer again.", "bad");
    return false;
  }
}

function announce(text) {
  at("announcement").textContent = text;
}

/** Show progress and budget. */
function showProgress() {
  at("mine", number.format(questions.times.length));
  const rate = speed(questions.times);
  at("speed", rate === null ? "–" : number.format(Math.round(rate)));
  if (!figures) return;
  at("waiting", number.format(figures.waiting));
  const left = budgetLeft(figures);
  at("budget", left ? number.format(left[0]) : "No limit");
  at("budget-words", left ? left[1] : "");
}

function showBanner(...content) {
  at("banner", content).hidden = content.length === 0;
}

function answersSaved(count) {
  return count === 1 ? "1 answer is saved in this browser" : `${number.format(count)} answers are saved in this browser`;
}

function showOffline() {
  if (!offline) return;
  const saved = `${answersSaved(outbox.count)} and will be sent when it is back`;
  showBanner(`The service cannot be reached. ${saved}. You can continue with the questions that are already here.`);
}

outbox.addEventListener("offline", () => {
  offline = true;
  showOffline();
});
outbox.addEventListener("changed", showOffline);
outbox.addEventListener("signed-out", () => {
  const back = `${root}/sign-in?next=${encodeURIComponent(location.pathname)}`;
  showBanner(`You are signed out. ${answersSaved(outbox.count)}. `, el("a", { href: back }, "Sign in again"));
});
outbox.addEventListener("accepted", () => {
  offline = false;
  showBanner();
  if (resting) show();
});
outbox.addEventListener("refused", ({ detail: { kind, body, error } }) => {
  notify(`Item ${number.format(body.item)}: ${error.message}`, "warn");
  questions.disown(body.item, kind);
  showProgress();
  if (kind === "undo" && questions.drop(body.item)) show();
});
outbox.addEventListener("elsewhere", ({ detail: { kind, body } }) => {
  if (kind !== "undo" && questions.drop(body.item)) show();
});

document.addEventListener("keydown", (event) => {
  const meant = meaning(event, keys);
  if (!meant) return;
  if (meant.verb === "type") return choices.search(event.repeat ? "" : meant.character), choices.input && event.preventDefault();
  event.preventDefault();
  if (meant.label) answer("label", meant.label);
  else if (!event.repeat) ({ skip: () => answer("skip"), undo, help, search: () => choices.search() })[meant.verb]();
});

function help() {
  const save = (own) => {
    ownKeys.write(own);
    keys = keysFor(classes, usualKeys, own);
    choices.show(keys);
    choices.enable(!resting);
  };
  openHelp(at("help-dialog"), { classes, keys, own: ownKeys.read(), guidance, save });
}

at("skip").addEventListener("click", () => answer("skip"));
at("undo").addEventListener("click", undo);
at("help").addEventListener("click", help);
addEventListener("visibilitychange", () => {
  if (document.hidden) return;
  outbox.hurry();
  if (resting || (questions.current && !questions.holds(questions.current))) show();
});
setInterval(() => resting && !document.hidden && show(), LOOK_AGAIN);

watchFigures(task, (latest) => {
  figures = latest;
  showProgress();
  if (!resting) return;
  if (figures.waiting > 0 && Date.now() - tried > TRY_AT_MOST_EVERY) {
    tried = Date.now();
    show();
  } else rest(null);
});
choices.show(keys);
showProgress();
outbox.hurry();
await questions.adopt();
show();
