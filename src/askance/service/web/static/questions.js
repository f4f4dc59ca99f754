import { Refused, post } from "./api.js";

const AT_ONCE = 5;
const LOW = 2;
const REMEMBERED = 20;
const MOST_KEPT = 1_000_000; // characters
const MARGIN = 2000; // a lease is taken for over a little before it is

/** The questions that this tab has on lease, and the last ones answered. A refresh goes on with the same ones. */
export class Questions {
  constructor(task, person, leaseSeconds, outbox) {
    this.path = `/api/tasks/${encodeURIComponent(task)}/leases`;
    this.places = `askance:desk:${person}:${task}:`;
    this.place = this.places + tabName();
    this.leaseFor = 1000 * leaseSeconds;
    this.outbox = outbox;
    this.waiting = null;
    this.filling = null;
    const kept = JSON.parse(localStorage.getItem(this.place) ?? "{}");
    this.queue = [];
    this.past = kept.past ?? [];
    this.times = kept.times ?? [];
    this.wish = kept.wish ?? null; // the name of a request whose answer has not come: asked again, it gives the same
    this.#enqueue(kept.queue ?? []);
    navigator.locks?.request(this.place, () => new Promise(() => {})); // held for as long as this tab lives
  }

  /** Take over the questions of tabs that are closed: they are on lease to this labeller still. */
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

  /** The question to be shown. */
  get current() {
    return this.queue[0];
  }

  /** Whether the lease of a question still holds, by the clock of this browser. */
  holds(question) {
    return question.ends - Math.min(MARGIN, this.leaseFor / 4) > Date.now();
  }

  /** The current question has been answered: the next one takes its place. */
  answered(kind, label) {
    const question = this.queue.shift();
    this.past = [...this.past, { kind, label, question }].slice(-REMEMBERED);
    if (kind === "label") this.times.push(Date.now());
    this.#keep();
    return question;
  }

  /** The last answer, whose question is now the current one again. */
  takeBack() {
    const last = this.past.pop();
    if (!last) return null;
    if (last.kind === "label") this.times.pop();
    // An undone label leaves its question with the labeller; a skipped one has to be leased anew.
    const ends = last.kind === "label" ? Date.now() + this.leaseFor : 0;
    this.queue.unshift({ ...last.question, ends });
    this.#keep();
    return last;
  }

  /** Forget a question that is settled elsewhere; whether it was the current one. */
  drop(item) {
    const wasCurrent = this.current?.item === item;
    this.queue = this.queue.filter((question) => question.item !== item);
    this.#keep();
    return wasCurrent;
  }

  /** An answer that the service did not take is none, and cannot be undone. */
  disown(item, kind) {
    this.past = this.past.filter((one) => one.question.item !== item);
    if (kind === "label") this.times.pop();
    this.#keep();
  }

  /** Have the first question on lease, if it can be had. The sentences say why one could not. */
  async prepare() {
    const complaints = [];
    while (this.current && !this.holds(this.current)) {
      const { item } = this.current;
      try {
        const { questions } = await this.#lease({ items: [item] });
        this.queue = [...questions, ...this.queue.filter((one) => one.item !== item && this.holds(one))];
        this.#keep();
      } catch (fault) {
        if (!(fault instanceof Refused) || ![404, 409, 422].includes(fault.status)) return complaints; // shown all the same
        complaints.push(fault.message);
        this.drop(item);
      }
    }
    return complaints;
  }

  /** Lease more if few are left; one request at a time. */
  refill() {
    if (this.queue.length > LOW) return Promise.resolve();
    this.filling ??= this.#fill().finally(() => (this.filling = null));
    return this.filling;
  }

  async #fill() {
    this.wish ??= freshName();
    this.#keep();
    const { questions } = await this.#lease({ count: AT_ONCE, key: this.wish });
    this.wish = null;
    this.#enqueue(questions);
    this.#keep();
  }

  /** Put questions at the end, but for those that are there or whose answers are on their way. */
  #enqueue(questions) {
    const known = new Set([...this.queue.map((question) => question.item), ...this.#answered()]);
    this.queue.push(...questions.filter((question) => !known.has(question.item)));
  }

  async #lease(wish) {
    const ends = Date.now() + this.leaseFor;
    const { questions, waiting } = await post(this.path, { ...wish, why: true });
    this.waiting = waiting;
    return { questions: questions.map((question) => ({ ...question, ends })) };
  }

  /** Items whose answers are still on their way, but for those taken back. */
  #answered() {
    const items = new Set();
    for (const { kind, body } of this.outbox.entries()) {
      if (kind === "undo") items.delete(body.item);
      else items.add(body.item);
    }
    return items;
  }

  #keep() {
    const { queue, past, times, wish } = this;
    const kept = JSON.stringify({ queue, past, times, wish });
    try {
      // Answers need the room more than questions do: without this, other questions come after a refresh.
      if (kept.length > MOST_KEPT) throw new RangeError("too long to be kept");
      localStorage.setItem(this.place, kept);
    } catch {
      localStorage.removeItem(this.place);
    }
  }
}

/** The name of this tab, which a refresh leaves as it is. */
function tabName() {
  const name = sessionStorage.getItem("askance:tab") ?? freshName();
  sessionStorage.setItem("askance:tab", name);
  return name;
}

/** A name that nobody had before. */
function freshName() {
  return crypto.getRandomValues(new Uint32Array(4)).join("-");
}
