import { at, el } from "./dom.js";
import { numberFormat, pieces, t } from "./language.js";

const FEW_CLASSES = 8; // a larger matrix is folded
const whole = numberFormat();
const fine = numberFormat({ maximumFractionDigits: 2 });
const percent = numberFormat({ style: "percent", maximumFractionDigits: 1 });

/** Precision and recall of each class, and the confusion matrix. */
export function showConfusion({ labels, version, note, classes, matrix }) {
  const base = t({ one: "Of the current model (version {version}), from {count} answer to a question at random that the model has not learned, with 95 % confidence intervals.", other: "Of the current model (version {version}), from {count} answers to questions at random that the model has not learned, with 95 % confidence intervals." }, { version, count: labels });
  at("confusion-words", classes.length ? [base, " "] : [], el("bdi", {}, note));
  if (!classes.length) return at("confusion", []);
  const rows = classes.map(({ name, labels: own, precision, recall }) => el("tr", {},
    el("th", { scope: "row" }, el("bdi", {}, name)), cell(t("Labels"), whole.format(own)), cell(t("Precision"), shareOf(precision), precision.note), cell(t("Recall"), shareOf(recall), recall.note)));
  const table = sheet(t("Quality of each class"), [t("Class"), t("Labels"), t("Precision"), t("Recall")], rows);
  const isOpen = at("confusion").querySelector("details")?.open ?? classes.length <= FEW_CLASSES;
  return at("confusion", table, matrixOf(classes.map(({ name }) => name), matrix, isOpen));
}

/** Rows are labels, columns are predictions; the darker a cell, the larger its share of the row. */
function matrixOf(names, matrix, isOpen) {
  const rows = matrix.map((counts, row) => {
    const all = counts.reduce((sum, count) => sum + count, 0) || 1;
    return el("tr", {}, el("th", { scope: "row" }, names[row]), counts.map((count, column) => {
      const shade = el("td", { class: `number ${row === column ? "hit" : "miss"}`, title: t({ one: "{count} labelled {label}, predicted {prediction}", other: "{count} labelled {label}, predicted {prediction}" }, { count, label: names[row], prediction: names[column] }) }, whole.format(count));
      shade.style.setProperty("--share", `${Math.round((40 * count) / all)}%`);
      return shade;
    }));
  });
  const head = el("tr", {}, el("th", { scope: "col" }, t("Label \\ prediction")), names.map((name) => el("th", { scope: "col", class: "number" }, name)));
  const table = el("table", { class: "matrix" }, el("thead", {}, head), el("tbody", {}, rows));
  const box = el("div", { class: "card sheet", tabindex: "0", role: "region", "aria-label": t("Confusion matrix") }, table);
  return el("details", { open: isOpen }, el("summary", {}, t("Confusion matrix")), box);
}

/** The share of each class among the newest predictions, and among those before. */
export function showPredicted({ recent, before, classes }) {
  at("predicted-words", classes.length
    ? t("Predictions on arrival: the newest {recent} items, and the {before} before them (outlined). A change may come from the items or from what the model has learned.", { recent, before })
    : t("This compares the newest 500 items with those before them, of which there must be 100."));
  const most = Math.max(...classes.flatMap((one) => [one.recent[0], one.before[0]]), 0.01);
  at("predicted", classes.map((one) => {
    const [now, then] = [one.recent[0], one.before[0]];
    const words = t("{now}, before {before}", { now: percent.format(now), before: percent.format(then) });
    const changed = one.changed ? el("span", { class: "chip warn", title: t("The 95 % intervals do not overlap.") }, t("changed")) : null;
    return el("div", { class: "bar-row" }, el("span", { class: "bar-name", dir: "auto", title: one.name }, one.name),
      el("span", { class: "bar-place" }, bar("bar", now / most), bar("bar outlined", then / most)), el("span", { class: "number small" }, words, " ", changed));
  }));
}

function bar(look, share) {
  const element = el("span", { class: look });
  element.style.setProperty("width", `${100 * share}%`);
  return element;
}

