import { freshName, insist } from "./api.js";
import { confirmed } from "./confirm.js";
import { sentence } from "./errors.js";
import { listed, t } from "./language.js";
import { notify } from "./notices.js";

/** What became of items that were given a label. */
const DONE = {
  labelled: { one: "{count} item labelled", other: "{count} items labelled" },
  corrected: { one: "{count} item corrected", other: "{count} items corrected" },
  unchanged: { one: "{count} item had this label already", other: "{count} items had this label already" },
};

/** What was done with a group, beside the button that undoes it. */
export function labelledAs({ labelled, label }) {
  return t({ one: "{count} item labelled as {label}.", other: "{count} items labelled as {label}." }, { count: labelled.length, label });
}

/** Give one label to many items, and say what became of them; returns the key of the group and its labelled items. */
export async function labelGroup(path, items, label, more = {}) {
  const key = freshName();
  const done = await patiently(`${path}/group-labels`, { items, label, key, ...more });
  const parts = Object.keys(DONE).filter((name) => done[name].length).map((name) => t(DONE[name], { count: done[name].length }));
  const said = parts.length ? t("{list}.", { list: listed(parts) }) : t("No item was changed.");
  notify(`${said}${leftOut(done.refused)}`, done.refused.length ? "warn" : "good");
  return { key, label, labelled: done.labelled };
}

/** Undo the labels of a group. */
export async function undoGroup(path, group) {
  await undo(path, { group: group.key });
}

/** Undo the own labels of some items. */
export async function reopen(path, items) {
  await undo(path, { items });
}

async function undo(path, which) {
  const done = await patiently(`${path}/group-undo`, { ...which, key: freshName() });
  const said = t({ one: "{count} label undone.", other: "{count} labels undone." }, { count: done.undone.length });
  notify(`${said}${leftOut(done.refused)}`, done.refused.length ? "warn" : "good");
}

/** Delete items, if that is confirmed; whether they were. */
export async function deleteItems(path, items) {
  const question = t({ one: "Delete {count} item?", other: "Delete {count} items?" }, { count: items.length });
  const consequence = t("This cannot be undone. Content, ids, notes and images are erased, and the model is retrained without them. Labels that people gave still count in the budget.");
  if (!(await confirmed(question, consequence, t("Delete")))) return false;
  const done = await patiently(`${path}/deletions`, { items, key: freshName() });
  const said = t({ one: "{count} item deleted.", other: "{count} items deleted." }, { count: done.deleted.length });
  notify(`${said}${leftOut(done.refused)}`, done.refused.length ? "warn" : "good");
  return true;
}

/** Send a request until the service responds, and say once that it does not. */
function patiently(path, body) {
  let isSaid = false;
  return insist(path, body, () => {
    if (!isSaid) notify(t("The service cannot be reached. This continues when it is back."), "warn");
    isSaid = true;
  });
}

function leftOut(refused) {
  if (!refused.length) return "";
  const said = t({ one: "{count} item left as it is.", other: "{count} items left as they are." }, { count: refused.length });
  return ` ${said} ${sentence(refused[0].message)}`;
}
