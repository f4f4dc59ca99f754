import { answerOf, reasonOf } from "./beside.js";
import { Choices } from "./choices.js";
import { at, el } from "./dom.js";
import { budgetLeft, speed, watchFigures, whyNothing } from "./figures.js";
import { openHelp } from "./help.js";
import { OwnKeys, keysFor, meaning } from "./keys.js";
import { tell } from "./notices.js";
import { Outbox } from "./outbox.js";
import { Questions } from "./questions.js";
import { contentOf } from "./text.js";

const LOOK_AGAIN = 15_000;
const TRY_AT_MOST_EVERY = 1000;
const MOST_MARKED = 6; // features: more would colour the whole text

const { task, person, ...given } = at("desk").dataset;
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
let turn = 0; // counts what was shown, so that an answer that comes late is not shown over something newer
let painted = false; // keys count only for a question that the labeller has been able to see
let resting = false;
let tried = 0;
let away = false;
let figures = null;

/** Show the current question; where there is none, get one or say why there is none. */
async function show() {
  turn += 1;
  const mine = turn;
  painted = false;
  let fault = null;
  if (!questions.current || !questions.holds(questions.current)) {
    if (!questions.current && !resting) wait();
    try {
      for (const complaint of await questions.prepare()) tell(complaint, "warn");
      if (!questions.current) await questions.refill();
    } catch (error) {
      fault = error;
    }
    if (mine !== turn) return;
  }
  if (questions.current) paint(questions.current);
  else rest(fault);
  if (questions.current) questions.refill().catch(() => {}); // what is at hand can be answered without it
}

function paint(question) {
  resting = false;
  const { why } = question;
  const open = guessIs === "shown";
  at("end").hidden = true;
  at("item").hidden = false;
  at("item").setAttribute("aria-busy", "false");
  at("item").dataset.item = question.item;
  at("item-name", `Item ${number.format(question.item)}${question.id ? ` · ${question.id}` : ""}`);
  at("content", contentOf(question, open ? (why?.pulls.slice(0, MOST_MARKED) ?? []) : [], classes));
  at("guess", open ? [el("span", { class: "chip note plain" }, `The model says ${question.prediction}`)] : []);
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

/** Nothing to ask, or nobody to ask for it: a calm end, and it goes on by itself. */
function rest(fault) {
  resting = true;
  choices.enable(false);
  at("skip").disabled = true;
  at("undo").disabled = !questions.past.length;
  const [title, text] = restWords(fault);
  const changed = at("end-title").textContent !== title || at("end").hidden;
  at("item").hidden = true;
  at("item").removeAttribute("data-item");
  at("end").hidden = false;
  if (!changed) return;
  at("end-title", title);
  at("end-text", text);
  say(`${title}. ${text}`);
}

function restWords(fault) {
  if (fault?.status === 401 || fault?.status === 403) return ["You are signed out", "Sign in again to go on."];
  if (fault && !fault.status) return ["The service cannot be reached", "This page goes on by itself when it is back."];
  if (fault) return ["No question can be had now", fault.message];
  return figures ? whyNothing(figures, questions.waiting) : ["Nothing to ask now", "This page goes on by itself."];
}

function answer(kind, label) {
  const question = questions.current;
  if (!painted || !question) return;
  const { item } = question;
  if (!keep(kind, kind === "label" ? { item, label } : { item })) return;
  questions.answered(kind, label);
  at("before", answerOf(question, kind, label, classes));
  say(kind === "label" ? `${label} noted.` : "Skipped.");
  stand();
  show();
}

function undo() {
  const last = questions.past.at(-1);
  if (!last) return;
  if (last.kind === "label" && !keep("undo", { item: last.question.item })) return;
  questions.takeBack();
  at("before", []);
  say(`Undone: item ${last.question.item} is asked again.`);
  stand();
  show();
}

function keep(kind, body) {
  try {
    outbox.add(kind, body);
    return true;
  } catch {
    tell("The browser has no room to keep the answer, so it was not given. Free some storage, and answer again.", "bad");
    return false;
  }
}

function say(text) {
  at("said").textContent = text;
}

/** Progress and spend. */
function stand() {
  at("mine", number.format(questions.times.length));
  const rate = speed(questions.times);
  at("speed", rate === null ? "–" : number.format(Math.round(rate)));
  if (!figures) return;
  at("waiting", number.format(figures.waiting));
  const left = budgetLeft(figures);
  at("budget", left ? number.format(left[0]) : "∞");
  at("budget-words", left ? left[1] : "to spend");
}

function showBanner(...content) {
  at("banner", content).hidden = content.length === 0;
}

function answersKept(count) {
  return count === 1 ? "1 answer is kept here" : `${number.format(count)} answers are kept here`;
}

function tellAway() {
  if (!away) return;
  const kept = `${answersKept(outbox.count)} and sent when it is back`;
  showBanner(`The service cannot be reached. ${kept}; go on with the questions at hand.`);
}

outbox.addEventListener("away", () => {
  away = true;
  tellAway();
});
outbox.addEventListener("changed", tellAway);
outbox.addEventListener("stranger", () => {
  const back = `/sign-in?next=${encodeURIComponent(location.pathname)}`;
  showBanner(`You are signed out. ${answersKept(outbox.count)}. `, el("a", { href: back }, "Sign in again"));
});
outbox.addEventListener("taken", () => {
  away = false;
  showBanner();
  if (resting) show();
});
outbox.addEventListener("refused", ({ detail: { kind, body, fault } }) => {
  tell(`Item ${number.format(body.item)}: ${fault.message}`, "warn");
  questions.disown(body.item, kind);
  stand();
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

watchFigures(task, (told) => {
  figures = told;
  stand();
  if (!resting) return;
  if (figures.waiting > 0 && Date.now() - tried > TRY_AT_MOST_EVERY) {
    tried = Date.now();
    show();
  } else rest(null);
});
choices.show(keys);
stand();
outbox.hurry();
await questions.adopt();
show();
