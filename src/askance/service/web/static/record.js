import { el } from "./dom.js";
import { t } from "./language.js";
import { markOf } from "./tones.js";

const DIGITS = 4;

/** The columns of a record with their values; those that move the score most are marked. */
export function recordOf(record, pulls, classes) {
  const pairs = Object.entries(record).map(([name, value]) =>
    el("div", {}, el("dt", { dir: "auto" }, nameWith(name, strongest(name, pulls), pulls, classes)), el("dd", { dir: "auto" }, valueOf(value))));
  return el("dl", { class: "record" }, pairs);
}

function nameWith(name, pull, pulls, classes) {
  return pull ? markOf(name, pull, pulls, classes) : name;
}

/** The strongest feature of a column; pulls come in the order of their strength. */
function strongest(name, pulls) {
  return pulls.find(({ feature }) => feature === name || feature.startsWith(`${name}=`) || feature.startsWith(`${name}:`));
}

function valueOf(value) {
  if (value === null || value === "") return el("span", { class: "soft" }, t("empty"));
  if (typeof value === "number") return numberOf(value);
  return typeof value === "string" ? value : JSON.stringify(value, null, 1);
}

/** A number with few digits. Integers, such as years and amounts, keep theirs. */
export function rounded(value) {
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(DIGITS)));
}

/** A number with few digits; all of them are in its title. */
function numberOf(value) {
  return el("span", { title: rounded(value) === String(value) ? null : value }, rounded(value));
}
