import { Refused, Unreachable, get, post, send } from "./api.js";
import { at, el } from "./dom.js";
import { report, sentence } from "./errors.js";
import { listed, numberFormat, t } from "./language.js";
import { commandOf } from "./offer.js";

const LOOK_AGAIN = 250;
const TRY_AGAIN = 2000;
const EARLY = 3; // values of a column that a phone shows
const { task, role } = at("upload-page").dataset;
const path = `/api/tasks/${encodeURIComponent(task)}/uploads`;
const number = numberFormat();
const PARTS = ["choose", "moving", "preview", "done"];

let current = null; // the upload, as the service knows it
let fileName = "";
let turn = 0; // counts what was begun, so that nothing continues after a cancel

const KINDS = { text: t("text"), number: t("number"), category: t("category"), date: t("date"), id: t("id"), label: t("label"), guess: t("guess"), ignored: t("ignored") };
const ADDED = { one: "{count} item was added", other: "{count} items were added" };

const wait = (time) => new Promise((go) => setTimeout(go, time));
const size = (bytes) => `${number.format(Number((bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)))} MB`;

/** A message as a sentence. The name of the file stays as it is. */
function said(message) {
  const name = current?.name ?? fileName;
  return name && message.startsWith(name) ? name + sentence(message).slice(name.length) : sentence(message);
}

function show(part) {
  for (const name of PARTS) at(name).hidden = name !== part;
}

/** Repeat a request until the service responds; returns null if something else was begun meanwhile. */
async function patiently(request, mine) {
  while (mine === turn) {
    try {
      const found = await request();
      return mine === turn ? found : null;
    } catch (error) {
      if (mine !== turn) return null;
      if (!(error instanceof Unreachable) && error.status !== 503) throw error;
      at("moving-words", t("The service cannot be reached. This continues when it is back."));
      await wait(TRY_AGAIN);
    }
  }
  return null;
}

function move(title, share, words) {
  show("moving");
  if (at("moving-title").textContent !== title) at("moving-title", title);
  at("bar").value = share;
  at("moving-words", words);
}

/** Upload a file, or the rest of the one that was interrupted. */
async function begin(file) {
  turn += 1;
  const mine = turn;
  at("file-wrong", "");
  fileName = file.name.slice(-200);
  try {
    const goesOn = current?.state === "receiving" && fileName === current.name && file.size === current.size;
    if (!goesOn) await forget();
    if (!goesOn) current = await begun({ name: fileName, size: file.size });
    await sendParts(file, mine);
    await follow(mine);
  } catch (error) {
    wrongFile(error, mine);
  }
}

/** A new upload, or the one that has begun although the response was lost: each of them takes a place until it ends. */
async function begun(wish) {
  const { uploads } = await get(path);
  const isIt = ({ state, received, name, size: bytes }) => state === "receiving" && !received && name === wish.name && bytes === wish.size;
  return uploads.find(isIt) ?? post(path, wish);
}

async function sendParts(file, mine) {
  while (mine === turn && current.state === "receiving") {
    const { upload, received, part_bytes: most } = current;
    move(t("Uploading {file}", { file: current.name }), received / current.size, t("{part} of {all}", { part: size(received), all: size(current.size) }));
    const part = file.slice(received, received + most);
    const found = await patiently(() => send("POST", `${path}/${upload}/parts?start=${received}`, part).catch(elsewhere), mine);
    if (found) current = found;
  }
}

/** A part that has arrived, although the response to it was lost: continue after it. */
function elsewhere(error) {
  if (error instanceof Refused && error.code === "wrong_start") return get(`${path}/${current.upload}`);
  throw error;
}

/** Wait for the check and show its result, or continue to add rows. */
async function follow(mine) {
  while (mine === turn && current.state === "checking") {
    const percent = Math.floor(100 * current.checked);
    if (current.columns.length && !at("preview").hidden) at("counts", t("Checking all rows … {percent} %", { percent }));
    else move(t("Checking {file}", { file: current.name }), current.checked, t("{percent} %", { percent }));
    await wait(LOOK_AGAIN);
    const found = await patiently(() => get(`${path}/${current.upload}`), mine);
    if (found) current = found;
  }
  if (mine !== turn) return;
  if (current.state === "adding") await add(mine);
  else render();
}

