import { get, post, send } from "./api.js";
import { at, el } from "./dom.js";
import { report, sentence } from "./errors.js";
import { t } from "./language.js";
import { notify } from "./notices.js";

const dialog = at("token-dialog");
const form = at("token-form");
let changed = null; // the token that is changed; null for a new one

/** Prepare the form for tokens; `made` is called with a new token, `show` after every change. */
export async function startForm(made, show) {
  at("new-token").addEventListener("click", () => open(null));
  at("token-cancel").addEventListener("click", () => dialog.close());
  form.addEventListener("submit", (event) => submit(event, made, show));
  at("task-choices").addEventListener("change", () => (form.elements.reach.value = "some"));
  try {
    const { tasks } = await get("/api/tasks");
    at("task-choices", tasks.map((task) => choice(task.name)));
  } catch (error) {
    report(error);
  }
}

/** Open the form with the rights of a token. */
export function openChange(token) {
  open(token);
  const role = token.role ?? Object.values(token.tasks)[0];
  form.elements.role.value = role;
  if (token.tasks === null) return;
  form.elements.reach.value = "some";
  for (const box of boxes()) box.checked = box.value in token.tasks;
  const others = Object.entries(token.tasks).filter(([, own]) => own !== role);
  if (others.length) at("tasks-wrong", t("This token has different roles in its tasks. Saving gives it one role in all of them; {command} keeps them apart.", { command: "askance token change" }));
}

function open(token) {
  changed = token;
  form.reset();
  clear();
  at("token-title", token ? t("Change the rights of {name}", { name: token.name }) : t("Create a token"));
  at("token-submit", token ? t("Save changes") : t("Create the token"));
  at("days-hint", token ? t("From today. Leave empty to keep the end as it is.") : t("Leave empty for a token without an end."));
  at("name-field").hidden = token !== null;
  form.elements.name.required = token === null;
  dialog.showModal();
}

function choice(name) {
  const id = `task-${name}`;
  return el("div", { class: "choice" }, el("input", { type: "checkbox", id, name: "task", value: name }), el("label", { for: id }, name));
}

function boxes() {
  return [...form.querySelectorAll('input[name="task"]')];
}

async function submit(event, made, show) {
  event.preventDefault();
  clear();
  const request = rights();
  if (request === null) {
    at("tasks-wrong", t("Choose at least one task."));
    return;
  }
  if (form.elements.days.value) request.expires_in = Number(form.elements.days.value);
  try {
    await save(request, made);
    dialog.close();
    await show();
  } catch (error) {
    refuse(error);
  }
}

async function save(request, made) {
  if (changed) {
    await send("PATCH", `/api/tokens/${encodeURIComponent(changed.name)}`, request);
    notify(t("The rights of {name} have changed.", { name: changed.name }), "good");
  } else {
    made(await post("/api/tokens", { name: form.elements.name.value.trim(), ...request }));
  }
}

/** The rights in the form; null if no task is chosen. */
function rights() {
  const role = form.elements.role.value;
  if (form.elements.reach.value === "all") return { role };
  const tasks = boxes().filter((box) => box.checked).map((box) => [box.value, role]);
  return tasks.length ? { tasks: Object.fromEntries(tasks) } : null;
}

function refuse(error) {
  if (error.status !== 409 && error.status !== 422) {
    dialog.close();
    report(error);
  } else if (changed) {
    at("tasks-wrong", sentence(error.message));
  } else {
    at("name-wrong", sentence(error.message));
    form.elements.name.setAttribute("aria-invalid", "true");
    form.elements.name.focus();
  }
}

function clear() {
  at("name-wrong").replaceChildren();
  at("tasks-wrong").replaceChildren();
  form.elements.name.removeAttribute("aria-invalid");
}
