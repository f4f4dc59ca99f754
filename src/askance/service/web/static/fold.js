import { el } from "./dom.js";
import { t } from "./language.js";

// Called after layout and before paint: nothing is measured in the handler of a key, and nothing jumps.
const observer = new ResizeObserver((entries) => entries.forEach(({ target }) => update(target.parentElement)));

/** Content that fades out at the height that the style sheet allows, and a button with `words` that shows all of it. */
export function folded(content, words) {
  const more = el("button", { type: "button", class: "unfold quiet", "aria-expanded": "false", hidden: true }, words);
  const box = el("div", { class: "fold" }, content);
  more.addEventListener("click", () => {
    const open = box.classList.toggle("open");
    more.setAttribute("aria-expanded", String(open));
    more.textContent = open ? t("Show less") : words;
  });
  observer.observe(content);
  return [box, more];
}

function update(box) {
  if (!box?.isConnected || box.classList.contains("open")) return;
  const cut = box.scrollHeight > box.clientHeight + 1;
  box.classList.toggle("cut", cut);
  box.nextElementSibling.hidden = !cut;
}
