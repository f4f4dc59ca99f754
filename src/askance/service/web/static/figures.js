import { root } from "./api.js";
import { t } from "./language.js";

const REOPEN_AFTER = 5000;

/**
 * Call `show` with the figures of a task whenever they change, while the page is open, and `connected` with false when the
 * connection is lost, and with true when it is back.
 */
export function watchFigures(task, show, connected = () => {}) {
  const source = new EventSource(`${root}/api/tasks/${encodeURIComponent(task)}/events`);
  source.addEventListener("figures", (event) => show(JSON.parse(event.data)));
  source.addEventListener("open", () => connected(true));
  source.addEventListener("error", () => {
    connected(false);
    if (source.readyState === EventSource.CLOSED) setTimeout(() => watchFigures(task, show, connected), REOPEN_AFTER);
  });
}

/** Why there is no question at the moment: a title and a sentence. */
export function whyNothing(figures, waiting) {
  const { state, spend, leased } = figures;
  if (state === "paused") return [t("The task is paused"), t("An admin can start it again. This page then continues automatically.")];
  if (state === "archived") return [t("The task is archived"), t("It does not request any more labels.")];
  if (!figures.items && !figures.imported) return [t("There are no items yet"), t("Questions appear here when there are some.")];
  if (waiting > 0) return [t("You're done here"), t("The remaining questions need another person.")];
  if (leased > 0) return [t("All questions are being answered by others"), t("If one of them stays unanswered, it will appear here.")];
  if (spend.total !== null && spend.asked >= spend.total) {
    return [t("The budget is used up"), t({ one: "The only label of this task was requested. Thank you.", other: "All {count} labels of this task were requested. Thank you." }, { count: spend.total })];
  }
  if (spend.left_today !== null && spend.left_today <= 0) return [t("Today's budget is used up"), t("Labelling continues after midnight (UTC).")];
  return [t("All caught up"), t("The model has no questions at the moment. New ones will appear here.")];
}

/** The labels that a limit leaves: none if it was set to less than has been requested. */
export function orNone(left) {
  return Math.max(0, Math.floor(left));
}

/** How many labels may still be requested: a number and words, or null if there is no limit. */
export function budgetLeft({ spend }) {
  const limits = [];
  if (spend.total !== null) limits.push([orNone(spend.total - spend.asked), t("labels left in total")]);
  if (spend.left_today !== null) limits.push([orNone(spend.left_today), t("labels left today")]);
  if (spend.rate !== null) limits.push([orNone(spend.left), t("labels left now")]);
  limits.sort(([one], [other]) => one - other);
  return limits[0] ?? null;
}

/** Answers per minute over the last five minutes, from their times; null if there are too few. */
export function speed(times, now = Date.now()) {
  const recent = times.filter((time) => now - time < 300_000);
  return recent.length < 2 ? null : (60_000 * (recent.length - 1)) / Math.max(1000, recent.at(-1) - recent[0]);
}
