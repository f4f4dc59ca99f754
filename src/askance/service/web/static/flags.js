import { el } from "./dom.js";
import { t } from "./language.js";
import { NOTES, noteWords } from "./skip-reasons.js";
import { heading } from "./skips.js";

const LONGEST = 500;

/** Ask for a note to a lead, and call `flag` with it; it may be empty. */
export function askNote(dialog, flag) {
  const choose = (note) => {
    dialog.close();
    flag(note);
  };
  const own = el("input", { id: "own-note", dir: "auto", maxlength: LONGEST, autocomplete: "off", autofocus: true });
  const submit = (event) => {
    event.preventDefault();
    choose(own.value.trim());
  };
  dialog.replaceChildren(
    heading(dialog, "skip-title", t("Flag this item for review")),
    el("p", { class: "hint" }, t("A lead sees it with your note. You can still label the item.")),
    el("div", { class: "reasons" }, NOTES.map(([note, words]) => el("button", { type: "button", onclick: () => choose(note) }, words))),
    el("form", { onsubmit: submit }, el("label", { for: "own-note" }, t("Your note (optional)")), el("div", { class: "row" }, own, el("button", { class: "main" }, t("Flag")))),
  );
  dialog.showModal();
}

/** The open flags of a person. */
export function ownFlags(flags, person) {
  return flags.filter(({ by, undone, settled }) => (by ?? "") === person && !undone && !settled);
}

/** What the desk says of an item that somebody flagged: the last note. */
export function flagWords(flags) {
  const note = flags.at(-1)?.note;
  return note ? t("You flagged this item: {note}", { note: noteWords(note) }) : t("You flagged this item.");
}
