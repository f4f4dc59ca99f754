import { root } from "./api.js";
import { copy } from "./clipboard.js";
import { el } from "./dom.js";
import { t } from "./language.js";

/** The command that sends the rows of a file, to copy. */
export function commandOf(task) {
  const line = el("pre", { tabindex: "0" }, `askance push FILE --task ${task} --url ${location.origin}${root}`);
  return el("div", { class: "row command" }, line, el("button", { type: "button", onclick: () => copy(line) }, t("Copy")));
}

/** How to add the first items, for those who may. */
export function offerOf(task, role) {
  if (!["admin", "ingest"].includes(role)) return el("p", {}, t("An admin can add some."));
  const address = `${root}/tasks/${encodeURIComponent(task)}/upload`;
  return el("div", { class: "offer" },
    el("div", { class: "actions" }, el("a", { class: "button main", href: address }, t("Upload a file"))),
    el("p", { class: "soft" }, t("Or send a file from a terminal:")),
    commandOf(task));
}

/** A card for a page of a task without items. */
export function emptyCard(task, role) {
  return el("section", { class: "card empty", "aria-label": t("No items") }, el("h2", {}, t("There are no items yet")), offerOf(task, role));
}
