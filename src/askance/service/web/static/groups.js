import { freshName, insist } from "./api.js";
import { sentence } from "./errors.js";
import { notify } from "./notices.js";

const number = new Intl.NumberFormat();

/** A number with its noun. */
export function counted(count, noun = "item") {
  return `${number.format(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** Give one label to many items, and say what became of them; returns the key of the group and its labelled items. */
export async function labelGroup(path, items, label, more = {}) {
  const key = freshName();
  const done = await patiently(`${path}/group-labels`, { items, label, key, ...more });
  const parts = [[done.labelled, "labelled"], [done.corrected, "corrected"], [done.unchanged, "had this label already"]];
  const said = parts.filter(([some]) => some.length).map(([some, verb]) => `${counted(some.length)} ${verb}`);
  notify(`${said.join(", ") || "No item was changed"}.${leftOut(done.refused)}`, done.refused.length ? "warn" : "good");
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
  notify(`${counted(done.undone.length, "label")} undone.${leftOut(done.refused)}`, done.refused.length ? "warn" : "good");
}

/** Send a request until the service responds, and say once that it does not. */
function patiently(path, body) {
  let isSaid = false;
  return insist(path, body, () => {
    if (!isSaid) notify("The service cannot be reached. This continues when it is back.", "warn");
    isSaid = true;
  });
}

function leftOut(refused) {
  if (!refused.length) return "";
  return ` ${counted(refused.length)} left as ${refused.length === 1 ? "it is" : "they are"}. ${sentence(refused[0].message)}`;
}
