import { get, root } from "./api.js";
import { actionName } from "./audit-actions.js";
import { at, el } from "./dom.js";
import { report } from "./errors.js";
import { t } from "./language.js";
import { date } from "./times.js";

const chosen = { who: new URLSearchParams(location.search).get("who") ?? "", task: new URLSearchParams(location.search).get("task") ?? "" };
let oldest;

/** The filter as a query string. */
function query(more = {}) {
  const wanted = Object.entries({ ...chosen, ...more }).filter(([, value]) => value);
  return wanted.length ? `?${new URLSearchParams(wanted)}` : "";
}

/** Show the newest events, or append older ones. */
async function show(goesOn) {
  at("sheet").setAttribute("aria-busy", "true");
  try {
    const { entries, more } = await get(`/api/audit${query(goesOn ? { before: oldest } : {})}`);
    const rows = entries.map(row);
    if (goesOn) at("entries").append(...rows);
    else at("entries", rows.length ? rows : el("tr", {}, el("td", { colspan: 6, class: "soft" }, t("No matching events."))));
    oldest = entries.at(-1)?.seq;
    at("older").hidden = !more;
  } catch (error) {
    report(error);
  }
  at("sheet").removeAttribute("aria-busy");
}

function row(entry) {
  const who = entry.who ?? el("span", { class: "soft" }, t("unknown"));
  return el(
    "tr",
    {},
    el("td", { "data-label": t("When"), class: "when" }, date(entry.at)),
    el("td", { "data-label": t("Who") }, who),
    el("td", { "data-label": t("What"), class: "what" }, actionName(entry.action)),
    cell(t("Task"), entry.task),
    cell(t("Target"), entry.subject),
    cell(t("Details"), details(entry), "detail small soft"),
  );
}

/** A cell; on a phone, cells without a value are hidden. */
function cell(label, value, look = "") {
  return el("td", { "data-label": label, class: value ? look : `none ${look}` }, el("bdi", {}, value || "–"));
}

/** The details of an event as text; if they were cut, they are shown unchanged. */
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

function choose() {
  chosen.who = at("who").value;
  chosen.task = at("task").value;
  history.replaceState(null, "", `${root}/audit${query()}`);
  at("export").setAttribute("href", `${root}/api/audit/export${query()}`);
  return show(false);
}

/** Offer these names in a list, and the one chosen before. */
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
  } catch (error) {
    report(error);
  }
}

at("older").addEventListener("click", () => show(true));
at("filters").addEventListener("change", choose);
at("filters").addEventListener("submit", (event) => event.preventDefault());
await offerAll();
await choose();