/**
 * The labellers with their counts and, for admins, their speed and the agreement of pairs (`insight`, which may come later).
 * Others see only themselves.
 */
export function showLabellers(labellers, isAdmin, insight) {
  const work = new Map(insight?.labellers.map((one) => [one.name, one]));
  const rows = labellers.map((one) => el("tr", {},
    el("th", { scope: "row" }, one.name || t("anonymous")),
    cell(t("Labels"), whole.format(one.labels)), cell(t("Skipped"), whole.format(one.skips)),
    cell(t("Agreement"), one.agreement === null ? "–" : percent.format(one.agreement)),
    isAdmin ? speedOf(work.get(one.name)) : cell(t("Seconds per label"), one.seconds_per_label === null ? "–" : fine.format(one.seconds_per_label))));
  at("labellers", rows.length ? rows : el("tr", {}, el("td", { colspan: 7, class: "soft" }, isAdmin ? t("Nobody has labelled anything yet.") : t("You have not labelled anything yet."))));
  if (!insight) return;
  at("labellers-words", t({ one: "Speed and agreement of pairs are from the newest label. Pauses of more than two minutes do not count.", other: "Speed and agreement of pairs are from the newest {count} labels. Pauses of more than two minutes do not count." }, { count: insight.looked_at }));
  at("pairs", insight.pairs.length ? pairsOf(insight) : []);
}

function speedOf(work) {
  const perHour = work?.labels_per_hour ?? null;
  return [
    cell(t("Reliability"), work ? [shareOf(work.reliability), ...blindOf(work), ...goldOf(work)] : "–", work?.reliability.note),
    cell(t("Labels per hour"), perHour === null ? "–" : whole.format(Math.round(perHour))),
    cell(t("Median seconds per label"), perHour === null ? "–" : fine.format(work.median_seconds)),
  ];
}

function blindOf({ tells_little: blind }) {
  return blind ? [" ", el("span", { class: "chip warn", title: t("The answers hardly depend on the items, as if they were given at random.") }, t("tells little"))] : [];
}

function goldOf({ gold, gold_right: right }) {
  return gold ? [el("div", { class: "soft small", title: t("Right labels of gold items") }, t("gold: {right} of {count}", { right: whole.format(right), count: whole.format(gold) }))] : [];
}

function pairsOf({ pairs, alpha }) {
  const rows = pairs.map(({ first, second, items, equal, kappa }) => el("tr", {},
    el("th", { scope: "row" }, t("{first} and {second}", { first: first || t("anonymous"), second: second || t("anonymous") })), cell(t("Items"), whole.format(items)),
    cell(t("Equal labels"), percent.format(equal)), cell(t("Cohen's kappa"), shareOf(kappa, fine), kappa.note)));
  const all = el("p", { title: alpha.note || undefined }, ...pieces("All labellers together, Krippendorff's alpha: {alpha}", { alpha: shareOf(alpha, fine) }));
  return [el("h3", { class: "apart" }, t("Agreement of pairs")), all, sheet(t("Agreement of pairs"), [t("Labellers"), t("Items"), t("Equal labels"), t("Cohen's kappa")], rows)];
}

function sheet(name, heads, rows) {
  const head = el("tr", {}, heads.map((one, place) => el("th", { scope: "col", class: place ? "number" : "" }, one)));
  return el("section", { class: "card sheet", "aria-label": name }, el("table", { class: "cards" }, el("thead", {}, head), el("tbody", {}, rows)));
}

function cell(name, value, note = "") {
  return el("td", { class: "number", "data-label": name, title: note || undefined }, value);
}

/** An estimate with its interval, or that nothing can be said yet. */
function shareOf({ value, low, high }, format = percent) {
  return value === null ? el("span", { class: "soft" }, t("cannot tell yet")) : el("span", {}, format.format(value), " ", el("span", { class: "soft" }, `(${t("{low} to {high}", { low: format.format(low), high: format.format(high) })})`));
}
