import { t } from "./language.js";
import { notify } from "./notices.js";

/** Copy the text of an element; select it if the browser does not allow copying. */
export async function copy(element) {
  try {
    await navigator.clipboard.writeText(element.textContent);
    notify(t("Copied."), "good");
  } catch {
    getSelection().selectAllChildren(element);
    notify(t("The text is selected: copy it with the keyboard or the menu."));
  }
}

for (const button of document.querySelectorAll("[data-copies]")) {
  button.addEventListener("click", () => copy(document.getElementById(button.dataset.copies)));
}
