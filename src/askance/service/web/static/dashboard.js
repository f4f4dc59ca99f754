import { get } from "./api.js";
import { showCertificate } from "./certificate.js";
import { draw, tableOf } from "./charts.js";
import { at, el } from "./dom.js";
import { report } from "./errors.js";
import { orNone, watchFigures } from "./figures.js";
import { showConfusion, showLabellers, showPredicted } from "./insights.js";
import { locale, numberFormat, pieces, t } from "./language.js";
import { everyMinute } from "./minutes.js";
import { emptyCard } from "./offer.js";
import { actions, stateName } from "./states.js";
import { distance } from "./times.js";

const NAMES = { accuracy: t("Accuracy"), f: "F", precision: t("Precision"), recall: t("Recall"), balanced_accuracy: t("Balanced accuracy"), cost: t("Cost"), micro_f: t("Micro-F"), macro_f: t("Macro-F") };
const VALUES = [["value", t("value")], ["low", t("low")], ["high", t("high")]]; // of an estimate
const OF_POSITIVE = ["f", "precision", "recall"];
const DRAW_AT_MOST_EVERY = 3000;
const LOOK_AT_MOST_EVERY = 30_000; // for figures that take the service longer
const LOST_AFTER = 2000; // a connection that comes back at once was not lost
const { task, role, ...given } = at("dashboard").dataset;
const { budget = {}, goal = {} } = JSON.parse(given.settings);
const path = `/api/tasks/${encodeURIComponent(task)}`;
const whole = numberFormat();
const fine = numberFormat({ maximumFractionDigits: 3 });
const share = numberFormat({ style: "percent", maximumFractionDigits: 1 });
const money = numberFormat({ maximumFractionDigits: 4 });

let latest = null; // figures
let history = null;
let drawn = 0;
let pending = null;
let looked = 0;
let work = null; // of the labellers
let lost = null;

function showFigures(figures) {
  latest = figures;
  at("state", el("span", { class: `chip ${figures.state}` }, stateName(figures.state)));
  showActions(figures.state);
  at("problem").textContent = figures.problem ?? "";
  at("problem").hidden = !figures.problem;
  const { estimates, current, spend } = figures;
  const cards = [
    figure(t("Items"), whole.format(figures.items), t("{rate} per second", { rate: fine.format(figures.items_per_second) })),
    figure(t("Labels"), whole.format(figures.labels), t({ one: "{answered} of {count} question is answered", other: "{answered} of {count} questions are answered" }, { answered: figures.labelled, count: figures.asked })),
    figure(t("Waiting"), whole.format(figures.waiting), waitingWords(figures)),
    figure(t("Sent for labelling"), figures.items ? share.format(figures.asked / figures.items) : "–", leftOf(spend)),
    ...["accuracy", "f", "micro_f", "macro_f"].filter((name) => name in current).map((name) => estimate(t("{metric}, current model", { metric: titleOf(name) }), current[name])),
    ...["accuracy", "f", "cost", "micro_f", "macro_f"].filter((name) => name in estimates).map((name) => estimate(t("{metric}, all predictions so far", { metric: titleOf(name) }), estimates[name])),
  ];
  if (spend.money) cards.splice(4, 0, figure(t("Money spent"), money.format(spend.money.spent), moneyWords(spend.money)), ...decidedOf(spend.money));
  if (figures.agreement !== null) cards.push(figure(t("Agreement"), share.format(figures.agreement), t("between labels of the same item")));
  at("figures", cards);
  showCertificate(figures.certificate);
  showDrift(figures.drift);
  showOffer(figures);
}

/** Say that predictions have become worse, if they have. */
function showDrift(drift) {
  at("drift").hidden = !drift;
  if (drift) at("drift", pieces("Predictions became worse, probably {ago}. Label newer items, and check whether the classes and the guidelines still fit.", { ago: distance(drift.since) }));
}

/** With whom the questions are, and how old the oldest is that has no label yet. */
function waitingWords({ leased, oldest_question: oldest }) {
  if (oldest === null) return t({ one: "{count} with labellers", other: "{count} with labellers" }, { count: leased });
  return pieces({ one: "{count} with labellers; oldest asked {ago}", other: "{count} with labellers; oldest asked {ago}" }, { count: leased, ago: distance(oldest) });
}

/** How to add the first items, instead of empty charts. */
function showOffer({ items, imported }) {
  const isEmpty = !items && !imported;
  if (Boolean(at("offer").childElementCount) !== isEmpty) at("offer", isEmpty ? [emptyCard(task, role)] : []);
  for (const place of ["figures", "charts"]) at(place).hidden = isEmpty;
}

/** Replace the buttons only if the state has changed, so that nobody clicks on a button that just disappeared. */
function showActions(state) {
  if (role !== "admin" || at("actions").dataset.state === state) return;
  at("actions", actions({ name: task, state }, async () => showFigures(await get(`${path}/figures`)))).dataset.state = state;
}

/** The name of a metric, with the class that it is about. */
function titleOf(name) {
  const { positive = null } = latest ?? {};
  return positive !== null && OF_POSITIVE.includes(name) ? t("{metric} of “{label}”", { metric: NAMES[name], label: positive }) : NAMES[name];
}

