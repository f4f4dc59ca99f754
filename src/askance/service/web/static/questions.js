import { Refused, freshName, post } from "./api.js";
import { isAnswer } from "./outbox.js";

const AT_ONCE = 5;
const LOW = 2;
const REMEMBERED = 100; // answers that can be undone and changed
const MOST_PAST = 300_000; // characters of their items
const MOST_KEPT = 1_000_000; // characters
const MOST_TIMES = 500;
const MARGIN = 2000; // a lease counts as expired a little before it is

/** The questions that this tab has leased, and the last ones answered. They survive a reload. */
export class Questions {
  constructor(task, person, leaseSeconds, outbox) {
    this.path = `/api/tasks/${encodeURIComponent(task)}/leases`;
    this.places = `askance:questions:${person}:${task}:`;
    this.place = this.places + tabName();
    this.leaseFor = 1000 * leaseSeconds;
    this.outbox = outbox;
    this.waiting = null;
    this.filling = null;
    const kept = JSON.parse(localStorage.getItem(this.place) ?? "{}");
    this.queue = [];
    this.past = kept.past ?? [];
    this.times = kept.times ?? [];
    this.request = kept.request ?? null; // the key of a request without a response yet: repeated, it gives the same questions
    this.meanwhile = new Set(kept.meanwhile ?? []); // items whose answers the service did not have when that request was made
    this.#enqueue(kept.queue ?? []);
    navigator.locks?.request(this.place, () => new Promise(() => {})); // held while this tab is open
  }

  /** Take over the questions of closed tabs, which this labeller still has leased. */
  async adopt() {
    const { held } = (await navigator.locks?.query()) ?? {};
    if (!held) return;
    const alive = new Set([this.place, ...held.map((lock) => lock.name)]);
    for (const place of Object.keys(localStorage)) {
      if (!place.startsWith(this.places) || alive.has(place)) continue;
      const { queue } = JSON.parse(localStorage.getItem(place));
      localStorage.removeItem(place);
      this.#enqueue(queue.filter((question) => this.holds(question)));
    }
    this.#keep();
  }

  /** The question to show. */
  get current() {
    return this.queue[0];
  }

  /** Whether the lease of a question is still valid, by the clock of this browser. */
  holds(question) {
    return question.ends - Math.min(MARGIN, this.leaseFor / 4) > Date.now();
  }

  /** The current question was answered: move on to the next one. */
  answered(kind, label) {
    const question = this.queue.shift();
    this.meanwhile.add(question.item);
    this.#remember({ kind, label, question });
    if (kind === "label") this.times = [...this.times, Date.now()].slice(-MOST_TIMES);
    this.#keep();
    return question;
  }

  /** Undo an answer, by default the last one: its question becomes the current one again. */
  undo(item = this.past.at(-1)?.question.item) {
    const undone = this.past.find(({ question }) => question.item === item);
    if (!undone) return null;
    if (undone.kind === "label") this.times.pop();
    // After an undone label the question is still leased; a skipped one must be leased again.
    this.bring(undone.question, undone.kind === "label" ? Date.now() + this.leaseFor : 0);
    return undone;
  }

  /** Make an item the current question; without an end of its lease, it is leased before it is answered. */
  bring(question, ends = 0) {
    this.past = this.past.filter((one) => one.question.item !== question.item);
    this.queue = [{ ...question, ends }, ...this.queue.filter(({ item }) => item !== question.item)];
    this.#keep();
  }

  /** Keep the flags of an item with it, wherever it is shown again. */
  flag(item, flags) {
    const known = [...this.queue, ...this.past.map(({ question }) => question)];
    for (const question of known) if (question.item === item) question.flags = flags;
    this.#keep();
  }

  /** An answer was replaced by another one. */
  changed({ question }, kind, label) {
    this.past = this.past.filter((one) => one.question.item !== question.item);
    this.#remember({ kind, label, question });
    this.#keep();
  }

  /** Remember an answer. The oldest are forgotten if there are many, or if their items are long. */
  #remember(answer) {
    const past = [...this.past, { ...answer, size: JSON.stringify(answer.question).length }].slice(-REMEMBERED);
    let size = past.reduce((sum, one) => sum + (one.size ?? 0), 0);
    while (past.length > 1 && size > MOST_PAST) size -= past.shift().size;
    this.past = past;
  }

  /** Remove a question that was answered elsewhere; returns whether it was the current one. */
  drop(item) {
    const wasCurrent = this.current?.item === item;
    this.queue = this.queue.filter((question) => question.item !== item);
    this.#keep();
    return wasCurrent;
  }

  /** Forget an answer that the service refused: it cannot be undone. */
  disown(item, kind) {
    this.past = this.past.filter((one) => one.question.item !== item);
    if (kind === "label") this.times.pop();
    this.#keep();
  }

  /** Renew the lease of the first question if necessary. Returns messages about questions that are gone. */
  async prepare() {
    const messages = [];
    while (this.current && !this.holds(this.current)) {
      const { item } = this.current;
      try {
        const { questions } = await this.#lease({ items: [item] });
        this.#renew(questions[0]);
      } catch (error) {
        if (!(error instanceof Refused) || ![404, 409, 422].includes(error.status)) return messages; // show it anyway
        messages.push(error.message);
        this.drop(item);
      }
    }
    return messages;
  }

  /** Put a renewed question in its place, which need not be the first any more, and drop others that have expired. */
  #renew(question) {
    const stays = (one) => one.item === question.item || one.ends === 0 || this.holds(one);
    this.queue = this.queue.filter(stays).map((one) => (one.item === question.item ? question : one));
    this.#keep();
  }

  /** Lease more questions if few are left; one request at a time. */
  refill() {
    if (this.queue.length > LOW) return Promise.resolve();
    this.filling ??= this.#fill().finally(() => (this.filling = null));
    return this.filling;
  }

  async #fill() {
    if (this.request === null) [this.request, this.meanwhile] = [freshName(), this.#answered()];
    this.#keep();
    const { questions } = await this.#lease({ count: AT_ONCE, key: this.request });
    this.request = null;
    this.#enqueue(questions.filter(({ item }) => !this.meanwhile.has(item)));
    this.#keep();
  }

  /** Append questions, except those that are here already or whose answers are being sent. */
  #enqueue(questions) {
    const known = new Set([...this.queue.map((question) => question.item), ...this.#answered()]);
    this.queue.push(...questions.filter((question) => !known.has(question.item)));
  }

  async #lease(wanted) {
    const ends = Date.now() + this.leaseFor;
    const { questions, waiting } = await post(this.path, { ...wanted, why: true });
    this.waiting = waiting;
    return { questions: questions.map((question) => ({ ...question, ends })) };
  }

  /** Items whose answers are being sent, except those undone. */
  #answered() {
    const items = new Set();
    for (const { kind, body } of this.outbox.entries()) {
      if (kind === "undo") items.delete(body.item);
      else if (isAnswer(kind)) items.add(body.item);
    }
    return items;
  }

  #keep() {
    const { queue, past, times, request, meanwhile } = this;
    const kept = JSON.stringify({ queue, past, times, request, meanwhile: request === null ? [] : [...meanwhile] });
    try {
      // Answers need the space more than questions do: without this, a reload shows other questions.
      if (kept.length > MOST_KEPT) throw new RangeError("too long to store");
      localStorage.setItem(this.place, kept);
    } catch {
      localStorage.removeItem(this.place);
    }
  }
}

/** The name of this tab, which survives a reload. */
function tabName() {
  const name = sessionStorage.getItem("askance:tab") ?? freshName();
  sessionStorage.setItem("askance:tab", name);
  return name;
}
