import { el } from "./dom.js";
import { labelWords, mainClass, sameLabel } from "./labels.js";
import { pieces, t } from "./language.js";
import { excerptOf, nameOf, pullsOf } from "./text.js";
import { toneOf } from "./tones.js";

const MOST_PULLS = 5;
const MOST_LISTED = 10;

/** Why an item was asked about, without revealing the prediction while it is hidden. */
export function reasonOf(why, open, classes) {
  const reveals = !open && classes.some((name) => why.reason.toLowerCase().includes(name.toLowerCase()));
  const reason = el("p", { dir: "auto" }, reveals ? t("The model is in doubt about this item.") : why.reason);
  return open && why.pulls.length ? [reason, pullsOf(why.pulls, classes)] : [reason];
}

/** The previous answer, and the prediction of the model. */
export function answerOf(question, kind, label, classes) {
  const name = nameOf(question);
  if (kind === "skip") return [el("p", {}, t("{item}: skipped.", { item: name }))];
  const same = sameLabel(question.prediction, label);
  const verdict = el("span", { class: same ? "chip good" : "chip warn" }, same ? t("agrees") : t("differs"));
  const words = pieces("{item}: you answered {label}. The model predicted {prediction}.", { item: name, label: bold(labelWords(label)), prediction: bold(labelWords(question.prediction)) });
  const said = el("p", {}, words, verdict);
  const pulls = question.why?.pulls.slice(0, MOST_PULLS) ?? [];
  return pulls.length ? [said, pullsOf(pulls, classes)] : [said];
}

function bold(name) {
  return el("b", { dir: "auto" }, name);
}

/** The last answers, the newest first, each with a button that shows its item again. */
export function historyOf(past, classes, revisit) {
  if (!past.length) return [el("li", { class: "soft small" }, t("Your answers appear here. Select one to change it."))];
  return past.slice(-MOST_LISTED).reverse().map((answer) => {
    const skipped = answer.kind === "skip";
    const style = skipped ? "tag skipped" : `tag ${toneOf(mainClass(answer.label), classes)}`;
    const tag = el("span", { class: style }, el("span", { dir: "auto" }, skipped ? t("skipped") : labelWords(answer.label)));
    const verb = el("span", { class: "unseen" }, skipped ? t("Show again:") : t("Change:"), " ");
    const words = el("span", { class: "about", dir: "auto" }, excerptOf(answer.question));
    return el("li", {}, el("button", { type: "button", class: "quiet", "data-item": answer.question.item, onclick: () => revisit(answer) }, verb, tag, words));
  });
}
