/**
 * The names that match, the best first. Names with the typed text come alone; if there are none, names with all of
 * its words; then names with the letters of each word in this order, as in "mac hw" for comp.sys.mac.hardware.
 */
export function search(names, typed) {
  const wanted = typed.toLowerCase();
  const words = wanted.split(/\s+/);
  const lower = names.map((name) => ({ name, text: name.toLowerCase() }));
  for (const matches of [
    (text) => text.includes(wanted),
    (text) => words.every((word) => text.includes(word)),
    (text) => words.every((word) => hasLetters(text, word)),
  ]) {
    const found = lower.filter(({ text }) => matches(text));
    if (found.length) return found.sort((one, other) => start(other, wanted) - start(one, wanted)).map(({ name }) => name);
  }
  return [];
}

/** Whether a name starts with the text: these come first, and the rest keeps its order. */
function start({ text }, wanted) {
  return Number(text.startsWith(wanted));
}

function hasLetters(text, word) {
  let place = -1;
  return Array.from(word).every((letter) => (place = text.indexOf(letter, place + 1)) >= 0);
}
