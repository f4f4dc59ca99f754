import { post } from "./api.js";
import { confirmed } from "./confirm.js";
import { el } from "./dom.js";
import { report } from "./errors.js";
import { t } from "./language.js";
import { notify } from "./notices.js";

const VERBS = {
  running: ["paused", "archived"],
  paused: ["running", "archived"],
  archived: ["running"],
};
const NAMES = { running: t("running"), paused: t("paused"), archived: t("archived") };

/** The state of a task, as the reader calls it. */
export function stateName(state) {
  return NAMES[state] ?? state;
}

/** What to do to reach a state: the words of a button, what it is called for those who do not see it, and what it has done. */
function wordsOf(state, task) {
  if (state === "running") return [t("Start"), t("Start {task}", { task }), t("{task} is running.", { task })];
  if (state === "archived") return [t("Archive"), t("Archive {task}", { task }), t("{task} is archived.", { task })];
  return [t("Pause"), t("Pause {task}", { task }), t("{task} is paused: items are predicted, but no labels are requested.", { task })];
}

/** Buttons that pause, archive and start a task. */
export function actions(task, changed) {
  return VERBS[task.state].map((state) => {
    const [verb, label] = wordsOf(state, task.name);
    return el("button", { type: "button", class: "quiet", "aria-label": label, onclick: () => changeState(task.name, state, changed) }, verb);
  });
}

async function changeState(task, state, changed) {
  const question = t("Archive {task}?", { task });
  const consequence = t("It will not accept items or request labels. Nothing is deleted, and you can start it again.");
  if (state === "archived" && !(await confirmed(question, consequence, t("Archive task")))) return;
  try {
    await post(`/api/tasks/${encodeURIComponent(task)}/state`, { state });
    notify(wordsOf(state, task)[2], "good");
  } catch (error) {
    report(error);
  }
  await changed();
}
