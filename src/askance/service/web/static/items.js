import { get, root } from "./api.js";
import { whileBusy } from "./busy.js";
import { confirmed } from "./confirm.js";
import { at, el } from "./dom.js";
import { report } from "./errors.js";
import { deleteItems, labelGroup, labelledAs, reopen, undoGroup } from "./groups.js";
import { addressOf, filterOf, queryOf } from "./item-filter.js";
import { itemState } from "./item-states.js";
import { labelWords } from "./labels.js";
import { numberFormat, t } from "./language.js";
import { emptyCard } from "./offer.js";
import { Selection } from "./selection.js";
import { date } from "./times.js";
import { excerptOf } from "./text.js";

const { task, role, ...given } = at("items-page").dataset;
const { classes } = JSON.parse(given.settings);
const path = `/api/tasks/${encodeURIComponent(task)}`;
const number = numberFormat();
const fine = numberFormat({ maximumSignificantDigits: 3 });
const filters = at("filters");
const PAGE = 50;
const MOST_AT_ONCE = 200;
const MOST_SELECTED = 1000;
let before = null;
let shown = 0;
let searched = 0;
let total = 0;
let isExact = false;
let latest = 0; // so that the result of an earlier search does not replace a later one
let lastGroup = null;

// ---------------------------------------------------------------------- the list

async function begin(count = PAGE) {
  const filter = filterOf();
  for (const [name, value] of Object.entries(filter)) setField(filters.elements[name], value);
  at("limits").open ||= ["min_score", "max_score", "since", "until"].some((name) => filter[name]);
  [before, shown, searched, total, isExact] = [null, 0, 0, 0, false];
  at("items").replaceChildren();
  at("select-all").checked = false;
  at("all-shown").hidden = true; // until there is something to select
  selection.tell();
  at("found", t("Searching …"));
  await more(count);
}

/** Set a field of the form. A value that a list does not have, such as a former class, is added to it. */
function setField(field, value) {
  const isUnknown = field.tagName === "SELECT" && ![...field.options].some((option) => option.value === value);
  if (isUnknown) field.append(el("option", { value }, value));
  field.value = value;
}

/** Show the next items; a search without results yet continues for a while. */
async function more(count = PAGE) {
  latest += 1;
  const mine = latest;
  try {
    for (let rounds = 0; rounds < 10; ) {
      const found = await get(`${path}/items?${queryOf(filterOf(), { count, ...(before === null ? {} : { before }) })}`);
      if (mine !== latest) return;
      before = found.before;
      shown += found.items.length;
      searched += found.searched;
      total = Math.max(total, found.total);
      isExact ||= found.exact;
      at("items").append(...found.items.map(row));
      if (found.items.length || before === null) break;
      if (found.searched) rounds += 1; // otherwise the service still reads the journal
      at("found", found.searched ? t({ one: "Searched {count} item so far …", other: "Searched {count} items so far …" }, { count: searched }) : t("Reading the items for the first time …"));
    }
    showCount();
  } catch (error) {
    at("found", "");
    report(error);
  }
}

function showCount() {
  at("more").hidden = before === null;
  const isEmpty = !shown && before === null && !addressOf({ ...filterOf(), order: "" });
  at("offer", isEmpty ? [emptyCard(task, role)] : []);
  at("sheet").hidden = isEmpty;
  at("all-shown").hidden = !shown;
  if (!shown && before === null) at("items", el("tr", {}, el("td", { colspan: 7, class: "soft" }, t("No items match."))));
  at("found", countWords());
}

function countWords() {
  if (isExact && total === shown) return t({ one: "{count} item shown.", other: "{count} items shown." }, { count: shown });
  const holes = { shown, count: Math.max(total, shown) };
  return isExact
    ? t({ one: "{shown} of {count} item shown.", other: "{shown} of {count} items shown." }, holes)
    : t({ one: "{shown} of at least {count} item shown.", other: "{shown} of at least {count} items shown." }, holes);
}

