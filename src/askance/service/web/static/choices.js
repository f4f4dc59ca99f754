import { el } from "./dom.js";

const MOST_BUTTONS = 9;
const MOST_SHOWN = 200;

/** The possible answers: large buttons for a few classes, a searchable list for many. */
export class Choices {
  constructor(place, classes, choose) {
    this.place = place;
    this.classes = classes;
    this.choose = choose;
    this.active = 0;
  }

  /** Show the answers with their keys (key to class). */
  show(keys) {
    this.keyOf = new Map(Array.from(keys, ([key, name]) => [name, key]));
    if (this.classes.length <= MOST_BUTTONS) this.place.replaceChildren(...this.classes.map((name) => this.#button(name)));
    else this.#showList();
  }

  /** Enable or disable all answers. */
  enable(possible) {
    for (const button of this.place.querySelectorAll("button, input")) button.disabled = !possible;
  }

  /** Start a search, with a first character if one was typed; does nothing if there is no list. */
  search(character = "") {
    if (!this.input || this.input.disabled) return;
    this.input.focus();
    if (!character) return;
    this.input.value = character;
    this.#filter();
  }

  #button(name) {
    const key = this.keyOf.get(name);
    return el("button", { type: "button", class: "answer", onclick: () => this.choose(name) }, key && el("kbd", {}, key), el("span", {}, name));
  }

  #showList() {
    this.input = el("input", {
      type: "search",
      role: "combobox",
      placeholder: `Search ${this.classes.length} classes ( / )`,
      "aria-label": "Search classes",
      "aria-controls": "choices",
      "aria-expanded": "true",
      "aria-autocomplete": "list",
      autocomplete: "off",
      spellcheck: "false",
      oninput: () => this.#filter(),
      onkeydown: (event) => this.#pressed(event),
    });
    this.list = el("div", { id: "choices", role: "listbox", "aria-label": "Classes", class: "choices" });
    this.more = el("p", { class: "hint" });
    this.place.classList.add("many");
    this.place.replaceChildren(this.input, this.list, this.more);
    this.#filter();
  }

  #filter() {
    const wanted = this.input.value.trim().toLowerCase();
    const places = this.classes.map((name) => ({ name, place: name.toLowerCase().indexOf(wanted) }));
    const found = places.filter(({ place }) => place >= 0).map(({ name, place }) => ({ name, first: place === 0 }));
    this.found = [...found.filter(({ first }) => first), ...found.filter(({ first }) => !first)].map(({ name }) => name);
    const shown = this.found.slice(0, MOST_SHOWN);
    this.list.replaceChildren(...shown.map((name, place) => this.#option(name, place)));
    const left = this.found.length - shown.length;
    this.more.textContent = this.found.length ? (left ? `and ${left} more: type to find them` : "") : "No class matches.";
    this.#activate(0);
  }

  #option(name, place) {
    const key = this.keyOf.get(name);
    return el(
      "div",
      { role: "option", id: `choice-${place}`, "aria-selected": "false", onclick: () => this.#take(name) },
      el("span", {}, name),
      key && el("kbd", {}, key),
    );
  }

  #activate(place) {
    this.active = Math.max(0, Math.min(place, this.list.childElementCount - 1));
    for (const [other, option] of Array.from(this.list.children).entries()) {
      option.setAttribute("aria-selected", String(other === this.active));
    }
    const option = this.list.children[this.active];
    if (option) this.input.setAttribute("aria-activedescendant", option.id);
    else this.input.removeAttribute("aria-activedescendant");
    if (this.input === document.activeElement) option?.scrollIntoView({ block: "nearest" });
  }

  #pressed(event) {
    if (event.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) this.#activate(this.active + step);
    else if (event.key === "Enter" && this.found.length && this.input.value.trim() && !event.repeat) this.#take(this.found[this.active]);
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
