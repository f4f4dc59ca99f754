import { post, root, send } from "./api.js";
import { whileBusy } from "./busy.js";
import { at } from "./dom.js";
import { report, sentence } from "./errors.js";
import { t } from "./language.js";
import { notify } from "./notices.js";

const WHOLE = ["vector_length", "burst", "per_day", "total", "per_item", "skips", "bits", "random_state"];
const { task, settings: given } = at("form-page").dataset;
const form = at("task-form");
const field = (name) => form.elements.namedItem(name); // elements.item is a method, and not the field of that name
const value = (name) => field(name).value.trim();
const lines = (name) => value(name).split("\n").map((line) => line.trim()).filter(Boolean);
/** Classes on one line are separated by commas; on several lines, a class may have a comma in its name. */
const classes = () => (lines("classes").length === 1 ? value("classes").split(",").map((name) => name.trim()).filter(Boolean) : lines("classes"));
const number = (name) => (value(name) === "" ? null : Number(value(name)));
const share = (name) => (value(name) === "" ? null : number(name) / 100);
const percent = (found) => (found === undefined || found === null ? null : Number((100 * found).toPrecision(12)));

/** What is wrong with a field. */
const mistake = (name, words) => Object.assign(new SyntaxError(words), { field: name });

/** Parse lines such as `name = value`; the last equals sign counts, because a class may contain one. */
function pairs(name) {
  return lines(name).map((line) => {
    const place = line.lastIndexOf("=");
    if (place < 1) throw mistake(name, t("“{line}” has no equals sign: write name = value.", { line }));
    return [line.slice(0, place).trim(), line.slice(place + 1).trim()];
  });
}

/** The same in lines. */
const lined = (found = {}) => Object.entries(found).map(([name, text]) => `${name} = ${text}`).join("\n");

/** Leave out empty fields, so that the defaults apply. */
function filled(section) {
  return Object.fromEntries(Object.entries(section).filter(([, found]) => found !== null && found !== ""));
}

/** What programs cost, by their names. */
function prices() {
  const found = pairs("oracles_guesses").map(([name, text]) => {
    const price = text === "" ? NaN : Number(text);
    if (!(price >= 0)) throw mistake("oracles_guesses", t("“{line}”: the price must be a number from 0 on.", { line: `${name} = ${text}` }));
    return [name, price];
  });
  return Object.fromEntries(found);
}

/** Prices, and when programs decide. What is missing is said here, in the language of the page. */
function oracles() {
  const [budget, people, enough, guesses] = [number("oracles_budget"), number("oracles_people"), share("oracles_enough"), prices()];
  const onLease = value("chosen") ? value("chosen") === "lease" : value("algorithm") === "auto";
  if (budget !== null && !people && !Object.values(guesses).some(Boolean)) throw mistake("oracles_budget", t("A budget of money needs prices: give labels or guesses one."));
  if (enough !== null && !(people && Object.keys(guesses).length)) throw mistake("oracles_enough", t("Programs decide only if labels and guesses have prices: give both one."));
  if (enough !== null && !onLease) throw mistake("oracles_enough", t("Programs decide only if questions are chosen when somebody labels: leave this empty."));
  return { ...filled({ budget, people, enough, check: share("oracles_check") }), guesses };
}

function changeable() {
  const minutes = number("lease_minutes");
  return {
    budget: filled({ rate: share("rate"), burst: number("burst"), per_day: number("per_day"), total: number("total") }),
    labels: filled({ per_item: number("per_item"), lease_seconds: minutes === null ? null : 60 * minutes, skips: number("skips"), aggregate: value("aggregate"), enough: share("enough"), gold: share("gold") }),
    goal: filled({ accuracy: share("accuracy") }),
    certify: filled({ error: share("certify_error"), confidence: share("certify_confidence"), audit: share("certify_audit") }),
    oracles: oracles(),
    costs: filled({ c_p: number("c_p"), c_n: number("c_n") }),
    interface: { prediction: form.elements.guess.value, guidance: value("guidance"), keys: Object.fromEntries(pairs("keys")), image_hosts: lines("image_hosts") },
  };
}

/** When questions are chosen; empty for the default, and without the shares that have no effect on arrival. */
function questions() {
  const chosen = value("chosen");
  if (!chosen) return {};
  return { questions: { chosen, ...(chosen === "lease" ? filled({ audit: share("audit"), test: share("test") }) : {}) } };
}

/** Enable the shares only where they have an effect. */
function enableShares() {
  for (const name of ["audit", "test"]) field(name).disabled = Boolean(task) || value("chosen") !== "lease";
}

function everything() {
  const parameters = pairs("parameters").map(([name, text]) => [name, text === "" || Number.isNaN(Number(text)) ? text : Number(text)]);
  return {
    name: value("name"),
    classes: classes(),
    item: value("item").includes(",") ? value("item").split(",") : value("item"),
    ...filled({ vector_length: number("vector_length"), positive: value("positive"), algorithm: value("algorithm"), random_state: number("random_state") }),
    parameters: Object.fromEntries(parameters),
    hashing: { ...filled({ bits: number("bits") }), pairs: form.elements.pairs.checked },
    ...questions(),
    multilabel: form.elements.multilabel.checked,
    ...changeable(),
  };
}

