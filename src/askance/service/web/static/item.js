import { get, post } from "./api.js";
import { at, el } from "./dom.js";
import { complain } from "./door.js";
import { tell } from "./notices.js";
import { contentOf, pullsOf } from "./text.js";
import { date } from "./times.js";

const { task, item, role, ...given } = at("item-page").dataset;
const { classes } = JSON.parse(given.settings);
const path = `/api/tasks/${encodeURIComponent(task)}`;
const fine = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 3 });

async function show() {
  const story = await get(`${path}/items/${item}`);
  const gone = story.text === null && story.record === null;
  const why = gone ? null : await explained(story);
  at("content", gone ? el("p", { class: "soft" }, "Its content was dropped by a compaction.") : contentOf(story, why.pulls, classes));
  at("note", story.note ?? "").hidden = !story.note;
  at("known", known(story));
  at("why", why ? [el("p", {}, el("b", {}, why.prediction), `, by ${fine.format(why.score)}`), pullsOf(why.pulls, classes)] : el("p", { class: "soft" }, "Nothing can be said."));
  at("votes", said(story));
  showCorrection(story);
}

function explained(story) {
  const content = story.record === null ? { text: story.text } : { record: story.record };
  return post(`${path}/explain`, { item: content });
}

function known({ state, label, decision, agreement, id, at: time }) {
  const rows = [["State", state], ["Label", label ?? "none"], ["Came", date(time)]];
  if (id) rows.push(["Id", id]);
  if (decision) {
    rows.push(["Predicted then", `${decision.prediction}, score ${fine.format(decision.score)}, by version ${decision.version}`]);
    rows.push(["Probability of asking", fine.format(decision.ask_probability)]);
  }
  if (agreement !== null) rows.push(["Agreement", fine.format(agreement)]);
  return rows.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]);
}

function said({ votes, corrections }) {
  const all = [
    ...votes.map((vote) => [vote, vote.undone ? " said, and took back, " : " said "]),
    ...corrections.map((correction) => [correction, " corrected it to "]),
  ].sort(([one], [other]) => one.at - other.at);
  if (!all.length) return el("li", { class: "soft" }, "Nobody has labelled it.");
  return all.map(([one, verb]) => el("li", {}, one.by ?? "somebody", verb, el("b", {}, one.label), " ", el("span", { class: "soft small" }, date(one.at))));
}

function showCorrection(story) {
  at("correction").hidden = story.label === null || !["admin", "labeller"].includes(role);
  at("label", classes.map((name) => el("option", { value: name, selected: name === story.label }, name)));
}

at("correct").addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    const mended = await post(`${path}/corrections`, { item: Number(item), label: at("label").value });
    tell(mended.again ? "That is its label already." : `Item ${item} is ${mended.label} now, and the model has learned so.`, "good");
    await show();
  } catch (fault) {
    complain(fault);
  }
});

try {
  await show();
} catch (fault) {
  complain(fault);
}
