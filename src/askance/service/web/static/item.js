import { Refused, get, post, root } from "./api.js";
import { whileBusy } from "./busy.js";
import { at, el } from "./dom.js";
import { report } from "./errors.js";
import { deleteItems } from "./groups.js";
import { itemState } from "./item-states.js";
import { addressOf, filterOf, queryOf } from "./item-filter.js";
import { keysAreOn } from "./keys.js";
import { labelWords } from "./labels.js";
import { numberFormat, pieces, t } from "./language.js";
import { notify } from "./notices.js";
import { noteWords, reasonWords } from "./skip-reasons.js";
import { contentOf, excerptOf, pullsOf } from "./text.js";
import { date } from "./times.js";

const { task, item, role, ...given } = at("item-page").dataset;
const { classes, multilabel = false } = JSON.parse(given.settings);
const path = `/api/tasks/${encodeURIComponent(task)}`;
const fine = numberFormat({ maximumSignificantDigits: 3 });

/** Show the item; whether its content is there. */
async function show() {
  const detail = await get(`${path}/items/${item}`);
  const gone = detail.text === null && detail.record === null && detail.vector_length === null;
  const why = gone || multilabel ? null : await post(`${path}/explain`, { item: detail.item });
  at("content", gone ? el("p", { class: "soft" }, t("The content of this item was dropped by compaction.")) : contentOf(detail, why?.pulls ?? [], classes));
  at("note", detail.note ?? "").hidden = !detail.note;
  at("known", known(detail));
  at("why", why ? [el("p", {}, pieces("{prediction} (margin {margin})", { prediction: el("b", { dir: "auto" }, why.prediction), margin: fine.format(why.score) })), pullsOf(why.pulls, classes)] : el("p", { class: "soft" }, t("Not available without the content.")));
  at("votes", labelsGiven(detail));
  showCorrection(detail);
  return !gone;
}

function known({ state, label, label_probability: probability = null, decision, agreement, id, at: time, provenance, guesses }) {
  const rows = [[t("State"), itemState(state)], [t("Label"), label === null ? t("none") : el("bdi", {}, labelWords(label))]];
  if (probability !== null) rows.push([t("Probability of the label"), fine.format(probability)]);
  rows.push([t("Received"), date(time)]);
  if (id) rows.push([t("Id"), el("bdi", {}, id)]);
  if (provenance?.source) rows.push([t("Source"), el("bdi", {}, provenance.source)]);
  if (provenance?.labeller) rows.push([t("Labelled by"), el("bdi", {}, provenance.labeller)]);
  if (provenance?.labelled_at) rows.push([t("Labelled on"), date(provenance.labelled_at)]);
  if (decision) {
    rows.push([t("Prediction on arrival"), t("{prediction}, score {score} (model v{version})", { prediction: labelWords(decision.prediction), score: fine.format(decision.score), version: String(decision.version) })]);
    rows.push([t("Probability of asking"), fine.format(decision.ask_probability)]);
    if (decision.automatic) rows.push([t("Decided"), t("automatically: the prediction was confident enough, and such predictions were certified")]);
  }
  for (const [name, guess] of Object.entries(guesses ?? {})) rows.push([t("Guess of {name}", { name }), guessWords(guess)]);
  if (agreement !== null) rows.push([t("Agreement"), fine.format(agreement)]);
  return rows.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]);
}

function guessWords({ label, confidence }) {
  const words = bold(label);
  return confidence === null ? words : pieces("{label}, confidence {confidence}", { label: words, confidence: fine.format(confidence) });
}

function labelsGiven({ blind, votes, corrections, skips, flags }) {
  const hidden = blind ? [el("li", { class: "soft" }, t("You see what others say after you have labelled this item."))] : [];
  const all = [
    ...votes.map((vote) => [vote, voteWords(vote)]),
    ...corrections.map((one) => [one, pieces("{person} corrected the label to {label}", { person: whoOf(one), label: bold(labelWords(one.label)) })]),
    ...skips.map((one) => [one, one.reason ? pieces("{person} skipped it: {reason}", { person: whoOf(one), reason: bold(reasonWords(one.reason)) }) : t("{person} skipped it", { person: whoOf(one) })]),
    ...flags.map((flag) => [flag, flagWords(flag)]),
  ].sort(([one], [other]) => one.at - other.at);
  if (!all.length && !blind) return el("li", { class: "soft" }, t("Nobody has labelled this item."));
  return [...all.map(([one, words]) => el("li", {}, words, " ", el("span", { class: "soft small" }, date(one.at)))), ...hidden];
}

