import { at, el } from "./dom.js";
import { numberFormat, pieces, t } from "./language.js";
import { distance } from "./times.js";

const share = numberFormat({ style: "percent", maximumFractionDigits: 1 });
const fine = numberFormat({ maximumFractionDigits: 3 });

const STATES = { certified: [t("certified"), "good"], late: [t("on hold"), "warn"] };

/** Which predictions are used without people, since when, or what is missing; nothing if the task does not want it. */
export function showCertificate(certificate) {
  at("certificate").hidden = !certificate;
  if (!certificate) return;
  const [name, look] = STATES[certificate.state] ?? [t("not yet"), ""];
  const isKnown = certificate.state === "certified" || certificate.state === "late";
  at("certificate-state", el("span", { class: `chip ${look}` }, name));
  at("certificate-words", isKnown ? promise(certificate) : missing(certificate));
  at("certificate-details", isKnown ? details(certificate) : basis(certificate));
}

function promise({ state, probability, threshold, error, confidence, share: part, unanswered }) {
  if (state === "late") return t({ one: "{count} check has no answer. Until it has one, no more predictions are used automatically.", other: "{count} checks have no answer. Until most of them have one, no more predictions are used automatically." }, { count: unanswered });
  const holes = { error: share.format(error), confidence: share.format(confidence), share: share.format(part) };
  if (probability === null) return t("Predictions with a score of at least {score}: at most {error} are wrong ({confidence} confidence). They are {share} of the recent items.", { ...holes, score: fine.format(threshold) });
  return t("Predictions with a probability of at least {probability}: at most {error} are wrong ({confidence} confidence). They are {share} of the recent items.", { ...holes, probability: share.format(probability) });
}

function missing({ state, error, missing: count }) {
  const wanted = share.format(error);
  if (state === "learning") return t({ one: "About {count} more question at random must be answered to find out which predictions are confident enough.", other: "About {count} more questions at random must be answered to find out which predictions are confident enough." }, { count });
  if (state === "searching") return t("No predictions are confident enough yet to say that at most {error} of them are wrong. New items are used to look for some.", { error: wanted });
  return t({ one: "About {count} more answered check is needed to say that at most {error} of the confident predictions are wrong.", other: "About {count} more answered checks are needed to say that at most {error} of the confident predictions are wrong." }, { count, error: wanted });
}

function details({ since, members, labels, mistakes }) {
  const checked = t("People checked {labels} of {members} such predictions. Wrong: {mistakes}.", { labels, members, mistakes });
  return since === null ? checked : [...pieces("Last change: {ago}.", { ago: distance(since) }), " ", checked];
}

function basis({ state, labels, mistakes }) {
  if (state !== "checking") return t("Until then, no predictions are used automatically.");
  return t("People checked {labels} confident predictions so far. Wrong: {mistakes}. Until it is certified, no predictions are used automatically.", { labels, mistakes });
}
