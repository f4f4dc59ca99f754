import { el } from "./dom.js";
import { complaint, keysAreOn, shownKeys, switchKeys } from "./keys.js";
import { t } from "./language.js";

const VERBS = [
  [t("Space"), t("skip: leave the question to others")],
  [t("Shift Space"), t("skip with a reason")],
  [".", t("flag the item for review, with a note if you like")],
  ["u", t("undo the last answer, and the ones before it")],
  ["/", t("search classes, if there are many")],
  ["?", t("this help")],
  ["Esc", t("close this help, or keep an answer that you looked at")],
];
const MOST_ROWS = 40;

/** Open the help: the keys, which can be changed and switched off. */
export function openHelp(dialog, { classes, keys, own, save, switched }) {
  const keyOf = shownKeys(keys);
  const wrong = el("p", { class: "wrong", role: "alert" });
  const inputs = new Map(classes.slice(0, MOST_ROWS).map((name) => [name, inputFor(keyOf.get(name) ?? "", name)]));
  const submit = (event) => {
    event.preventDefault();
    const chosen = read(inputs, keyOf, own);
    wrong.textContent = chosen.wrong ?? "";
    if (chosen.wrong) return;
    save(chosen.own);
    dialog.close();
  };
  const reset = () => {
    save(new Map());
    dialog.close();
  };
  const parts = [
    el("div", { class: "row apart" }, el("h2", { id: "help-title" }, t("Help and keys")), closeButton(dialog)),
    switchOf(switched),
    el("ul", { class: "verbs-list" }, VERBS.map(([key, what]) => el("li", {}, el("kbd", {}, key), " ", what))),
    el(
      "form",
      { onsubmit: submit },
      el("p", { class: "hint" }, t("You can change the keys of the classes. This applies to you only, in this browser.")),
      el("div", { class: "key-table" }, Array.from(inputs, ([name, input]) => el("label", {}, input, el("span", { dir: "auto" }, name)))),
      wrong,
      el(
        "div",
        { class: "actions" },
        el("button", { class: "main" }, t("Save keys")),
        el("button", { type: "button", onclick: reset }, t("Use the task's keys")),
      ),
    ),
  ];
  dialog.replaceChildren(...parts);
  dialog.showModal();
}

/** The switch for all keys; `switched` is called when it changes. */
function switchOf(switched) {
  const box = el("input", { type: "checkbox", id: "keys-on", checked: keysAreOn() });
  box.addEventListener("change", () => {
    switchKeys(box.checked);
    switched();
  });
  const hint = t("Switch them off if you dictate, or if you press keys by accident. This applies to this browser.");
  return el("div", { class: "choice" }, box, el("label", { for: "keys-on" }, el("b", {}, t("Answer with single keys")), el("br"), el("span", { class: "hint" }, hint)));
}

function closeButton(dialog) {
  return el("button", { type: "button", class: "quiet icon", "aria-label": t("Close"), onclick: () => dialog.close() }, "×");
}

function inputFor(key, name) {
  const input = el("input", { maxlength: "2", autocomplete: "off", autocapitalize: "off", "aria-label": t("Key for {name}", { name }) });
  input.value = key;
  return input;
}

/** The labeller's own keys in the form, or what is wrong with them. */
function read(inputs, keyOf, before) {
  const own = new Map(before);
  const used = new Map();
  for (const [name, input] of inputs) {
    const key = input.value.trim().toLowerCase();
    if (key === (keyOf.get(name) ?? "")) {
      if (!key) continue;
    } else {
      const wrong = complaint(key);
      if (wrong) return { wrong };
      own.set(name, key);
    }
    if (used.has(key)) return { wrong: t("“{key}” is used for both {one} and {other}.", { key, one: used.get(key), other: name }) };
    used.set(key, name);
  }
  return { own };
}
