import { post } from "./api.js";
import { asked } from "./asking.js";
import { el } from "./dom.js";
import { complain } from "./door.js";
import { tell } from "./notices.js";

const VERBS = {
  running: [["Pause", "paused"], ["Archive", "archived"]],
  paused: [["Start", "running"], ["Archive", "archived"]],
  archived: [["Start", "running"]],
};
const DONE = { running: "is running", paused: "is paused: items are predicted, and nothing is asked", archived: "is archived" };

/** Buttons that pause, archive and start a task. */
export function actions(task, changed) {
  return VERBS[task.state].map(([verb, state]) =>
    el("button", { type: "button", class: "quiet", "aria-label": `${verb} ${task.name}`, onclick: () => become(task.name, state, changed) }, verb));
}

async function become(task, state, changed) {
  const question = `Archive ${task}?`;
  const consequence = "It takes no more items and asks for no more labels. Nothing is deleted, and it can be started again.";
  if (state === "archived" && !(await asked(question, consequence, "Archive the task"))) return;
  try {
    await post(`/api/tasks/${encodeURIComponent(task)}/state`, { state });
    tell(`${task} ${DONE[state]}.`, "good");
  } catch (fault) {
    complain(fault);
  }
  await changed();
}
