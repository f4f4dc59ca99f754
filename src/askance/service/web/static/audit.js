import { get } from "./api.js";
import { at, el } from "./dom.js";
import { complain } from "./door.js";
import { date } from "./times.js";

const chosen = { who: new URLSearchParams(location.search).get("who") ?? "", task: new URLSearchParams(location.search).get("task") ?? "" };
let oldest;

/** The filter as it stands after a question mark. */
function query(more = {}) {
  const wanted = Object.entries({ ...chosen, ...more }).filter(([, value]) => value);
  return wanted.length ? `?${new URLSearchParams(wanted)}` : "";
}

/** Deeds from the newest on, or those after the ones that are shown. */
async function show(goesOn) {
  at("sheet").setAttribute("aria-busy", "true");
  try {
    const { entries, more } = await get(`/api/audit${query(goesOn ? { before: oldest } : {})}`);
    const rows = entries.map(row);
    if (goesOn) at("deeds").append(...rows);
    else at("deeds", rows.length ? rows : el("tr", {}, el("td", { colspan: 6, class: "soft" }, "Nothing was done that would stand here.")));
    oldest = entries.at(-1)?.seq;
    at("older").hidden = !more;
  } catch (fault) {
    complain(fault);
  }
  at("sheet").removeAttribute("aria-busy");
}

function row(deed) {
  const who = deed.who ?? el("span", { class: "soft" }, "a stranger");
  return el(
    "tr",
    {},
    el("td", { "data-label": "When", class: "when" }, date(deed.at)),
    el("td", { "data-label": "Who" }, who),
    el("td", { "data-label": "What", class: "what" }, words(deed.action)),
    cell("Task", deed.task),
    cell("To", deed.subject),
    cell("Details", details(deed), "detail small soft"),
  );
}

/** A cell; on a phone one without a value is left out. */
function cell(label, value, look = "") {
  return el("td", { "data-label": label, class: value ? look : `none ${look}` }, value || "–");
}

/** What was said with the deed, in words; a long one was cut, and is then shown as it is. */
function details({ detail, subject, task }) {
  try {
    const said = JSON.parse(detail ?? "{}");
    const parts = Object.entries(said).filter(([, value]) => String(value) !== subject && value !== task);
    return parts.map(([name, value]) => `${name.replaceAll("_", " ")}: ${plain(value)}`).join(", ");
  } catch {
    return detail;
  }
}

function plain(value) {
  if (Array.isArray(value)) return value.map(plain).join(" / ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** `create_token` as words. */
function words(deed) {
  const said = deed.replaceAll("_", " ");
  return said.charAt(0).toUpperCase() + said.slice(1);
}

function choose() {
  chosen.who = at("who").value;
  chosen.task = at("task").value;
  history.replaceState(null, "", `/audit${query()}`);
  at("export").setAttribute("href", `/api/audit/export${query()}`);
  return show(false);
}

/** Offer these in a list, and what was chosen before. */
function offer(id, names) {
  const known = chosen[id] && !names.includes(chosen[id]) ? [...names, chosen[id]] : names;
  at(id).append(...known.map((name) => el("option", { value: name }, name)));
  at(id).value = chosen[id];
}

async function offerAll() {
  try {
    const [{ tokens }, { tasks }] = await Promise.all([get("/api/tokens"), get("/api/tasks")]);
    offer("who", tokens.map((token) => token.name));
    offer("task", tasks.map((task) => task.name));
  } catch (fault) {
    complain(fault);
  }
}

at("older").addEventListener("click", () => show(true));
at("filters").addEventListener("change", choose);
at("filters").addEventListener("submit", (event) => event.preventDefault());
await offerAll();
await choose();
