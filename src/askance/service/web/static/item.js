import { Refused, get, post, root } from "./api.js";
import { whileBusy } from "./busy.js";
import { at, el } from "./dom.js";
import { report } from "./errors.js";
import { addressOf, filterOf, queryOf } from "./item-filter.js";
import { keysAreOn } from "./keys.js";
import { notify } from "./notices.js";
import { contentOf, excerptOf, pullsOf } from "./text.js";
import { date } from "./times.js";

const { task, item, role, ...given } = at("item-page").dataset;
const { classes } = JSON.parse(given.settings);
const path = `/api/tasks/${encodeURIComponent(task)}`;
const fine = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 3 });

/** Show the item; whether its content is there. */
async function show() {
  const detail = await get(`${path}/items/${item}`);
  const gone = detail.text === null && detail.record === null && detail.vector_length === null;
  const why = gone ? null : await post(`${path}/explain`, { item: detail.item });
  at("content", gone ? el("p", { class: "soft" }, "The content of this item was dropped by compaction.") : contentOf(detail, why.pulls, classes));
  at("note", detail.note ?? "").hidden = !detail.note;
  at("known", known(detail));
  at("why", why ? [el("p", {}, el("b", {}, why.prediction), ` (margin ${fine.format(why.score)})`), pullsOf(why.pulls, classes)] : el("p", { class: "soft" }, "Not available without the content."));
  at("votes", labelsGiven(detail));
  showCorrection(detail);
  return !gone;
}

function known({ state, label, decision, agreement, id, at: time, provenance }) {
  const rows = [["State", state], ["Label", label ?? "none"], ["Received", date(time)]];
  if (id) rows.push(["Id", id]);
  if (provenance?.source) rows.push(["Source", provenance.source]);
  if (provenance?.labeller) rows.push(["Labelled by", provenance.labeller]);
  if (provenance?.labelled_at) rows.push(["Labelled on", date(provenance.labelled_at)]);
  if (decision) {
    rows.push(["Prediction on arrival", `${decision.prediction}, score ${fine.format(decision.score)} (model v${decision.version})`]);
    rows.push(["Probability of asking", fine.format(decision.ask_probability)]);
  }
  if (agreement !== null) rows.push(["Agreement", fine.format(agreement)]);
  return rows.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]);
}

function labelsGiven({ votes, corrections, skips, flags }) {
  const all = [
    ...votes.map((vote) => [vote, vote.undone ? " gave and undid the label " : vote.final ? " decided on the label " : " gave the label "]),
    ...corrections.map((correction) => [correction, " corrected the label to "]),
    ...skips.map((skip) => [{ ...skip, label: skip.reason ?? "" }, skip.reason ? " skipped it: " : " skipped it"]),
    ...flags.map((flag) => [{ ...flag, label: flag.note ?? "" }, flagVerb(flag)]),
  ].sort(([one], [other]) => one.at - other.at);
  if (!all.length) return el("li", { class: "soft" }, "Nobody has labelled this item.");
  return all.map(([one, verb]) => el("li", {}, one.by ?? "anonymous", verb, el("b", {}, one.label), " ", el("span", { class: "soft small" }, date(one.at))));
}

function flagVerb({ note, undone, settled }) {
  if (undone) return note ? " flagged it, and undid that: " : " flagged it, and undid that";
  if (settled) return note ? " flagged it, which is settled: " : " flagged it, which is settled";
  return note ? " flagged it: " : " flagged it";
}

function showCorrection(detail) {
  at("correction").hidden = detail.label === null || !["admin", "labeller"].includes(role);
  at("label", classes.map((name) => el("option", { value: name, selected: name === detail.label }, name)));
}

async function correct() {
  try {
    const corrected = await post(`${path}/corrections`, { item: Number(item), label: at("label").value });
    notify(corrected.again ? "This is already the label." : `Item ${item} is now ${corrected.label}, and the model is retrained.`, "good");
    await show();
  } catch (error) {
    report(error);
  }
}

at("correct").addEventListener("submit", (event) => {
  event.preventDefault();
  whileBusy(event.submitter, correct);
});

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
  at("compared", `As the model sees them, among the last ${new Intl.NumberFormat().format(compared)} items.`);
  at("similar", items.length ? items.map(similarOf) : el("li", { class: "soft" }, "No other item is similar."));
}

function similarOf({ item: other, similarity, prediction }) {
  const label = other.label === null ? `predicted ${prediction}` : `label ${other.label}`;
  return el("li", {}, el("a", { href: `${pages}/${other.item}` }, excerptOf(other).slice(0, 120)), " ",
    el("span", { class: "soft small" }, `${Math.round(100 * similarity)} % similar, ${label}`));
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
