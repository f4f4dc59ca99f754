import { post } from "./api.js";
import { confirmed } from "./confirm.js";
import { el } from "./dom.js";
import { report } from "./errors.js";
import { notify } from "./notices.js";

const VERBS = {
  running: [["Pause", "paused"], ["Archive", "archived"]],
  paused: [["Start", "running"], ["Archive", "archived"]],
  archived: [["Start", "running"]],
};
const DONE = { running: "is running", paused: "is paused: items are predicted, but no labels are requested", archived: "is archived" };

/** Buttons that pause, archive and start a task. */
export function actions(task, changed) {
  return VERBS[task.state].map(([verb, state]) =>
    el("button", { type: "button", class: "quiet", "aria-label": `${verb} ${task.name}`, onclick: () => changeState(task.name, state, changed) }, verb));
}

async function changeState(task, state, changed) {
  const question = `Archive ${task}?`;
  const consequence = "It will not accept items or request labels. Nothing is deleted, and you can start it again.";
  if (state === "archived" && !(await confirmed(question, consequence, "Archive task"))) return;
  try {
    await post(`/api/tasks/${encodeURIComponent(task)}/state`, { state });
    notify(`${task} ${DONE[state]}.`, "good");
  } catch (error) {
    report(error);
  }
  await changed();
}
