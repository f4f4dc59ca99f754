import { tell } from "./notices.js";

/** Copy what an element shows; where the browser does not allow that, select it. */
export async function copy(element) {
  try {
    await navigator.clipboard.writeText(element.textContent);
    tell("Copied.", "good");
  } catch {
    getSelection().selectAllChildren(element);
    tell("It is selected: copy it with the keyboard or the menu.");
  }
}

for (const button of document.querySelectorAll("[data-copies]")) {
  button.addEventListener("click", () => copy(document.getElementById(button.dataset.copies)));
}
