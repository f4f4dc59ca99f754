import { get, root } from "./api.js";
import { at, el } from "./dom.js";
import { report } from "./errors.js";
import { numberFormat, t } from "./language.js";
import { spendOf } from "./spend.js";
import { actions, stateName } from "./states.js";

const LOOK_AGAIN = 5000;
const number = numberFormat();
const { role } = at("tasks").dataset;

/** Show all tasks. */
async function show() {
  const { tasks } = await get("/api/tasks");
  const standing = tasks.filter((task) => task.state !== "archived");
  const archived = tasks.filter((task) => task.state === "archived");
  at("tasks", standing.length ? standing.map(card) : nothing());
  at("archived").replaceChildren(...archived.map(card));
  at("archived-place").hidden = archived.length === 0;
}

function nothing() {
  const words = role === "admin"
    ? t("A task is a question about each item of a stream, such as: is this spam? Which team is this ticket for?")
    : t("An admin can create one.");
  const first = role === "admin" ? el("a", { class: "button main", href: `${root}/new-task` }, t("Create the first task")) : null;
  return el("section", { class: "card empty" }, el("h2", {}, t("There are no tasks yet")), el("p", {}, words), first);
}

function card(task) {
  const address = `${root}/tasks/${encodeURIComponent(task.name)}`;
  const head = el("div", { class: "row apart" },
    el("h2", {}, el("a", { href: address }, task.name)), el("span", { class: `chip ${task.state}` }, stateName(task.state)));
  if (task.state === "broken") return el("section", { class: "card", "aria-label": task.name },
    el("div", { class: "row apart" }, el("h2", {}, task.name), el("span", { class: "chip bad" }, t("cannot be served"))),
    el("p", { class: "notice bad", dir: "auto" }, task.problem));
  const about = t({ one: "{count} class · {algorithm}", other: "{count} classes · {algorithm}" }, { count: task.classes.length, algorithm: task.algorithm });
  return el("section", { class: "card", "aria-label": task.name }, head, el("p", { class: "soft small" }, about),
    el("dl", { class: "counts" },
      count(t("Items"), task.items), count(t("Labelled|items"), task.labelled), count(t("Waiting"), task.waiting)),
    task.problem ? el("p", { class: "notice bad", dir: "auto" }, task.problem) : null,
    spendOf(task.spend),
    el("div", { class: "actions" }, labelLink(task, address), task.role === "admin" ? actions(task, show) : null));
}

function count(name, value) {
  return el("div", {}, el("dt", {}, name), el("dd", {}, number.format(value)));
}

function labelLink(task, address) {
  if (!["admin", "labeller"].includes(task.role) || task.state !== "running") return null;
  return el("a", { class: "button", href: `${address}/label` }, t("Label|verb"));
}

try {
  await show();
  setInterval(() => document.hidden || document.querySelector("dialog[open]") || show().catch(() => {}), LOOK_AGAIN);
} catch (error) {
  report(error);
}
