import { root } from "./api.js";
import { at, el } from "./dom.js";

const number = new Intl.NumberFormat();

/** The line that says that answers wait in this browser, because the service is away or the labeller is signed out. */
export class Banner {
  constructor(outbox, hasQuestion) {
    this.outbox = outbox;
    this.hasQuestion = hasQuestion;
    this.offline = false;
    outbox.addEventListener("offline", () => {
      this.offline = true;
      this.refresh();
    });
    outbox.addEventListener("changed", () => this.refresh());
    outbox.addEventListener("signed-out", () => this.#signedOut());
    outbox.addEventListener("accepted", () => {
      this.offline = false;
      this.#show();
    });
  }

  /** Say how many answers wait while the service is away. */
  refresh() {
    if (!this.offline) return;
    const more = this.hasQuestion() ? " You can continue with the questions that are already here." : "";
    this.#show(`The service cannot be reached. ${this.#saved()} and will be sent when it is back.${more}`);
  }

  #signedOut() {
    const back = `${root}/sign-in?next=${encodeURIComponent(location.pathname)}`;
    this.#show(`You are signed out. ${this.#saved()}. `, el("a", { href: back }, "Sign in again"));
  }

  #saved() {
    const { count } = this.outbox;
    return count === 1 ? "1 answer is saved in this browser" : `${number.format(count)} answers are saved in this browser`;
  }

  #show(...content) {
    at("banner", content).hidden = content.length === 0;
  }
}
