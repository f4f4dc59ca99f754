import { Refused, Unreachable, root } from "./api.js";
import { t } from "./language.js";
import { notify } from "./notices.js";

/** Show an error; someone who is signed out is sent to the sign-in page, and from there back here. */
export function report(error) {
  if (error instanceof Refused && error.status === 401) {
    location.assign(`${root}/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`);
  } else if (error instanceof Refused) {
    notify(sentence(error.message), "bad");
  } else if (error instanceof Unreachable) {
    notify(t("The service cannot be reached. Try again."), "bad");
  } else {
    notify(t("Something went wrong on this page. Reload it, and tell an admin if it happens again."), "bad");
    throw error;
  }
}

/** A message of the service as a sentence. */
export function sentence(message) {
  return message.charAt(0).toUpperCase() + message.slice(1) + (/[.!?]$/.test(message) ? "" : ".");
}

/** Wait for a request and confirm it or show its error; then show the page again. */
export async function done(show, request, words) {
  try {
    await request;
    notify(words, "good");
  } catch (error) {
    report(error);
  }
  await show();
}