/** An estimate with its interval, and what there is to know about it. */
function estimate(name, { value, low, high, note }) {
  const interval = low === null ? "" : t("{low} to {high}", { low: fine.format(low), high: fine.format(high) });
  return figure(name, value === null ? "–" : fine.format(value), [interval, interval && note ? ". " : "", el("bdi", {}, note)]);
}

function figure(name, value, detail) {
  return el("div", { class: "figure" }, el("span", { class: "name" }, name), el("span", { class: "value" }, value), el("span", { class: "detail" }, detail));
}

function leftOf(spend) {
  if (spend.total !== null) return t({ one: "{count} left in total", other: "{count} left in total" }, { count: orNone(spend.total - spend.asked) });
  if (spend.left_today !== null) return t({ one: "{count} left today", other: "{count} left today" }, { count: orNone(spend.left_today) });
  return spend.left === null ? t("no limit") : t({ one: "{count} left now", other: "{count} left now" }, { count: orNone(spend.left) });
}

/** What may be spent, and on what it was. */
function moneyWords({ budget, oracles: [people, ...programs] }) {
  const guesses = programs.reduce((sum, { paid }) => sum + Number(paid), 0);
  const parts = { labels: money.format(people.paid), guesses: money.format(guesses) };
  if (budget === null) return t("no limit: {labels} for requested labels, {guesses} for guesses", parts);
  return t("of {budget}: {labels} for requested labels, {guesses} for guesses", { ...parts, budget: money.format(budget) });
}

/** How many items programs decided, if they have, how many people did, and how good the programs were when people checked. */
function decidedOf({ oracles: [people, ...programs] }) {
  const [decided, checked, right] = ["decided", "checked", "right"].map((part) => programs.reduce((sum, one) => sum + one[part], 0));
  if (!decided) return [];
  const words = { people: whole.format(people.decided), right: whole.format(right), checked: whole.format(checked) };
  return [figure(t("Decided by programs"), whole.format(decided), t("by people: {people}; right in {right} of {checked} checks", words))];
}

async function showHistory() {
  history = await get(`${path}/history`);
  history.points = history.points.filter((point) => point.items <= latest.items && point.labelled <= latest.labelled);
  if (latest.items) history.points.push(pointOf(latest, history.points.at(-1)));
  describeQuality();
  offerMetrics();
  showClasses();
  showLabellers(history.labellers, role === "admin", work);
  drawQuality();
  drawAsked();
  drawPace();
  drawn = Date.now();
}

/** Say what the curve of quality is about. */
function describeQuality() {
  if (!choosesOnLease(latest)) return;
  at("quality-title", t("Quality of the model over time"));
  at("quality-words", t("What the model predicted when it asked, for its last 100 questions at random. The band is the 95 % confidence interval."));
}

const choosesOnLease = ({ current }) => Object.keys(current).length > 0;

/** The current figures as the end of the curves: the service stores only some of the points. */
function pointOf(figures, last) {
  const { items, labelled, estimates, spend: { asked } } = figures; // labels, as in the history
  if (choosesOnLease(figures)) return { items, asked, labelled, estimates: last?.estimates ?? {} };
  const values = Object.entries(estimates).map(([name, { value, low, high }]) => [name, [value, low, high]]);
  return { items, asked, labelled, estimates: Object.fromEntries(values) };
}

function offerMetrics() {
  const names = Object.keys(history.points.at(-1)?.estimates ?? {});
  const select = at("metric");
  if (names.length === select.options.length) return;
  select.replaceChildren(...names.map((name) => el("option", { value: name }, titleOf(name) ?? name)));
}

function drawQuality() {
  const metric = at("metric").value;
  const against = at("against").value;
  const points = history.points
    .filter((point) => point.estimates[metric]?.[0] != null)
    .map((point) => ({ x: point[against], value: point.estimates[metric][0], low: point.estimates[metric][1], high: point.estimates[metric][2] }));
  const perPlace = [...new Map(points.map((point) => [point.x, point])).values()]; // the last one of each
  const title = against === "items" ? t("items") : t("labels");
  const after = against === "items"
    ? { one: "{metric} {value} after {count} item", other: "{metric} {value} after {count} items" }
    : { one: "{metric} {value} after {count} label", other: "{metric} {value} after {count} labels" };
  const last = perPlace.at(-1);
  const words = last ? t(after, { metric: titleOf(metric), value: fine.format(last.value), count: last.x }) : t("No estimate yet");
  draw("quality", {
    points: perPlace,
    x: { title },
    y: metric === "cost" ? {} : { high: 1 },
    lines: [
      { name: titleOf(metric), kind: "first", of: (point) => point.value },
      ...(metric === "accuracy" && goal.accuracy != null ? [{ name: t("Goal"), kind: "limit", of: () => goal.accuracy }] : []),
    ],
    band: (point) => [point.low, point.high],
    tip: (point) => [[title, whole.format(point.x)], ...VALUES.map(([name, words]) => [words, fine.format(point[name])])],
  }, words);
  tableOf("quality-table", [title, titleOf(metric) ?? "", t("low"), t("high")], perPlace.map((point) => [whole.format(point.x), ...[point.value, point.low, point.high].map((value) => fine.format(value))]));
}

