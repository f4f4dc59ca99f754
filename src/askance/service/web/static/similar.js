import { get } from "./api.js";
import { Choices } from "./choices.js";
import { at, el } from "./dom.js";
import { report } from "./errors.js";
import { labelGroup, labelledAs, undoGroup } from "./groups.js";
import { keysAreOn } from "./keys.js";
import { t } from "./language.js";
import { Selection } from "./selection.js";
import { contentOf, excerptOf } from "./text.js";

const { task, item, ...given } = at("similar-page").dataset;
const { classes, interface: look } = JSON.parse(given.settings);
const path = `/api/tasks/${encodeURIComponent(task)}`;
const OURS = ["j", "k", "x", "a", "u"]; // what they do on this page comes before the keys of classes
const keys = new Map(JSON.parse(given.keys).filter(([key]) => !OURS.includes(key)));
const SHOWN = 50;
let lastGroup = null;
let isBusy = false;

/** Show the item and, below it, what is like it and can be labelled now. */
async function show() {
  const [detail, found] = await Promise.all([get(`${path}/items/${item}`), get(`${path}/items/${item}/similar?open=true&count=${SHOWN}`)]);
  at("content", contentOf(detail, [], classes));
  const own = detail.label === null && !found.set_aside ? [rowOf(detail, t("this item"), true)] : [];
  const others = found.items.map((one) => rowOf(one.item, t("{percent} % similar", { percent: Math.round(100 * one.similarity) }), false));
  at("items", own.length + others.length ? [...own, ...others] : el("li", { class: "soft" }, t("No similar item can be labelled now.")));
  const holes = { count: others.length, prediction: found.prediction, compared: found.compared };
  const words = look?.prediction === "shown"
    ? t({ one: "{count} similar item with the same prediction, {prediction}, among {compared} items that can be labelled.", other: "{count} similar items with the same prediction, {prediction}, among {compared} items that can be labelled." }, holes)
    : t({ one: "{count} similar item with the same prediction, among {compared} items that can be labelled.", other: "{count} similar items with the same prediction, among {compared} items that can be labelled." }, holes);
  const reason = found.set_aside ? t("This item belongs to the random sample that tells how good the model is: answer its question alone.") : "";
  at("found", [words, reason].filter(Boolean).join(" "));
  at("all-shown").hidden = !selection.boxes.length;
  selection.tell();
}

function rowOf(detail, words, isChosen) {
  const box = el("input", { type: "checkbox", "aria-label": t("Select item {number}", { number: String(detail.item) }) });
  box.checked = isChosen;
  return el("li", { "data-item": detail.item, class: "group-row" }, box, el("span", { class: "excerpt", dir: "auto" }, excerptOf(detail)), el("span", { class: "soft small" }, words));
}

const selection = new Selection(at("items"), (items) => {
  at("selected", items.length ? t({ one: "{count} item selected", other: "{count} items selected" }, { count: items.length }) : t("Nothing selected"));
  at("select-all").checked = items.length > 0 && items.length === selection.boxes.length;
  choices.enable(items.length > 0 && !isBusy);
});
const choices = new Choices(at("answers"), classes, `askance:recent:${task}`, label);
choices.show(keys);

/** Label all selected items, and show what is similar then. */
async function label(name) {
  await act(async () => {
    const items = selection.items;
    if (!items.length) return;
    choices.use(name);
    const group = await labelGroup(path, items, name, { correct: false });
    if (group.labelled.length) lastGroup = group;
  });
}

async function undo() {
  await act(async () => {
    if (!lastGroup) return;
    await undoGroup(path, lastGroup);
    lastGroup = null;
  });
}

/** Do one thing at a time, so that a key that is pressed twice counts once. */
async function act(work) {
  if (isBusy) return;
  isBusy = true;
  choices.enable(false);
  try {
    await work();
  } catch (error) {
    report(error);
  }
  isBusy = false;
  showLastGroup();
  await show().catch(report);
}

function showLastGroup() {
  at("last-group").hidden = lastGroup === null;
  if (lastGroup) at("last-group").firstElementChild.replaceChildren(labelledAs(lastGroup));
}

document.addEventListener("keydown", (event) => {
  if (!keysAreOn() || event.repeat || event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.target.closest("input:not([type=checkbox]), select, textarea, dialog")) return;
  const key = event.key.toLowerCase();
  if (key === "a") selection.setAll(true);
  else if (key === "u") undo();
  else if (keys.has(key)) label(keys.get(key));
});
at("select-all").addEventListener("change", () => selection.setAll(at("select-all").checked));
at("last-group").lastElementChild.addEventListener("click", undo);

await show().catch(report);
