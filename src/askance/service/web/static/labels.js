import { listed, t } from "./language.js";

/** A label in words: the name of a class or, if items may have several, the names of all of them. */
export function labelWords(label) {
  if (!Array.isArray(label)) return label;
  return label.length ? listed(label) : t("none of the classes");
}

/** Whether two labels are the same. */
export function sameLabel(one, other) {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** The class that gives a label its colour. */
export function mainClass(label) {
  return Array.isArray(label) ? label[0] : label;
}
