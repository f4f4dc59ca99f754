import { el } from "./dom.js";
import { shownKeys } from "./keys.js";
import { search } from "./class-search.js";
import { t } from "./language.js";
import { toneOf } from "./tones.js";

const MOST_BUTTONS = 9;
const MOST_SHOWN = 200;
const MOST_RECENT = 5;

/** The possible answers: large buttons for a few classes, a searchable list for many. */
export class Choices {
  constructor(place, classes, storage, choose) {
    this.place = place;
    this.classes = classes;
    this.storage = storage; // where the recently used classes are remembered
    this.choose = choose;
    this.active = -1;
    this.current = null;
  }

  /** Show the answers with their keys (key to class). */
  show(keys) {
    this.keyOf = shownKeys(keys);
    if (this.classes.length <= MOST_BUTTONS) this.#showButtons();
    else this.#showList();
  }

  /** Enable or disable all answers. */
  enable(possible) {
    for (const button of this.place.querySelectorAll("button, input")) button.disabled = !possible;
  }

  /** Mark the answer that was given to the item that is shown, or none (null). */
  mark(name) {
    if (this.current === name) return;
    this.current = name;
    this.paint();
  }

  /** Whether a class is the answer. */
  isGiven(name) {
    return name === this.current;
  }

  /** Show which classes are the answer. */
  paint() {
    for (const one of this.place.querySelectorAll("[data-class]")) one.classList.toggle("given", this.isGiven(one.dataset.class));
  }

  /** A class was used: it stays among the first of a long list. */
  use(name) {
    if (!this.input || this.#recent().includes(name)) return;
    try {
      localStorage.setItem(this.storage, JSON.stringify([name, ...this.#recent()].slice(0, MOST_RECENT)));
    } catch {
      return; // the storage is full: answers need the space more
    }
    this.#filter();
  }

  /** Start a search, with a first character if one was typed; does nothing if there is no list. */
  search(character = "") {
    if (!this.input || this.input.disabled) return;
    this.input.focus();
    if (!character) return;
    this.input.value = character;
    this.#filter();
  }

  #showButtons() {
    this.place.classList.toggle("several", this.classes.length > 4);
    this.place.replaceChildren(...this.classes.map((name) => {
      const properties = { type: "button", class: `answer ${toneOf(name, this.classes)}`, "data-class": name };
      return el("button", { ...properties, onclick: () => this.choose(name) }, el("span", { dir: "auto" }, breakable(name)), this.#key(name));
    }));
  }

  #showList() {
    this.input = el("input", {
      type: "search",
      role: "combobox",
      placeholder: t({ one: "Search {count} class ( / )", other: "Search {count} classes ( / )" }, { count: this.classes.length }),
      "aria-label": t("Search classes"),
      "aria-controls": "choices",
      "aria-expanded": "true",
      "aria-autocomplete": "list",
      autocomplete: "off",
      spellcheck: "false",
      oninput: () => this.#filter(),
      onkeydown: (event) => this.#pressed(event),
    });
    this.list = el("div", { id: "choices", role: "listbox", "aria-label": t("Classes"), class: "choices" });
    this.more = el("p", { class: "hint" });
    this.place.classList.add("many");
    this.place.replaceChildren(this.input, this.list, this.more);
    this.#filter();
  }

  #filter() {
    const wanted = this.input.value.trim();
    const recent = wanted ? [] : this.#recent();
    this.found = wanted ? search(this.classes, wanted) : [...recent, ...this.classes.filter((name) => !recent.includes(name))];
    const options = this.found.slice(0, MOST_SHOWN).map((name, place) => this.#option(name, place));
    this.options = options;
    this.list.replaceChildren(...(recent.length ? this.#groups(options, recent.length) : options));
    const left = this.found.length - options.length;
    this.paint();
    this.more.textContent = this.found.length ? (left ? t({ one: "and {count} more: type to find it", other: "and {count} more: type to find them" }, { count: left }) : "") : t("No class matches.");
    this.#activate(wanted ? 0 : -1);
  }

  #groups(options, recent) {
    const group = (id, words, members) =>
      el("div", { role: "group", "aria-labelledby": id }, el("div", { id, class: "group-name" }, words), members);
    return [group("recent-classes", t("Recent"), options.slice(0, recent)), group("other-classes", t("Other classes"), options.slice(recent))];
  }

  #option(name, place) {
    const style = `${toneOf(name, this.classes)}${this.isGiven(name) ? " given" : ""}`;
    return el(
      "div",
      { role: "option", id: `choice-${place}`, class: style, "data-class": name, "aria-selected": "false", onclick: () => this.#take(name) },
      el("span", { dir: "auto" }, breakable(name)),
      this.#key(name),
    );
  }

  #key(name) {
    const key = this.keyOf.get(name);
    return key && el("kbd", {}, key);
  }

  #recent() {
    try {
      return JSON.parse(localStorage.getItem(this.storage) ?? "[]").filter((name) => this.classes.includes(name));
    } catch {
      return [];
    }
  }

  /** Select an option, or none (-1): nothing is proposed before somebody types or moves. */
  #activate(place) {
    this.active = Math.min(place, this.options.length - 1);
    for (const [other, option] of this.options.entries()) option.setAttribute("aria-selected", String(other === this.active));
    const option = this.options[this.active];
    if (option) this.input.setAttribute("aria-activedescendant", option.id);
    else this.input.removeAttribute("aria-activedescendant");
    if (this.input === document.activeElement) option?.scrollIntoView({ block: "nearest" });
  }

  #pressed(event) {
    if (event.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) this.#activate(Math.max(0, this.active + step));
    else if (event.key === "Enter" && this.active >= 0 && !event.repeat) this.#take(this.found[this.active]);
    else if (event.key === "Escape" && !this.input.value) this.input.blur();
    else return;
    event.preventDefault();
  }

  #take(name) {
    if (this.input.disabled) return;
    this.input.value = "";
    this.input.blur();
    this.#filter();
    this.choose(name);
  }
}

/** A name that may be broken after dots, hyphens and the like, as in comp.sys.mac.hardware. */
function breakable(name) {
  return name.split(/(?<=[._/:-])(?=.)/).flatMap((part, place) => (place ? [el("wbr"), part] : [part]));
}
