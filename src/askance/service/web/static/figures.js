const REOPEN_AFTER = 5000;

/** Tell of a task's figures whenever they change, for as long as the page is open. */
export function watchFigures(task, tell) {
  const source = new EventSource(`/api/tasks/${encodeURIComponent(task)}/events`);
  source.addEventListener("figures", (event) => tell(JSON.parse(event.data)));
  source.addEventListener("error", () => {
    if (source.readyState === EventSource.CLOSED) setTimeout(() => watchFigures(task, tell), REOPEN_AFTER);
  });
}

/** Why there is no question now: a title and a sentence. */
export function whyNothing(figures, waiting) {
  const { state, spend, leased } = figures;
  if (state === "paused") return ["The task is paused", "An admin can start it again. This page goes on by itself then."];
  if (state === "archived") return ["The task is archived", "It asks for no more labels."];
  if (waiting > 0) return ["You have seen all of them", "The questions that still wait were answered or skipped by you."];
  if (leased > 0) return ["All questions are with others", "If one is left unanswered, it comes here by itself."];
  if (spend.total !== null && spend.asked >= spend.total) {
    return ["The budget is used up", `All ${spend.total} labels of this task were asked for. Thank you.`];
  }
  if (spend.left_today === 0) return ["The budget of today is used up", "It goes on after midnight (UTC)."];
  return ["Nothing in doubt", "The model has no question at the moment. This page goes on by itself when it has one."];
}

/** What may still be asked for: a number and words, or null where the budget sets no bound in numbers. */
export function budgetLeft({ spend }) {
  const bounds = [];
  if (spend.total !== null) bounds.push([Math.max(0, spend.total - spend.asked), "left in all"]);
  if (spend.left_today !== null) bounds.push([spend.left_today, "left today"]);
  if (spend.rate !== null) bounds.push([Math.max(0, Math.floor(spend.left)), "left now"]);
  bounds.sort(([one], [other]) => one - other);
  return bounds[0] ?? null;
}

/** Answers a minute over the last five minutes, from their times; null while there are too few. */
export function speed(times, now = Date.now()) {
  const recent = times.filter((time) => now - time < 300_000);
  return recent.length < 2 ? null : (60_000 * (recent.length - 1)) / Math.max(1000, recent.at(-1) - recent[0]);
}