function voteWords(vote) {
  const holes = { person: whoOf(vote), label: bold(labelWords(vote.label)) };
  if (vote.undone) return pieces("{person} gave and undid the label {label}", holes);
  return vote.final ? pieces("{person} decided on the label {label}", holes) : pieces("{person} gave the label {label}", holes);
}

function whoOf({ by }) {
  return by ?? t("anonymous");
}

function bold(words) {
  return el("b", { dir: "auto" }, words);
}

function flagWords({ by, note, undone, settled }) {
  const holes = { person: whoOf({ by }), note: bold(noteWords(note ?? "")) };
  if (undone) return note ? pieces("{person} flagged it, and undid that: {note}", holes) : t("{person} flagged it, and undid that", holes);
  if (settled) return note ? pieces("{person} flagged it, which is settled: {note}", holes) : t("{person} flagged it, which is settled", holes);
  return note ? pieces("{person} flagged it: {note}", holes) : t("{person} flagged it", holes);
}

function showCorrection(detail) {
  at("correction").hidden = detail.label === null || !["admin", "labeller"].includes(role);
  const isOn = (name) => (multilabel ? detail.label?.includes(name) : name === detail.label);
  at("label", classes.map((name) => el("option", { value: name, selected: isOn(name) }, name)));
  at("label").multiple = multilabel;
}

/** The label in the form. */
function chosen() {
  return multilabel ? Array.from(at("label").selectedOptions, ({ value }) => value) : at("label").value;
}

async function correct() {
  try {
    const corrected = await post(`${path}/corrections`, { item: Number(item), label: chosen() });
    notify(corrected.again ? t("This is already the label.") : t("Item {number} is now {label}, and the model is retrained.", { number: item, label: labelWords(corrected.label) }), "good");
    await show();
  } catch (error) {
    report(error);
  }
}

at("correct").addEventListener("submit", (event) => {
  event.preventDefault();
  whileBusy(event.submitter, correct);
});

/** Delete the item, and go on to the next one of the list, or to the list. */
async function remove() {
  try {
    if (await deleteItems(path, [Number(item)])) location.assign(at("next").hidden ? at("all").href : at("next").href);
  } catch (error) {
    report(error);
  }
}

at("delete")?.addEventListener("click", () => whileBusy(at("delete"), remove));

// ---------------------------------------------------------------------- other items

const pages = `${root}/tasks/${encodeURIComponent(task)}/items`;

/** Links to the items before and after this one in the list from which the page was opened. */
async function showNeighbours() {
  const filter = filterOf();
  at("all").href = `${pages}${addressOf(filter)}`;
  const found = await patiently(() => get(`${path}/items/${item}/neighbours?${queryOf(filter)}`));
  for (const name of ["previous", "next"]) {
    at(name).hidden = found[name] === null;
    if (found[name] !== null) at(name).href = `${pages}/${found[name]}${addressOf(filter)}`;
  }
}

/** Try again while the service is reading the items for the first time. */
async function patiently(request) {
  for (let tries = 0; ; tries += 1) {
    try {
      return await request();
    } catch (error) {
      if (!(error instanceof Refused && error.status === 503) || tries >= 30) throw error;
      await new Promise((done) => setTimeout(done, 1000 * (error.retryAfter ?? 1)));
    }
  }
}

async function showSimilar() {
  const { items, compared } = await get(`${path}/items/${item}/similar`);
  at("similar-items").hidden = false;
  at("compared", t({ one: "As the model sees them, among the last item.", other: "As the model sees them, among the last {count} items." }, { count: compared }));
  at("similar", items.length ? items.map(similarOf) : el("li", { class: "soft" }, t("No other item is similar.")));
}

function similarOf({ item: other, similarity, prediction }) {
  const percent = Math.round(100 * similarity);
  const words = other.label === null ? t("{percent} % similar, predicted {prediction}", { percent, prediction: labelWords(prediction) }) : t("{percent} % similar, label {label}", { percent, label: labelWords(other.label) });
  return el("li", {}, el("a", { href: `${pages}/${other.item}`, dir: "auto" }, excerptOf(other).slice(0, 120)), " ",
    el("span", { class: "soft small" }, words));
}

document.addEventListener("keydown", (event) => {
  if (!keysAreOn() || event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
  if (event.target.closest("input, select, textarea, dialog")) return;
  const link = { j: "next", k: "previous" }[event.key.toLowerCase()];
  if (link && !event.repeat && !at(link).hidden) at(link).click();
});

try {
  const hasContent = await show();
  await showNeighbours();
  if (hasContent) await showSimilar();
} catch (error) {
  report(error);
}
