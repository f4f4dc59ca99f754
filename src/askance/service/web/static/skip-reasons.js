import { t } from "./language.js";

/** The reasons that are offered. They are stored in English, so that all readers see them in their own language. */
const OFFERED = {
  "It is unclear": t("It is unclear"),
  "No class fits": t("No class fits"),
  "It is broken or empty": t("It is broken or empty"),
  "I do not know enough": t("I do not know enough"),
};

const NOTED = {
  "I am not sure": t("I am not sure"),
  "The guideline does not say": t("The guideline does not say"),
};

/** Pairs of a note to a lead and its words. */
export const NOTES = Object.entries(NOTED);

/** A note to a lead, as the reader calls it; what somebody wrote stays as it is. */
export function noteWords(note) {
  return NOTED[note] ?? note;
}

/** Pairs of a reason and its words. */
export const REASONS = Object.entries(OFFERED);

/** The reason of a skip, as the reader calls it; what somebody wrote stays as it is. */
export function reasonWords(reason) {
  return OFFERED[reason] ?? reason;
}
