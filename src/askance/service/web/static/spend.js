import { el } from "./dom.js";

const number = new Intl.NumberFormat();
const share = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 1 });

/** The labels requested so far, compared with the nearest limit. */
export function spendOf(spend) {
  const [words, used] = nearest(spend);
  const place = el("div", { class: "spend" }, el("p", { class: "small" }, words));
  if (used !== null) place.append(el("progress", { max: 1, value: Math.min(1, used), "aria-label": "Budget used" }));
  return place;
}

function nearest(spend) {
  const limits = [];
  if (spend.total !== null) limits.push([`${number.format(spend.asked)} of ${number.format(spend.total)} labels requested`, spend.asked / Math.max(1, spend.total)]);
  if (spend.per_day !== null) limits.push([`${number.format(spend.today)} of ${number.format(spend.per_day)} labels requested today`, spend.today / Math.max(1, spend.per_day)]);
  if (limits.length) return limits.sort((one, other) => other[1] - one[1])[0];
  const asked = `${number.format(spend.asked)} labels requested`;
  return spend.rate === null ? [`${asked}, no limit`, null] : [`${asked}, at most ${share.format(spend.rate)} of the items`, null];
}
