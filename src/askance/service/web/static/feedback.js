import { el } from "./dom.js";
import { pullsOf } from "./text.js";

const PULLS_BESIDE = 5;

/** Why an item was asked, without a word about the guess while that is hidden. */
export function reasonOf(why, open, classes) {
  const tellsTheGuess = !open && classes.some((name) => why.reason.toLowerCase().includes(name.toLowerCase()));
  const reason = el("p", {}, tellsTheGuess ? "The model is in doubt about this item." : why.reason);
  return open && why.pulls.length ? [reason, pullsOf(why.pulls, classes)] : [reason];
}

/** What became of the question before, and what the model would have said. */
export function answerOf(question, kind, label, classes) {
  const name = `Item ${new Intl.NumberFormat().format(question.item)}: `;
  if (kind === "skip") return [el("p", {}, name, "skipped.")];
  const same = question.guess === label;
  const model = [" The model would have said ", el("b", {}, question.guess), "."];
  const verdict = el("span", { class: same ? "chip good" : "chip warn" }, same ? "agrees" : "differs");
  const said = el("p", {}, name, "you said ", el("b", {}, label), ".", model, verdict);
  const pulls = question.why?.pulls.slice(0, PULLS_BESIDE) ?? [];
  return pulls.length ? [said, pullsOf(pulls, classes)] : [said];
}