function drawAsked() {
  const bound = (items) => Math.min(budget.rate == null ? Infinity : (budget.burst ?? 20) + budget.rate * items, budget.total ?? Infinity);
  const points = history.points.map((point) => ({ x: point.items, asked: point.asked, limit: bound(point.items) }));
  const isBounded = points.some((point) => Number.isFinite(point.limit));
  const last = points.at(-1);
  const words = last ? t({ one: "{count} label requested for {items} items: {share}.", other: "{count} labels requested for {items} items: {share}." }, { count: last.asked, items: last.x, share: share.format(last.asked / Math.max(1, last.x)) }) : t("No labels were requested yet.");
  at("asked-words", words);
  draw("asked", {
    points,
    x: { title: t("items") },
    y: { title: t("labels") },
    lines: [
      { name: t("requested"), kind: "first", of: (point) => point.asked },
      ...(isBounded ? [{ name: t("budget"), kind: "limit", of: (point) => point.limit }] : []),
    ],
    tip: (point) => [[t("items"), whole.format(point.x)], [t("requested"), whole.format(point.asked)], ...(isBounded ? [[t("budget"), whole.format(Math.floor(point.limit))]] : [])],
  }, words);
  tableOf("asked-table", [t("items"), t("requested")], points.map((point) => [whole.format(point.x), whole.format(point.asked)]));
}

function drawPace() {
  const time = new Intl.DateTimeFormat(locale, { timeStyle: "short" });
  const last = history.minutes.at(-1);
  draw("pace", {
    points: everyMinute(history.minutes).map(({ at, items, labels }) => ({ x: 1000 * at, items, labels })),
    x: { timed: true },
    y: { title: t("per minute, logarithmic"), logarithmic: true },
    lines: [{ name: t("items"), kind: "first", of: (point) => point.items }, { name: t("labels"), kind: "second", of: (point) => point.labels }],
    tip: (point) => [[t("minute"), time.format(point.x)], [t("items"), whole.format(point.items)], [t("labels"), whole.format(point.labels)]],
  }, last ? t("{items} items and {labels} labels in the last minute in which something came", { items: last.items, labels: last.labels }) : t("Nothing has come yet"));
  tableOf("pace-table", [t("minute"), t("items"), t("labels")], history.minutes.slice(-120).map((minute) => [time.format(1000 * minute.at), minute.items, minute.labels]));
}

function showClasses() {
  const entries = Object.entries(history.classes).sort((one, other) => other[1] - one[1]).slice(0, 40);
  const most = Math.max(1, ...entries.map(([, count]) => count));
  at("classes", entries.map(([name, count]) => {
    const bar = el("span", { class: "bar" });
    bar.style.setProperty("width", `${(100 * count) / most}%`);
    return el("div", { class: "bar-row" }, el("span", { class: "bar-name", dir: "auto", title: name }, name), el("span", { class: "bar-place" }, bar), el("span", { class: "number" }, whole.format(count)));
  }));
}

/** What more labels would bring; nothing if the service cannot tell. */
function showForecast({ advice, basis }) {
  at("advice", advice ? [el("strong", { dir: "auto" }, advice), " ", el("span", { class: "hint", dir: "auto" }, basis)] : []).hidden = !advice;
}

/** Figures for which the service reads more: not as often as the others. */
async function showInsights() {
  if (Date.now() - looked < LOOK_AT_MOST_EVERY) return;
  looked = Date.now();
  showForecast(await get(`${path}/forecast`));
  showConfusion(await get(`${path}/confusion`));
  showPredicted(await get(`${path}/predicted`));
  if (role !== "admin") return;
  work = await get(`${path}/labellers`);
  showLabellers(history.labellers, true, work);
}

/** Say since when the figures are not up to date. */
function showConnection(isConnected) {
  if (isConnected) {
    clearTimeout(lost);
    lost = null;
    at("connection").hidden = true;
    return;
  }
  const since = new Intl.DateTimeFormat(locale, { timeStyle: "short" }).format(Date.now());
  lost ??= setTimeout(() => {
    at("connection", t("Connection lost. These are the figures of {time}; the page continues when the service is back.", { time: since })).hidden = false;
  }, LOST_AFTER);
}

/** Draw again soon, but not too often. */
function drawSoon() {
  pending ??= setTimeout(() => {
    pending = null;
    if (!document.hidden) showHistory().then(showInsights).catch(() => {});
  }, Math.max(0, drawn + DRAW_AT_MOST_EVERY - Date.now()));
}

at("metric").addEventListener("change", drawQuality);
at("against").addEventListener("change", drawQuality);
addEventListener("visibilitychange", () => document.hidden || drawSoon());

watchFigures(task, (figures) => {
  showFigures(figures);
  drawSoon();
}, showConnection);
try {
  showFigures(await get(`${path}/figures`));
  await showHistory();
  await showInsights();
} catch (error) {
  report(error);
}
