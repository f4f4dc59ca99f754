import { el } from "./dom.js";
import { t } from "./language.js";

const TONES = 10;
const LEAST = 0.1; // of the strongest: what moves the score less is not marked

/** The style of a class: a colour, and a kind of underline for people who do not see it. */
export function toneOf(name, classes) {
  return `tone-${Math.max(0, classes.indexOf(name)) % TONES}`;
}

/** How strong a feature is beside the strongest one: 3 (strong), 2, 1, or 0 (too weak to mark). */
export function strengthOf(pull, pulls) {
  const share = pull.by / Math.max(...pulls.map(({ by }) => by));
  return share < LEAST ? 0 : Math.ceil(3 * Math.min(1, share));
}

/** A marked part of a text, or the text alone if the feature is weak. */
export function markOf(piece, pull, pulls, classes) {
  const strength = strengthOf(pull, pulls);
  if (!strength) return piece;
  return el("mark", { class: `${toneOf(pull.towards, classes)} strength-${strength}`, title: t("towards {label}", { label: pull.towards }) }, piece);
}