function render() {
  const { state, columns, problem } = current;
  if (state === "done") return finish();
  if (state === "refused" && (!columns.length || current.handled)) return refuse();
  const wasShown = !at("preview").hidden;
  show("preview");
  at("preview-title", current.name);
  at("counts", state === "ready" ? countsOf(current) : "");
  at("preview-wrong", problem && current.column === null ? said(problem) : "").hidden = !problem || current.column !== null;
  at("add").disabled = state !== "ready";
  if (at("as-gold")) at("as-gold").hidden = state !== "ready" || !current.labelled;
  showUnknown();
  const focused = document.activeElement?.dataset?.column;
  at("columns", columns.map(row));
  if (focused !== undefined) [...document.querySelectorAll("#columns select")].find((select) => select.dataset.column === focused)?.focus();
  else if (!wasShown) at("preview-title").focus();
}

function countsOf({ rows, labelled, known }) {
  const holes = { count: rows, labelled, known };
  if (!known) return t({ one: "{count} row, {labelled} already labelled.", other: "{count} rows, {labelled} already labelled." }, holes);
  return t({ one: "{count} row, {labelled} already labelled, {known} already in this task.", other: "{count} rows, {labelled} already labelled, {known} already in this task." }, holes);
}

function row(column, place) {
  const { name, kind, kinds, reason, values } = column;
  const isWrong = current.column === name && current.problem !== null;
  const select = el("select", { "aria-label": name ? t("Kind of {column}", { column: name }) : t("Kind of a column without a name"), "data-column": name, disabled: kinds.length < 2, "aria-invalid": isWrong || null, "aria-describedby": `about-${place}`, onchange: (event) => choose(name, event.target.value) },
    kinds.map((one) => el("option", { value: one, selected: one === kind }, KINDS[one] ?? one)));
  const about = el("p", { id: `about-${place}`, class: isWrong ? "wrong" : "hint", dir: "auto" }, isWrong ? said(current.problem) : reason);
  return el("tr", {},
    el("th", { scope: "row" }, name ? el("bdi", {}, name) : el("span", { class: "soft" }, t("(no name)"))),
    el("td", { class: "kind", "data-label": t("Kind") }, el("div", {}, select, about)),
    [0, 1, 2, 3, 4].map((index) => el("td", { class: index < EARLY ? "value" : "value late", "data-label": t("Row {number}", { number: index + 1 }) }, el("bdi", {}, values[index] ?? ""))));
}

/** Labels that are not classes: say so, and how to add them. */
function showUnknown() {
  const unknown = Object.entries(current.unknown);
  at("unknown").hidden = !unknown.length || current.state !== "ready";
  if (!unknown.length) return;
  const rows = unknown.reduce((sum, [, many]) => sum + many, 0);
  const names = unknown.map(([name, many]) => `“${name}” (${number.format(many)})`);
  const words = t({ one: "{count} row has a label that is not a class of this task: {names}.", other: "{count} rows have labels that are not classes of this task: {names}." }, { count: rows, names: listed(names) });
  const add = unknown.length === 1 ? t("Add it as a class, or these rows are added without a label.") : t("Add them as classes, or these rows are added without a label.");
  const remedy = role === "admin" ? add : t("An admin can add classes in the settings of the task. Without them, these rows are added without a label.");
  const button = el("button", { type: "button", onclick: () => addClasses(unknown.map(([name]) => name)) }, unknown.length === 1 ? t("Add this class") : t("Add these classes"));
  at("unknown", el("p", {}, `${words} ${remedy}`), role === "admin" ? button : "");
}

async function addClasses(names) {
  try {
    await post(`/api/tasks/${encodeURIComponent(task)}/classes`, { add: names });
    await check({});
  } catch (error) {
    report(error);
  }
}

const choose = (name, kind) => check({ [name]: kind });

async function check(kinds) {
  turn += 1;
  const mine = turn;
  at("add").disabled = true;
  try {
    current = await post(`${path}/${current.upload}/kinds`, { kinds });
    await follow(mine);
  } catch (error) {
    report(error);
    render();
  }
}

/** Whether labelled rows are to become gold items, by the box that admins have. */
function asGold() {
  return current.gold || Boolean(at("gold")?.checked && current.labelled);
}

