import { el } from "./dom.js";

/** Whether somebody wants it: a question, what follows from a yes, and the words of the button that says yes. */
export function asked(question, consequence, verb) {
  const { promise, resolve } = withResolvers();
  const yes = el("button", { class: "danger", value: "yes" }, verb);
  const no = el("button", { value: "no", autofocus: true }, "Cancel");
  const title = el("h2", { id: "asked" }, question);
  const form = el("form", { method: "dialog" }, title, el("p", {}, consequence), el("div", { class: "actions" }, yes, no));
  const dialog = el("dialog", { "aria-labelledby": "asked" }, form);
  dialog.addEventListener("close", () => {
    dialog.remove();
    resolve(dialog.returnValue === "yes");
  });
  document.body.append(dialog);
  dialog.showModal();
  return promise;
}

/** As Promise.withResolvers, which browsers of before 2024 lack. */
function withResolvers() {
  let resolve;
  const promise = new Promise((kept) => (resolve = kept));
  return { promise, resolve };
}
