import { Refused, Unreachable } from "./api.js";
import { tell } from "./notices.js";

/** Say what was wrong; whoever is no longer signed in goes to the sign-in, and from there back here. */
export function complain(fault) {
  if (fault instanceof Refused && fault.status === 401) {
    location.assign(`/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`);
  } else if (fault instanceof Refused) {
    tell(sentence(fault.message), "bad");
  } else if (fault instanceof Unreachable) {
    tell("The service cannot be reached. Try again.", "bad");
  } else {
    tell("This page has a fault. Reload it, and tell whoever runs this service if it comes again.", "bad");
    throw fault;
  }
}

/** What a refusal says, as a sentence. */
export function sentence(message) {
  return message.charAt(0).toUpperCase() + message.slice(1) + (/[.!?]$/.test(message) ? "" : ".");
}

/** Wait for a request and say that it was done, or why not; then show the page anew. */
export async function done(show, request, words) {
  try {
    await request;
    tell(words, "good");
  } catch (fault) {
    complain(fault);
  }
  await show();
}
