import { keysAreOn } from "./keys.js";

/** The selected rows of a table, by mouse and keyboard; each row has a checkbox and data-item. */
export class Selection {
  /** `changed` is called with the numbers of the selected items. */
  constructor(rows, changed) {
    this.rows = rows;
    this.changed = changed;
    this.last = null; // the row from which a range begins
    rows.addEventListener("click", (event) => this.click(event));
    document.addEventListener("keydown", (event) => this.key(event));
  }

  get boxes() {
    return [...this.rows.querySelectorAll("input[type=checkbox]")];
  }

  get items() {
    return this.boxes.filter((box) => box.checked).map((box) => Number(box.closest("[data-item]").dataset.item));
  }

  /** Select or clear all rows that are shown. */
  setAll(on) {
    for (const box of this.boxes) box.checked = on;
    this.tell();
  }

  click(event) {
    const box = event.target.closest("input[type=checkbox]");
    if (!box) return;
    if (event.shiftKey) this.range(box, box.checked);
    this.last = box;
    this.tell();
  }

  /** Set all boxes from the last one to this one. */
  range(box, on) {
    const all = this.boxes;
    const ends = [all.indexOf(this.last ?? box), all.indexOf(box)].map((place) => Math.max(0, place)).sort((one, other) => one - other);
    for (const between of all.slice(ends[0], ends[1] + 1)) between.checked = on;
  }

  key(event) {
    if (!keysAreOn() || event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
    if (event.target.closest("input:not([type=checkbox]), select, textarea, dialog")) return;
    const all = this.boxes;
    const place = all.indexOf(document.activeElement);
    const key = event.key.toLowerCase();
    if (key === "j" || key === "k") {
      event.preventDefault();
      all[Math.min(all.length - 1, Math.max(0, place + (key === "j" ? 1 : -1)))]?.focus();
    } else if (key === "x" && place >= 0 && !event.repeat) {
      const box = all[place];
      box.checked = event.shiftKey || !box.checked;
      if (event.shiftKey) this.range(box, true);
      this.last = box;
      this.tell();
    }
  }

  tell() {
    for (const box of this.boxes) box.closest("[data-item]").classList.toggle("chosen", box.checked);
    this.changed(this.items);
  }
}