function row(detail) {
  const address = `${root}/tasks/${encodeURIComponent(task)}/items/${detail.item}${addressOf(filterOf())}`;
  const corrected = detail.corrections.length ? el("span", { class: "chip corrected" }, t("corrected")) : null;
  const differs = detail.agreement !== null && detail.agreement < 1 ? el("span", { class: "chip disagreement" }, t("disagreement")) : null;
  const { decision } = detail;
  return el("tr", { "data-item": detail.item },
    el("td", { class: "select" }, el("input", { type: "checkbox", "aria-label": t("Select item {number}", { number: String(detail.item) }) })),
    el("th", { scope: "row", class: "number" }, el("a", { href: address }, number.format(detail.item))),
    el("td", { class: "text", "data-label": t("Content") }, el("span", { class: "excerpt", dir: "auto" }, excerptOf(detail)), detail.id ? el("span", { class: "soft small", dir: "auto" }, detail.id) : null),
    el("td", { "data-label": t("State") }, el("span", { class: `chip ${detail.state === "open" ? "waiting" : detail.state.replace(" ", "-")}` }, itemState(detail.state)), " ", corrected, " ", differs),
    el("td", { "data-label": t("Label") }, detail.label === null ? el("span", { class: "soft" }, "–") : el("bdi", {}, labelWords(detail.label))),
    el("td", { "data-label": t("Predicted") }, decision ? el("span", {}, el("bdi", {}, labelWords(decision.prediction)), ` (${fine.format(decision.score)})`) : "–"),
    el("td", { "data-label": t("When"), class: "when" }, date(detail.at)));
}

// ---------------------------------------------------------------------- filters

filters.addEventListener("submit", (event) => {
  event.preventDefault();
  const names = Object.keys(filterOf());
  const wanted = Object.fromEntries(names.map((name) => [name, filters.elements[name].value.trim()]));
  history.pushState(null, "", addressOf(wanted) || location.pathname);
  begin();
});
filters.addEventListener("change", (event) => event.target.matches("select, [type=date], [type=number]") && filters.requestSubmit());
at("more").addEventListener("click", () => more());
addEventListener("popstate", () => begin());

function options(any, names) {
  return [el("option", { value: "" }, any), ...names.map((name) => el("option", { value: name }, name))];
}

async function fillFilters() {
  at("of-label", options(t("Any label"), classes));
  at("predicted", options(t("Any prediction"), classes));
  if (at("new-label")) at("new-label", classes.map((name) => el("option", { value: name }, name)));
  at("labeller", options(t("Any labeller"), []));
  const { labellers } = await get(`${path}/history`);
  at("labeller", options(t("Any labeller"), labellers.map(({ name }) => name).filter(Boolean)));
}

// ---------------------------------------------------------------------- selection

const selection = new Selection(at("items"), showSelection);

function showSelection(items) {
  at("selection").hidden = !items.length;
  at("selected", items.length ? t({ one: "{count} item selected", other: "{count} items selected" }, { count: items.length }) : "");
  at("select-all").checked = items.length > 0 && items.length === selection.boxes.length;
  showExport(items);
}

function showExport(items) {
  const link = at("export");
  if (!link) return;
  const format = at("format").value;
  const query = items.length ? new URLSearchParams({ items: items.slice(0, MOST_SELECTED).join(","), format }) : queryOf({ ...filterOf(), order: "" }, { format });
  link.setAttribute("href", `${root}${path}/export/items?${query}`);
  link.replaceChildren(items.length ? t({ one: "Export {count} selected item", other: "Export {count} selected items" }, { count: Math.min(items.length, MOST_SELECTED) }) : t("Export these items"));
}

/** Do something with the selection, and show the list as it is then; if `work` returns false, nothing was done. */
async function act(button, work) {
  try {
    const done = await whileBusy(button, () => work(selection.items.slice(0, MOST_SELECTED)));
    if (done === false) return;
  } catch (error) {
    report(error);
  }
  await begin(Math.min(MOST_AT_ONCE, Math.max(PAGE, shown)));
}

async function relabel(items) {
  const label = at("new-label").value;
  const consequence = t("Items that can be labelled get this label. Other labels are corrected, and the model is retrained.");
  const question = t({ one: "Label {count} item as {label}?", other: "Label {count} items as {label}?" }, { count: items.length, label });
  if (!(await confirmed(question, consequence, t("Relabel")))) return false;
  const group = await labelGroup(path, items, label);
  lastGroup = group.labelled.length ? group : null;
  showLastGroup();
  return true;
}

function showLastGroup() {
  at("last-group").hidden = lastGroup === null;
  if (lastGroup) at("last-group").firstElementChild.replaceChildren(labelledAs(lastGroup));
}

at("select-all").addEventListener("change", () => selection.setAll(at("select-all").checked));
at("clear").addEventListener("click", () => selection.setAll(false));
at("format")?.addEventListener("change", () => showExport(selection.items));
at("relabel")?.addEventListener("submit", (event) => {
  event.preventDefault();
  act(event.submitter, relabel);
});
at("reopen")?.addEventListener("click", () => act(at("reopen"), (items) => reopen(path, items)));
at("delete")?.addEventListener("click", () => act(at("delete"), (items) => deleteItems(path, items)));
at("last-group").lastElementChild.addEventListener("click", (event) => act(event.currentTarget, async () => {
  await undoGroup(path, lastGroup);
  lastGroup = null;
  showLastGroup();
}));

await fillFilters().catch(report);
await begin();
