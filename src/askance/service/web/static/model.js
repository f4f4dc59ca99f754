import { get, post, root, send } from "./api.js";
import { confirmed } from "./confirm.js";
import { at, el } from "./dom.js";
import { report, done, sentence } from "./errors.js";
import { labelWords } from "./labels.js";
import { numberFormat, pieces, t } from "./language.js";
import { contentOf, pullsOf } from "./text.js";
import { date } from "./times.js";

const FIRST = 12;
const { task, role, ...given } = at("model-page").dataset;
const settings = JSON.parse(given.settings);
const path = `/api/tasks/${encodeURIComponent(task)}`;
const number = numberFormat();
const fine = numberFormat({ maximumSignificantDigits: 3 });
let model = null;
let all = false;

async function show() {
  model = await get(`${path}/model`);
  at("about", aboutWords(model));
  at("looked-at", model.looked_at ? t({ one: "Among the features of the newest item that was sent for labelling or came with a label: how much each adds to the score of a class if an item has no other feature.", other: "Among the features of the {count} newest items that were sent for labelling or came with a label: how much each adds to the score of a class if an item has no other feature." }, { count: model.looked_at }) : "");
  if (model.looked_at && model.algorithm === "auto" && (settings.item ?? "text") !== "text") at("looked-at").append(" ", t("Numbers are not listed: what they add depends on their size."));
  at("words", Object.entries(model.strongest).map(([name, strengths]) => wordsOf(name, strengths)));
  showVersions();
  showRollbacks();
}

function aboutWords({ algorithm, version, learned }) {
  if (learned === null) return t("{algorithm}, version {version}.", { algorithm, version });
  const words = { one: "{algorithm}, version {version}, with {count} label learned.", other: "{algorithm}, version {version}, with {count} labels learned." };
  return t(words, { algorithm, version, count: learned });
}

function wordsOf(name, strengths) {
  const most = strengths[0]?.by ?? 1;
  const rows = strengths.map(({ feature, by }) => {
    const bar = el("span", { class: "bar" });
    bar.style.setProperty("width", `${(100 * by) / most}%`);
    return el("div", { class: "bar-row" }, el("span", { class: "bar-name", dir: "auto", title: feature }, feature), el("span", { class: "bar-place" }, bar), el("span", { class: "number soft small" }, fine.format(by)));
  });
  const content = rows.length ? el("div", { class: "bars", tabindex: "0", role: "group", "aria-label": t("Features of {name}", { name }) }, rows) : el("p", { class: "soft" }, t("No evidence yet."));
  return el("section", { class: "card", "aria-label": name }, el("h3", { dir: "auto" }, name), content);
}

function showVersions() {
  const shown = all ? model.versions : model.versions.slice(0, FIRST);
  at("versions", shown.length ? shown.map(versionRow) : el("tr", {}, el("td", { colspan: 6, class: "soft" }, t("There are no versions yet: the model has not learned any labels."))));
  at("more").hidden = shown.length === model.versions.length;
}

function versionRow(version, place) {
  const [value, low, high] = version.estimates.accuracy ?? [null, null, null];
  const accuracy = value === null ? "–" : `${fine.format(value)} (${fine.format(low)}–${fine.format(high)})`;
  return el("tr", {},
    el("th", { scope: "row", class: "number" }, number.format(version.version)),
    el("td", { "data-label": t("When") }, date(version.at)),
    el("td", { class: "number", "data-label": t("Items") }, number.format(version.rows)),
    el("td", { class: "number", "data-label": t("Labels") }, number.format(version.labels)),
    el("td", { class: "number", "data-label": t("Accuracy") }, accuracy),
    el("td", { class: "verbs" }, downloadOf(version), version.version < model.version ? rollbackOf(version, place) : null));
}

function downloadOf({ version }) {
  if (!["admin", "read"].includes(role)) return null;
  const name = `${task}-${version}.model`;
  return el("a", { class: "button quiet", href: `${root}${path}/export/model?version=${version}`, download: name, "aria-label": t("Download version {version}", { version: String(version) }) }, t("Download"));
}

function rollbackOf({ version }) {
  if (role !== "admin") return null;
  return el("button", { type: "button", class: "quiet danger", "aria-label": t("Roll back to version {version}", { version: String(version) }), onclick: () => rollBack(version) }, t("Roll back"));
}

async function rollBack(version) {
  const consequence = t("This discards what the model learned after this version. Labels are kept, and you can undo it.");
  if (!(await confirmed(t("Roll back to version {version}?", { version }), consequence, t("Roll back")))) return;
  await done(show, post(`${path}/rollbacks`, { to: version }), t("Rolled back to version {version}.", { version }));
}

function showRollbacks() {
  const standing = model.rollbacks.filter((one) => !one.undone);
  at("rollbacks-place").hidden = standing.length === 0;
  at("rollbacks").replaceChildren(...standing.map((one) => el("li", { class: "row apart" },
    el("span", {}, pieces("To version {version}, by {person}, {date}", { version: one.to, person: one.by ?? t("anonymous"), date: date(one.at) })),
    role === "admin" ? el("button", { type: "button", onclick: () => undoRollback(one) }, t("Undo roll-back")) : null)));
}

async function undoRollback({ number: which }) {
  await done(show, send("DELETE", `${path}/rollbacks/${which}`), t("The roll-back is undone."));
}

/** What was typed as an item: a text, a record in JSON, or a whole item in JSON if items have several parts. */
function itemOf(given) {
  if ((settings.item ?? "text") === "text") return { text: given };
  return settings.item === "record" ? { record: JSON.parse(given) } : JSON.parse(given);
}

/** What the model says of an item that may have several classes. */
async function predicted(item) {
  const { predictions: [{ prediction, probabilities }] } = await post(`${path}/predict`, { items: [item] });
  const shares = Object.entries(probabilities).sort(([, one], [, other]) => other - one);
  const rows = shares.flatMap(([name, share]) => [el("dt", {}, el("bdi", {}, name)), el("dd", {}, fine.format(share))]);
  return [el("p", {}, t("Prediction: {label}", { label: labelWords(prediction) })), el("dl", { class: "facts" }, rows)];
}

at("try").addEventListener("submit", async (event) => {
  event.preventDefault();
  const given = at("content").value;
  try {
    const item = itemOf(given);
    if (settings.multilabel) return at("tried", await predicted(item));
    const why = await post(`${path}/explain`, { item });
    at("tried", el("p", {}, pieces("Prediction: {prediction} (margin {margin})", { prediction: el("b", { dir: "auto" }, why.prediction), margin: fine.format(why.score) })), contentOf({ ...item, vector_length: item.vector?.length }, why.pulls, settings.classes), pullsOf(why.pulls, settings.classes));
  } catch (error) {
    if (error instanceof SyntaxError) at("tried", el("p", { class: "wrong" }, sentence(t("This is not valid JSON: {problem}", { problem: error.message }))));
    else report(error);
  }
});
at("more").addEventListener("click", () => {
  all = true;
  showVersions();
});

try {
  await show();
} catch (error) {
  report(error);
}
