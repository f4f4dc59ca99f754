import { root } from "./api.js";
import { at, el } from "./dom.js";
import { t } from "./language.js";

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
    const { count } = this.outbox;
    const waits = { one: "The service cannot be reached. {count} answer is saved in this browser and will be sent when it is back.", other: "The service cannot be reached. {count} answers are saved in this browser and will be sent when it is back." };
    const more = this.hasQuestion() ? t("You can continue with the questions that are already here.") : "";
    this.#show([t(waits, { count }), more].filter(Boolean).join(" "));
  }

  #signedOut() {
    const back = `${root}/sign-in?next=${encodeURIComponent(location.pathname)}`;
    const { count } = this.outbox;
    const waits = { one: "You are signed out. {count} answer is saved in this browser.", other: "You are signed out. {count} answers are saved in this browser." };
    this.#show(t(waits, { count }), " ", el("a", { href: back }, t("Sign in again")));
  }

  #show(...content) {
    at("banner", content).hidden = content.length === 0;
  }
}
