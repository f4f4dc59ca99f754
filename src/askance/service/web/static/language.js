/** The words of a page in the language of the reader. The English text is the key: an English page loads no catalogue. */
const { lang, dir } = document.documentElement;
const address = document.querySelector('meta[name="catalogue"]')?.content;
const catalogue = address ? await fetch(address).then((answer) => answer.json()).catch(() => ({})) : {};

/** Whether the page is read from right to left. */
export const isRightToLeft = dir === "rtl";

/** Numbers and dates are those of the reader's region, in the digits that fields of forms have. */
export const locale = new Intl.Locale(navigator.languages.find((one) => one.split("-")[0] === lang) ?? lang, { numberingSystem: "latn" }).toString();

const number = numberFormat();
const plural = new Intl.PluralRules(locale);
const list = new Intl.ListFormat(locale, { type: "unit" });

/**
 * A message with its holes filled: t("{count} of {all}", { count, all }). One that depends on a number is an object of
 * plural categories, { one: "{count} item", other: "{count} items" }; `other` is its key, and `count` decides.
 */
export function t(message, holes = {}) {
  return pieces(message, holes).join("");
}

/** The same as texts and elements, for holes that are elements. */
export function pieces(message, holes) {
  const parts = patternOf(message, holes.count).split(/\{(\w+)\}/);
  return parts.map((part, place) => (place % 2 ? filled(holes[part]) : part)).filter((part) => part !== "");
}

/** How to write numbers. What rounds to zero has no sign: "-0" looks like a mistake. */
export function numberFormat(options = {}) {
  return new Intl.NumberFormat(locale, { signDisplay: "negative", ...options });
}

/** Names or phrases as one text, with the commas of the language. */
export function listed(parts) {
  return list.format(parts);
}

function patternOf(message, count) {
  const found = catalogue[message.other ?? message] ?? message;
  const said = typeof found === "string" ? found : (found[plural.select(count)] ?? found.other);
  return said === message ? said.split("|")[0] : said; // after the bar is what the text means, as in "Label|verb"
}

/** A name from left to right would otherwise move the words around it. */
function filled(value) {
  if (typeof value === "number") return number.format(value);
  return isRightToLeft && typeof value === "string" ? `\u2068${value}\u2069` : value;
}
