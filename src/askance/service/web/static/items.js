import { get, root } from "./api.js";
import { at, el } from "./dom.js";
import { report } from "./errors.js";
import { emptyCard } from "./offer.js";
import { date } from "./times.js";
import { excerptOf } from "./text.js";

const { task, role } = at("items-page").dataset;
const path = `/api/tasks/${encodeURIComponent(task)}`;
const number = new Intl.NumberFormat();
const fine = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 3 });
const filters = at("filters");
let before = null;
let shown = 0;
let searched = 0;
let latest = 0; // so that the result of an earlier search does not replace a later one

/** The filters in the address, so that a list can be bookmarked. */
function filter() {
  const given = new URLSearchParams(location.search);
  return { state: given.get("state") ?? "all", search: given.get("search") ?? "" };
}

function query(more = {}) {
  const { state, search } = filter();
  return new URLSearchParams({ state, ...(search ? { search } : {}), ...more }).toString();
}

async function begin() {
  const { state, search } = filter();
  filters.elements.state.value = state;
  filters.elements.search.value = search;
  at("export")?.setAttribute("href", `${root}${path}/export/items?${query()}`);
  before = null;
  shown = 0;
  searched = 0;
  at("items").replaceChildren();
  at("found", "Searching …");
  await more();
}

/** Show the next items; a search without results yet continues for a while. */
async function more() {
  latest += 1;
  const mine = latest;
  try {
    for (let rounds = 0; rounds < 10; rounds += 1) {
      const found = await get(`${path}/items?${query(before === null ? {} : { before })}`);
      if (mine !== latest) return;
      before = found.before;
      shown += found.items.length;
      searched += found.searched;
      at("items").append(...found.items.map(row));
      if (found.items.length || before === null) break;
      at("found", `Searched ${number.format(searched)} items so far …`);
    }
    showCount();
  } catch (error) {
    report(error);
  }
}

function showCount() {
  at("more").hidden = before === null;
  const { state, search } = filter();
  const isEmpty = !shown && before === null && state === "all" && !search;
  at("offer", isEmpty ? [emptyCard(task, role)] : []);
  at("sheet").hidden = isEmpty;
  if (!shown && before === null) at("items", el("tr", {}, el("td", { colspan: 6, class: "soft" }, "No items match.")));
  at("found", `${number.format(shown)} ${shown === 1 ? "item" : "items"} shown${before === null ? "" : ", and there are more"}.`);
}

function row(detail) {
  const address = `${root}/tasks/${encodeURIComponent(task)}/items/${detail.item}`;
  const corrected = detail.corrections.length ? el("span", { class: "chip corrected" }, "corrected") : null;
  const differs = detail.agreement !== null && detail.agreement < 1 ? el("span", { class: "chip disagreement" }, "disagreement") : null;
  const { decision } = detail;
  return el("tr", {},
    el("th", { scope: "row", class: "number" }, el("a", { href: address }, number.format(detail.item))),
    el("td", { class: "text", "data-label": "Content" }, el("span", { class: "excerpt" }, excerptOf(detail)), detail.id ? el("span", { class: "soft small" }, detail.id) : null),
    el("td", { "data-label": "State" }, el("span", { class: `chip ${detail.state === "open" ? "waiting" : detail.state.replace(" ", "-")}` }, detail.state === "open" ? "waiting" : detail.state), " ", corrected, " ", differs),
    el("td", { "data-label": "Label" }, detail.label ?? el("span", { class: "soft" }, "–")),
    el("td", { "data-label": "Predicted" }, decision ? `${decision.prediction} (${fine.format(decision.score)})` : "–"),
    el("td", { "data-label": "When", class: "when" }, date(detail.at)));
}

filters.addEventListener("submit", (event) => {
  event.preventDefault();
  const { state, search } = filters.elements;
  history.pushState(null, "", `?${new URLSearchParams({ state: state.value, search: search.value.trim() })}`);
  begin();
});
filters.elements.state.addEventListener("change", () => filters.requestSubmit());
at("more").addEventListener("click", more);
addEventListener("popstate", begin);
await begin();
