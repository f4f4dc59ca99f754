import { Choices } from "./choices.js";
import { el } from "./dom.js";
import { labelWords } from "./labels.js";
import { t } from "./language.js";

/** The possible answers where an item may have several classes, or none: each is switched on or off, and a button gives the answer. */
export class Toggles extends Choices {
  constructor(place, classes, storage, answer, changed) {
    super(place, classes, storage, (name) => this.toggle(name));
    this.answer = answer;
    this.changed = changed; // is called with the classes that are on
    this.on = new Set();
    this.shown = null;
    this.button = el("button", { type: "button", class: "main confirm", onclick: () => this.confirm() });
    this.place.after(this.button);
  }

  show(keys) {
    super.show(keys);
    this.paint();
  }

  enable(possible) {
    super.enable(possible);
    this.button.disabled = !possible;
  }

  /** Show the answer that was given to an item, or none (null). What is switched on stays while the item is the same. */
  mark(label, item = null) {
    const shown = JSON.stringify([item, label]);
    if (this.shown === shown) return;
    this.shown = shown;
    this.on = new Set(label ?? []);
    this.paint();
  }

  /** A class belongs to the item, or not. */
  toggle(name) {
    if (!this.on.delete(name)) this.on.add(name);
    this.paint();
    this.changed(this.label);
  }

  /** Give the answer. */
  confirm() {
    if (!this.button.disabled) this.answer(this.label);
  }

  use(label) {
    for (const name of label) super.use(name);
  }

  /** The classes that are on, in the order of the task. */
  get label() {
    return this.classes.filter((name) => this.on.has(name));
  }

  isGiven(name) {
    return this.on.has(name);
  }

  paint() {
    super.paint();
    const state = this.input ? "aria-checked" : "aria-pressed";
    for (const one of this.place.querySelectorAll("[data-class]")) one.setAttribute(state, String(this.isGiven(one.dataset.class)));
    const words = this.on.size ? t("Answer: {labels}", { labels: labelWords(this.label) }) : t("None of these");
    this.button.replaceChildren(el("span", { dir: "auto" }, words), " ", el("kbd", {}, "⏎"));
  }
}
