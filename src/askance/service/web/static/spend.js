import { el } from "./dom.js";
import { numberFormat, t } from "./language.js";

const share = numberFormat({ style: "percent", maximumFractionDigits: 1 });

const money = numberFormat({ maximumFractionDigits: 4 });

/** The labels requested so far, compared with the nearest limit. */
export function spendOf(spend) {
  const [words, used] = nearest(spend);
  const place = el("div", { class: "spend" }, el("p", { class: "small" }, words));
  if (used !== null) place.append(el("progress", { max: 1, value: Math.min(1, used), "aria-label": t("Budget used") }));
  return place;
}

function nearest(spend) {
  const limits = [];
  if (spend.total !== null) limits.push([t({ one: "{asked} of {count} label requested", other: "{asked} of {count} labels requested" }, { asked: spend.asked, count: spend.total }), spend.asked / Math.max(1, spend.total)]);
  if (spend.per_day !== null) limits.push([t({ one: "{asked} of {count} label requested today", other: "{asked} of {count} labels requested today" }, { asked: spend.today, count: spend.per_day }), spend.today / Math.max(1, spend.per_day)]);
  if (spend.money?.budget) limits.push([t("{spent} of {budget} spent", { spent: money.format(spend.money.spent), budget: money.format(spend.money.budget) }), spend.money.spent / Math.max(1e-9, spend.money.budget)]);
  if (limits.length) return limits.sort((one, other) => other[1] - one[1])[0];
  const count = spend.asked;
  if (spend.rate === null) return [t({ one: "{count} label requested, no limit", other: "{count} labels requested, no limit" }, { count }), null];
  const words = { one: "{count} label requested, at most {share} of the items", other: "{count} labels requested, at most {share} of the items" };
  return [t(words, { count, share: share.format(spend.rate) }), null];
}
