import { post } from "./api.js";

const PATHS = { label: "labels", skip: "skips", undo: "undo", flag: "flags", unflag: "flag-undo", decision: "reviews", correction: "corrections" };
const ANSWERS = ["label", "skip"];
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 15000;

/** Work that only one tab does at a time; without locks, the keys of the answers prevent duplicates. */
const alone = (name, work) => (navigator.locks ? navigator.locks.request(name, work) : work());

/** Answers that are stored in the browser until the service has them, shared by all tabs of a person and task. */
export class Outbox extends EventTarget {
  constructor(task, person, name = "outbox", storage = localStorage) {
    super();
    this.path = `/api/tasks/${encodeURIComponent(task)}`;
    this.prefix = `askance:${name}:${person}:${task}:`;
    this.storage = storage;
    this.pause = 0;
    this.timer = null;
    this.busy = false;
    this.again = false;
    addEventListener("storage", (event) => this.#heard(event));
    addEventListener("online", () => this.hurry());
    addEventListener("pageshow", () => this.hurry());
  }

  /** Store an answer and start to send it; throws if the browser cannot store it. */
  add(kind, body) {
    const name = this.#nextName();
    const entry = { kind, body: { ...body, key: name } };
    this.storage.setItem(this.prefix + name, JSON.stringify(entry));
    this.#changed();
    this.hurry(this.pause > 0);
    return name;
  }

  /** The stored answers, oldest first. */
  entries() {
    return this.#names().map((name) => ({ name, ...JSON.parse(this.storage.getItem(this.prefix + name)) }));
  }

  /** The number of stored answers. */
  get count() {
    return this.#names().length;
  }

  /** Remove the stored answers to an item, which are not sent yet; returns them. */
  withdraw(item) {
    const gone = this.entries().filter(({ kind, body }) => isAnswer(kind) && body.item === item);
    for (const { name } of gone) this.storage.removeItem(this.prefix + name);
    if (gone.length) this.#changed();
    return gone;
  }

  /** Send now, or (if `later`) when the pause after the last failure is over. */
  hurry(later = false) {
    if (later && this.timer) return;
    clearTimeout(this.timer);
    this.timer = null;
    this.#drain();
  }

  async #drain() {
    if (this.busy) {
      this.again = true;
      return;
    }
    this.busy = true;
    try {
      do {
        this.again = false;
        await alone(this.prefix, () => this.#sendAll());
      } while (this.again);
    } finally {
      this.busy = false;
    }
  }

  async #sendAll() {
    for (let name = this.#names()[0]; name !== undefined; name = this.#names()[0]) {
      const entry = JSON.parse(this.storage.getItem(this.prefix + name));
      try {
        const answer = await post(`${this.path}/${PATHS[entry.kind]}`, wire(entry));
        this.#done(name, "accepted", { ...entry, answer });
      } catch (error) {
        if (!this.#mayDrop(error)) return;
        this.#done(name, "refused", { ...entry, error });
      }
    }
  }

  /** Whether the refusal is final; otherwise the answer is sent again later, or after signing in. */
  #mayDrop(error) {
    const status = error.status ?? 0;
    if (status === 401 || status === 403) {
      this.#emit("signed-out", {});
      return false;
    }
    if (status >= 400 && status < 500 && status !== 408 && status !== 429) return true;
    this.pause = Math.min(LONGEST_PAUSE, this.pause * 2 || FIRST_PAUSE);
    this.timer ??= setTimeout(() => this.hurry(), Math.max(this.pause, 1000 * (error.retryAfter ?? 0)));
    this.#emit("offline", {});
    return false;
  }

  #done(name, what, detail) {
    this.storage.removeItem(this.prefix + name);
    this.pause = 0;
    this.#emit(what, detail);
    this.#changed();
  }

  #heard(event) {
    if (!event.key?.startsWith(this.prefix)) return;
    if (event.newValue) this.#emit("elsewhere", JSON.parse(event.newValue));
    this.#changed();
  }

  #changed() {
    this.#emit("changed", {});
  }

  #emit(what, detail) {
    this.dispatchEvent(new CustomEvent(what, { detail }));
  }

  #names() {
    const names = [];
    for (let place = 0; place < this.storage.length; place += 1) {
      const key = this.storage.key(place);
      if (key.startsWith(this.prefix)) names.push(key.slice(this.prefix.length));
    }
    return names.sort();
  }

  /** A new unique name that sorts after all stored ones, whatever the clock does. */
  #nextName() {
    const last = Number(this.#names().at(-1)?.slice(0, 15) ?? 0);
    const time = Math.max(Date.now(), last + 1, (this.lastTime ?? 0) + 1);
    this.lastTime = time;
    const chance = crypto.getRandomValues(new Uint32Array(3));
    return `${String(time).padStart(15, "0")}-${Array.from(chance, (part) => part.toString(36)).join("")}`;
  }
}

/** Whether what was sent answers a question. */
export function isAnswer(kind) {
  return ANSWERS.includes(kind);
}

function wire(entry) {
  return entry.kind === "label" ? { labels: [entry.body] } : entry.body;
}
