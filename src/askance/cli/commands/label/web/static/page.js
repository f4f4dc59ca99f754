import { at, el } from "./dom.js";

const TOKEN = "askance:token";
const TOO_SOON = 300; // milliseconds: nobody has read the next row by then
const VERBS = { s: () => answer(null), u: undo, q: askToFinish, "+": () => at("name").focus() };

let state = null;
let shownAt = -TOO_SOON;
let busy = false;
let ended = false;

/** The token of this page. A link brings it behind the #; it does not stay in the address bar. */
function token() {
  const brought = location.hash.slice(1);
  if (brought) {
    sessionStorage.setItem(TOKEN, brought);
    history.replaceState(null, "", "/");
  }
  return sessionStorage.getItem(TOKEN) ?? "";
}
const secret = token();

/** Ask the command for something, and show what it replies. Resolves to whether it was done. */
async function call(path, body) {
  if (busy || ended) return false;
  busy = true;
  at("item").setAttribute("aria-busy", "true");
  try {
    const response = await fetch(path, {
      method: body ? "POST" : "GET",
      headers: { "X-Askance-Token": secret, ...(body && { "Content-Type": "application/json" }) },
      body: body && JSON.stringify(body),
    });
    const reply = await response.json();
    if (reply.state) show(reply.state);
    else end(response.ok ? "Finished" : "This page cannot go on", reply.message, response.ok);
    if (reply.state) say(reply.message, !response.ok);
    return response.ok;
  } catch {
    lost();
    return false;
  } finally {
    busy = false;
    at("item").setAttribute("aria-busy", "false");
  }
}

function say(text, isProblem = false) {
  at("status", text).className = isProblem ? "warn" : "";
}

// ---------------------------------------------------------------- what is shown

function show(next) {
  const classesChanged = JSON.stringify(next.classes) !== JSON.stringify(state?.classes);
  state = next;
  document.title = `Label ${state.file} · askance`;
  at("file", `Label ${state.file}`);
  at("progress", state.progress);
  at("advice", state.advice).hidden = !state.advice;
  if (classesChanged) showClasses();
  showQuestion();
  showRecent();
  enable();
}

function showQuestion() {
  const { question } = state;
  at("item").hidden = !question;
  at("end").hidden = Boolean(question);
  if (question) {
    at("item-name", `Row ${question.row}`);
    at("item").dataset.row = question.row;
    at("content", contentOf(question.values));
  } else {
    at("end-title", state.end);
    at("end-text", "Press Finish to write the labels and the model. You can still undo the last answer.");
  }
  shownAt = performance.now();
}

/** A text, or a table of columns and values. All of it is text from the file. */
function contentOf(values) {
  if (values.length === 1 && !values[0][0]) return el("div", { class: "text", tabindex: 0, role: "group", "aria-label": "Text" }, values[0][1]);
  const rows = values.map(([name, value]) =>
    name ? el("tr", {}, el("th", { scope: "row" }, name), el("td", {}, value)) : el("tr", {}, el("td", { colspan: 2 }, value)),
  );
  const table = el("table", { class: "record" }, el("tbody", {}, rows));
  return el("div", { class: "text", tabindex: 0, role: "group", "aria-label": "Columns" }, table);
}

function showClasses() {
  const buttons = state.classes.map(({ name, key }) =>
    el("button", { class: "answer", type: "button", onclick: () => answer(name) }, key ? el("kbd", {}, key) : null, el("span", {}, name)),
  );
  at("answers", buttons.length ? buttons : el("p", { class: "hint" }, "There are no classes yet. Type the name of the first one below."));
}

function showRecent() {
  at("recent").hidden = !state.recent.length;
  at("recent-list", state.recent.map(recentOf));
}

function recentOf({ text, label, prediction }) {
  const excerpt = el("span", { class: "excerpt" }, text);
  if (label === null) return el("li", {}, el("span", { class: "label" }, "skipped"), excerpt);
  const same = label === prediction;
  const words = same ? "as predicted" : `predicted: ${prediction}`;
  const chip = prediction === null ? null : el("span", { class: same ? "chip good" : "chip warn" }, el("span", {}, words));
  return el("li", {}, el("span", { class: "label" }, label), excerpt, chip);
}

function enable() {
  const isAsking = !ended && Boolean(state?.question);
  for (const button of at("answers").querySelectorAll("button")) button.disabled = !isAsking;
  for (const id of ["skip", "name", "add"]) at(id).disabled = !isAsking;
  at("undo").disabled = ended || !state?.recent.length;
  at("finish").disabled = ended || !state;
}

/** The last view. */
function end(title, text, isFinished) {
  ended = true;
  at("item").hidden = true;
  at("end").hidden = false;
  at("end-title", title);
  at("end-text", text);
  if (isFinished) at("end").append(el("p", {}, "The terminal says where the labels and the model are. You can close this page."));
  for (const id of ["progress", "advice", "answers", "verbs"]) at(id).hidden = true;
  say("");
  enable();
}

/** No reply: the command has ended, or a tunnel is closed. */
function lost() {
  say("The command in the terminal cannot be reached. Answers that are listed here are saved. If it has ended, run it again to go on.", true);
}

// ---------------------------------------------------------------- what is done

/** Answer the row that is shown; null skips it. */
async function answer(label) {
  if (!state?.question || performance.now() - shownAt < TOO_SOON) return false;
  const isDone = await call("/answer", { row: state.question.row, label });
  at("item").focus({ preventScroll: true }); // for people who listen: the next row is read out
  return isDone;
}

function undo() {
  if (state?.recent.length) call("/undo", { row: state.recent[0].row });
}

/** A key alone does not end the page. */
function askToFinish() {
  at("finish").focus();
  say("Press Enter to finish.");
}

at("skip").addEventListener("click", () => answer(null));
at("undo").addEventListener("click", undo);
at("finish").addEventListener("click", () => call("/finish", {}));
at("new").addEventListener("submit", async (event) => {
  event.preventDefault();
  const name = at("name").value.trim();
  if (name && (await answer(name))) at("name").value = "";
});
at("name").addEventListener("keydown", (event) => event.key === "Escape" && at("item").focus({ preventScroll: true }));

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
  if (event.target.closest("input")) return;
  if (event.repeat) {
    if (event.target.closest("button")) event.preventDefault(); // Enter that is held down would press it again
    return;
  }
  const key = event.key.toLowerCase();
  const meant = state?.classes.find((one) => one.key === key);
  if (!meant && !Object.hasOwn(VERBS, key)) return;
  event.preventDefault();
  if (meant) answer(meant.name);
  else VERBS[key]();
});
// Another tab may have answered meanwhile.
document.addEventListener("visibilitychange", () => document.hidden || call("/state"));

call("/state");