function fill(settings) {
  const { budget = {}, labels = {}, costs = {}, goal = {}, certify = {}, oracles: paid = {}, interface: shown = {}, hashing = {}, questions: asking } = settings;
  const put = (name, found) => found !== undefined && found !== null && (field(name).value = found);
  for (const name of ["name", "positive", "algorithm", "random_state", "vector_length"]) put(name, settings[name]);
  put("item", Array.isArray(settings.item) ? ["text", "record", "vector"].filter((part) => settings.item.includes(part)).join(",") : settings.item);
  put("classes", settings.classes.join("\n"));
  put("parameters", lined(settings.parameters));
  put("bits", hashing.bits);
  form.elements.pairs.checked = Boolean(hashing.pairs);
  form.elements.multilabel.checked = Boolean(settings.multilabel);
  put("rate", percent(budget.rate));
  put("accuracy", percent(goal.accuracy));
  for (const name of ["error", "confidence", "audit"]) put(`certify_${name}`, percent(certify[name]));
  for (const name of ["budget", "people"]) put(`oracles_${name}`, paid[name]);
  for (const name of ["enough", "check"]) put(`oracles_${name}`, percent(paid[name]));
  put("oracles_guesses", lined(paid.guesses));
  put("chosen", asking?.chosen);
  for (const name of ["audit", "test"]) put(name, percent(asking?.[name]));
  for (const name of ["burst", "per_day", "total"]) put(name, budget[name]);
  for (const name of ["per_item", "skips"]) put(name, labels[name]);
  put("aggregate", task ? labels.aggregate ?? "majority" : labels.aggregate); // tasks of earlier versions count labels
  for (const name of ["enough", "gold"]) put(name, percent(labels[name]));
  put("lease_minutes", labels.lease_seconds === undefined ? null : labels.lease_seconds / 60);
  for (const name of ["c_p", "c_n"]) put(name, costs[name]);
  put("guess", shown.prediction);
  put("guidance", shown.guidance);
  put("image_hosts", shown.image_hosts?.join("\n"));
  put("keys", lined(shown.keys));
}

/** Add and rename classes, and use the new names for keys too. Returns whether there was something to do. */
async function changeClasses() {
  const [add, rename] = [lines("added"), Object.fromEntries(pairs("renamed"))];
  if (!add.length && !Object.keys(rename).length) return false;
  const keys = pairs("keys");
  await post(`/api/tasks/${encodeURIComponent(task)}/classes`, { add, rename });
  field("keys").value = keys.map(([name, key]) => `${rename[name] ?? name} = ${key}`).join("\n");
  field("added").value = "";
  field("renamed").value = "";
  return true;
}

/** The first number that the form itself can tell to be wrong: in its own units, which may be percent or minutes. */
function wrongNumber() {
  for (const input of form.querySelectorAll("input[type=number]:enabled")) {
    const title = form.querySelector(`label[for=${input.id}]`).textContent;
    if (input.validity.badInput) return [input.id, t("{field}: this is not a number", { field: title })];
    if (input.value === "") continue;
    const found = Number(input.value);
    if (found < Number(input.min)) return [input.id, t("{field}: at least {number}", { field: title, number: Number(input.min) })];
    if (input.max && found > Number(input.max)) return [input.id, t("{field}: at most {number}", { field: title, number: Number(input.max) })];
    if (WHOLE.includes(input.id) && !Number.isInteger(found)) return [input.id, t("{field}: a whole number", { field: title })];
  }
  return null;
}

/** The field that a message begins with, such as budget.rate or oracles.budget. */
function named(words) {
  const [section, name] = (words.match(/^[a-z_.]+/)?.[0] ?? "").split(".");
  return field(`${section}_${name}`) ?? field(name ?? section);
}

/** Say what is wrong, and mark the field. */
function wrong(words, found = named(words)) {
  const place = at("wrong", sentence(words));
  place.hidden = false;
  if (!(found instanceof HTMLElement)) return place.scrollIntoView({ block: "center" });
  for (let fold = found.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  found.setAttribute("aria-invalid", "true");
  found.setAttribute("aria-errormessage", "wrong");
  found.focus();
}

async function submit() {
  try {
    if (task) {
      const classesChanged = await changeClasses();
      await send("PATCH", `/api/tasks/${encodeURIComponent(task)}`, changeable());
      if (classesChanged) location.reload();
      else notify(t("Saved."), "good");
    } else {
      const made = await post("/api/tasks", everything());
      location.assign(`${root}/tasks/${encodeURIComponent(made.settings.name)}/upload`);
    }
  } catch (error) {
    if (error instanceof SyntaxError || [409, 422].includes(error.status)) wrong(error.message, error.field && field(error.field));
    else report(error);
  }
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  at("wrong").hidden = true;
  for (const marked of form.querySelectorAll("[aria-invalid]")) marked.removeAttribute("aria-invalid");
  const found = wrongNumber();
  if (found) wrong(found[1], field(found[0]));
  else whileBusy(event.submitter, submit);
});

if (given) fill(JSON.parse(given));
field("chosen").addEventListener("change", enableShares);
enableShares();
