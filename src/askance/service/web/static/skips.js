import { get } from "./api.js";
import { el } from "./dom.js";
import { t } from "./language.js";
import { REASONS, reasonWords } from "./skip-reasons.js";
import { excerptOf } from "./text.js";
import { distance } from "./times.js";

const LONGEST = 200;
const MOST_LISTED = 200;

/** Ask why a question is skipped, and call `skip` with the reason. */
export function askReason(dialog, skip) {
  const choose = (reason) => {
    dialog.close();
    skip(reason);
  };
  const own = el("input", { id: "own-reason", dir: "auto", maxlength: LONGEST, autocomplete: "off" });
  const submit = (event) => {
    event.preventDefault();
    choose(own.value.trim());
  };
  dialog.replaceChildren(
    heading(dialog, "skip-title", t("Skip with a reason")),
    el("p", { class: "hint" }, t("It is shown on the page of the item. You can come back to what you skipped.")),
    el("div", { class: "reasons" }, REASONS.map(([reason, words]) => el("button", { type: "button", onclick: () => choose(reason) }, words))),
    el("form", { onsubmit: submit }, el("label", { for: "own-reason" }, t("Another reason")), el("div", { class: "row" }, own, el("button", { class: "main" }, t("Skip")))),
  );
  dialog.showModal();
}

/** List what this person skipped and others have not answered yet; `choose` gets the item to answer it after all. */
export async function listSkipped(dialog, task, person, choose) {
  const list = el("ul", { class: "history", "aria-busy": "true" }, el("li", { class: "soft" }, t("Loading …")));
  dialog.replaceChildren(heading(dialog, "skip-title", t("Items you skipped")), list);
  dialog.showModal();
  try {
    const { items } = await get(`/api/tasks/${encodeURIComponent(task)}/items?state=skipped&count=${MOST_LISTED}`);
    const mine = items.filter((item) => item.skips.some(({ by }) => by === person) && !item.votes.some(({ by, undone }) => by === person && !undone));
    const rows = mine.map((item) => rowOf(item, person, () => (dialog.close(), choose(item))));
    list.replaceChildren(...(rows.length ? rows : [el("li", { class: "soft" }, t("Nothing you skipped is waiting for an answer."))]));
  } catch (error) {
    list.replaceChildren(el("li", { class: "wrong" }, error.status ? error.message : t("The service cannot be reached.")));
  }
  list.removeAttribute("aria-busy");
}

function rowOf(item, person, choose) {
  const { at, reason } = item.skips.findLast(({ by }) => by === person);
  const detail = el("span", { class: "soft small" }, reason ? `${reasonWords(reason)} · ` : "", distance(at));
  return el("li", {}, el("button", { type: "button", class: "quiet", onclick: choose }, el("span", { class: "about", dir: "auto" }, excerptOf(item)), detail));
}

/** The heading of a dialog, with a button that closes it. */
export function heading(dialog, id, words) {
  const close = el("button", { type: "button", class: "quiet icon", "aria-label": t("Close"), onclick: () => dialog.close() }, "×");
  return el("div", { class: "row apart" }, el("h2", { id }, words), close);
}
