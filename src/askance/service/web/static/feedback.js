import { el } from "./dom.js";
import { nameOf, pullsOf } from "./text.js";

const MOST_PULLS = 5;

/** Why an item was asked about, without revealing the prediction while it is hidden. */
export function reasonOf(why, open, classes) {
  const reveals = !open && classes.some((name) => why.reason.toLowerCase().includes(name.toLowerCase()));
  const reason = el("p", {}, reveals ? "The model is in doubt about this item." : why.reason);
  return open && why.pulls.length ? [reason, pullsOf(why.pulls, classes)] : [reason];
}

/** The previous answer, and the prediction of the model. */
export function answerOf(question, kind, label, classes) {
  const name = `${nameOf(question)}: `;
  if (kind === "skip") return [el("p", {}, name, "skipped.")];
  const same = question.prediction === label;
  const model = [" The model predicted ", el("b", {}, question.prediction), "."];
  const verdict = el("span", { class: same ? "chip good" : "chip warn" }, same ? "agrees" : "differs");
  const said = el("p", {}, name, "you answered ", el("b", {}, label), ".", model, verdict);
  const pulls = question.why?.pulls.slice(0, MOST_PULLS) ?? [];
  return pulls.length ? [said, pullsOf(pulls, classes)] : [said];
}