async function add(mine) {
  try {
    do {
      const { handled, rows } = current;
      move(t("Adding {file}", { file: current.name }), rows ? handled / rows : 0, t({ one: "{handled} of {count} row", other: "{handled} of {count} rows" }, { handled, count: rows }));
      const found = await patiently(() => post(`${path}/${current.upload}/rows${asGold() ? "?gold=true" : ""}`), mine);
      if (found === null) return;
      current = found;
    } while (current.state === "adding");
    render();
  } catch (error) {
    if (error instanceof Refused && error.status === 401) report(error);
    else wrongFile(error, mine);
  }
}

function finish() {
  show("done");
  const { added, learned, rows, labelled, gold } = current;
  const words = gold ? { one: "{count} gold item was added", other: "{count} gold items were added" } : ADDED;
  at("done-title", added ? t(words, { count: added }) : t("All rows were in this task already"));
  const again = (gold ? labelled : rows) - added;
  at("done-words", [
    learned ? t({ one: "{count} of them is labelled.", other: "{count} of them are labelled." }, { count: learned }) : "",
    added && again ? t({ one: "{count} row was here before and not added again.", other: "{count} rows were here before and not added again." }, { count: again }) : "",
  ].filter(Boolean).join(" "));
  at("done-title").focus();
}

/** The file cannot be added, or not all of it. */
function refuse() {
  const { problem, handled, added, upload } = current;
  show("choose");
  at("file-wrong", said(problem), handled ? ` ${t({ one: "{count} item was added before it.", other: "{count} items were added before it." }, { count: added })}` : "");
  current = null;
  send("DELETE", `${path}/${upload}`).catch(() => {});
  at("choose-file").focus();
}

function wrongFile(error, mine) {
  if (mine !== turn) return;
  show("choose");
  if (error instanceof Refused && error.status !== 401) at("file-wrong", said(error.message));
  else report(error);
  at("choose-file").focus();
}

/** Cancel what is on the page; items that were added stay. */
async function forget() {
  const before = current;
  current = null;
  showRest();
  if (before && before.state !== "done") await send("DELETE", `${path}/${before.upload}`).catch(() => {});
}

async function cancel() {
  turn += 1;
  const added = current?.added ?? 0;
  await forget();
  show("choose");
  at("file-wrong", added ? t({ one: "Cancelled. {count} item was added and stays.", other: "Cancelled. {count} items were added and stay." }, { count: added }) : "");
  at("choose-file").focus();
}

/** Say how to continue with a file of which a part has arrived: a page cannot open it again by itself. */
function showRest() {
  const waits = current?.state === "receiving";
  at("forget").hidden = !waits;
  at("choose-title", waits ? t("Choose {file} again to continue", { file: current.name }) : t("Drop a file here, or choose one"));
  at("choose-file", waits ? t("Choose the file again") : t("Choose a file"));
  if (waits) at("file-wrong", t("{part} of {all} have arrived.", { part: size(current.received), all: size(current.size) }));
}

at("choose-file").addEventListener("click", () => at("file").click());
at("file").addEventListener("change", (event) => {
  const [file] = event.target.files;
  event.target.value = "";
  if (file) begin(file);
});
for (const name of ["stop", "cancel", "forget"]) at(name).addEventListener("click", cancel);
at("another").addEventListener("click", () => {
  current = null;
  showRest();
  show("choose");
  at("choose-file").focus();
});
at("add").addEventListener("click", () => {
  turn += 1;
  add(turn);
});

// A file that misses its place must not replace the page.
addEventListener("dragover", (event) => {
  event.preventDefault();
  at("choose").classList.toggle("over", !at("choose").hidden);
});
addEventListener("dragleave", (event) => event.relatedTarget === null && at("choose").classList.remove("over"));
addEventListener("drop", (event) => {
  event.preventDefault();
  at("choose").classList.remove("over");
  const [file] = event.dataTransfer.files;
  if (file && !at("choose").hidden && !at("choose-file").disabled) begin(file);
});

at("command", commandOf(task));
try {
  const { uploads, most_bytes: most } = await get(path);
  at("choose-words").append(" ", t("At most {size}.", { size: size(most) }));
  current = uploads.find(({ state }) => state !== "done") ?? null;
  at("choose-file").disabled = false;
  showRest();
  if (current && current.state !== "receiving") await follow(turn);
} catch (error) {
  wrongFile(error, turn);
}
