import { el } from "./dom.js";
import { t } from "./language.js";

/** Ask for confirmation: a question, the consequence of a yes, and the text of the button that says yes. */
export function confirmed(question, consequence, verb) {
  const { promise, resolve } = withResolvers();
  const yes = el("button", { class: "danger", value: "yes" }, verb);
  const no = el("button", { value: "no", autofocus: true }, t("Cancel"));
  const title = el("h2", { id: "confirm-title" }, question);
  const form = el("form", { method: "dialog" }, title, el("p", {}, consequence), el("div", { class: "actions" }, yes, no));
  const dialog = el("dialog", { "aria-labelledby": "confirm-title" }, form);
  dialog.addEventListener("close", () => {
    dialog.remove();
    resolve(dialog.returnValue === "yes");
  });
  document.body.append(dialog);
  dialog.showModal();
  return promise;
}

/** Promise.withResolvers, which browsers before 2024 do not have. */
function withResolvers() {
  let resolve;
  const promise = new Promise((kept) => (resolve = kept));
  return { promise, resolve };
}
