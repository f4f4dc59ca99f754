import { el } from "./dom.js";

const number = new Intl.NumberFormat();
const share = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 1 });

/** What was asked for, against the bound that is nearest. */
export function spendOf(spend) {
  const [words, used] = nearest(spend);
  const place = el("div", { class: "spend" }, el("p", { class: "small" }, words));
  if (used !== null) place.append(el("progress", { max: 1, value: Math.min(1, used), "aria-label": "Budget used" }));
  return place;
}

function nearest(spend) {
  const bounds = [];
  if (spend.total !== null) bounds.push([`${number.format(spend.asked)} of ${number.format(spend.total)} labels asked for`, spend.asked / Math.max(1, spend.total)]);
  if (spend.per_day !== null) bounds.push([`${number.format(spend.today)} of ${number.format(spend.per_day)} labels of today asked for`, spend.today / Math.max(1, spend.per_day)]);
  if (bounds.length) return bounds.sort((one, other) => other[1] - one[1])[0];
  const asked = `${number.format(spend.asked)} labels asked for`;
  return spend.rate === null ? [`${asked}, no bound`, null] : [`${asked}, at most ${share.format(spend.rate)} of the items`, null];
}
