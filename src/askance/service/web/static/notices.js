import { at, el } from "./dom.js";
import { t } from "./language.js";

const SHOWN_FOR = { note: 5000, good: 4000, warn: 8000, bad: 12000 };

/** Show a message in the corner of the page, and to screen readers; `kind` is a key of SHOWN_FOR. */
export function notify(text, kind = "note") {
  const notice = el("div", { class: `notice ${kind}` }, el("span", { dir: "auto" }, text));
  const close = el("button", { class: "quiet icon", "aria-label": t("Close"), onclick: () => notice.remove() }, "×");
  notice.append(close);
  const place = at("notices");
  while (place.childElementCount > 2) place.firstElementChild.remove();
  place.append(notice);
  setTimeout(() => notice.remove(), SHOWN_FOR[kind]);
}
