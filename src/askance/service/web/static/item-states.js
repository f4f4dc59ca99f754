import { t } from "./language.js";

const NAMES = { "not asked": t("not asked"), open: t("waiting"), learned: t("learned"), "given up": t("given up"), imported: t("imported") };

/** The state of an item, as the reader calls it. */
export function itemState(state) {
  return NAMES[state] ?? state;
}
