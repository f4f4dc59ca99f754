import { t } from "./language.js";

const TAKEN = new Map([[" ", t("skip")], ["u", t("undo")], ["?", t("help")], ["/", t("search")], [".", t("flag")]]);
const SWITCH = "askance:shortcuts";

/** Why a key cannot be used for a class, or an empty text. */
export function complaint(key) {
  if (Array.from(key).length !== 1) return t("Each key must be one character.");
  const taken = TAKEN.get(key.toLowerCase());
  return taken ? t("“{key}” is already used for {what}.", { key, what: taken }) : "";
}

/** Whether single keys do something on this page: people who dictate or press keys by accident switch them off. */
export function keysAreOn() {
  return localStorage.getItem(SWITCH) !== "off";
}

/** Switch the keys on or off, for all tasks in this browser. */
export function switchKeys(on) {
  if (on) localStorage.removeItem(SWITCH);
  else localStorage.setItem(SWITCH, "off");
}

/** A labeller's own keys for a task, stored in this browser: a map of classes, which may have any name, to keys. */
export class OwnKeys {
  constructor(task, person) {
    this.place = `askance:keys:${person}:${task}`;
  }

  read() {
    try {
      return new Map(Object.entries(JSON.parse(localStorage.getItem(this.place) ?? "{}")));
    } catch {
      return new Map();
    }
  }

  write(keys) {
    if (keys.size) localStorage.setItem(this.place, JSON.stringify(Object.fromEntries(keys)));
    else localStorage.removeItem(this.place);
  }
}

/** Key to class: the keys of the task (pairs of key and class), except those that the labeller has changed. */
export function keysFor(classes, usual, own) {
  const keys = new Map();
  const give = (key, name) => key && !keys.has(key.toLowerCase()) && keys.set(key.toLowerCase(), name);
  for (const name of classes) give(own.get(name), name);
  for (const [key, name] of usual) if (!own.has(name)) give(key, name);
  return keys;
}

/** Class to the key that is shown with it: the first of its keys. */
export function shownKeys(keys) {
  const shown = new Map();
  for (const [key, name] of keys) if (!shown.has(name)) shown.set(name, key);
  return shown;
}

/** The meaning of a key on the page: {verb} or {label}, or null if it has none. */
export function meaning(event, keys) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return null;
  const target = event.target;
  if (target.closest("input, select, textarea, dialog, [contenteditable]")) return null;
  if (event.key === " ") return target.closest("button, a, summary") ? null : { verb: event.shiftKey ? "skipWithReason" : "skip" };
  if (event.key === "?") return { verb: "help" };
  const key = event.key.toLowerCase();
  if (key === "u") return { verb: "undo" };
  if (keys.has(key)) return { label: keys.get(key) };
  if (key === "/") return { verb: "search" };
  if (key === ".") return { verb: "flag" };
  return Array.from(event.key).length === 1 ? { verb: "type", character: event.key } : null;
}
