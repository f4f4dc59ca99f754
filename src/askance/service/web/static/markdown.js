import { el } from "./dom.js";

const LINKS = ["http:", "https:", "mailto:"];
const DEEPEST = 8; // emphasis within emphasis
// What may stand within a line. The first alternative that matches at the earliest place counts.
const INLINE = /`([^`]+)`|\*\*([^\s*](?:[^*]*[^\s*])?)\*\*|\*([^\s*](?:[^*]*[^\s*])?)\*|\b_([^\s_](?:[^_]*[^\s_])?)_\b|\[([^\][]+)\]\(([^()\s]+)\)/;
const HEADING = /^(#{1,6})\s+(.*?)\s*#*$/;
const BULLET = /^\s{0,3}[-*+]\s+(.*)$/;
const NUMBERED = /^\s{0,3}\d{1,9}[.)]\s+(.*)$/;
const FENCE = /^\s{0,3}```/;

/** A small part of Markdown as elements: headings, paragraphs, lists, code, emphasis and links. The rest stays text. */
export function markdown(source) {
  const lines = source.replaceAll("\r\n", "\n").split("\n");
  const blocks = [];
  for (let place = 0; place < lines.length; ) {
    const [block, next] = blockAt(lines, place);
    if (block) blocks.push(block);
    place = next;
  }
  return blocks;
}

/** The block that starts at a line, null for an empty line, and the line after it. */
function blockAt(lines, place) {
  const line = lines[place];
  if (!line.trim()) return [null, place + 1];
  if (FENCE.test(line)) return codeAt(lines, place + 1);
  const heading = HEADING.exec(line);
  // The page has headings of its own: those of the text start below them.
  if (heading) return [el(heading[1].length < 2 ? "h3" : "h4", {}, inline(heading[2])), place + 1];
  if (BULLET.test(line)) return listAt(lines, place, "ul", BULLET);
  if (NUMBERED.test(line)) return listAt(lines, place, "ol", NUMBERED);
  const end = endOf(lines, place, (next) => next.trim() && ![FENCE, HEADING, BULLET, NUMBERED].some((other) => other.test(next)));
  return [el("p", {}, inline(lines.slice(place, end).join("\n"))), end];
}

function codeAt(lines, place) {
  let end = place;
  while (end < lines.length && !FENCE.test(lines[end])) end += 1;
  return [el("pre", {}, el("code", {}, lines.slice(place, end).join("\n"))), end + 1];
}

function listAt(lines, place, name, marker) {
  const items = [];
  let end = place;
  for (; end < lines.length; end += 1) {
    const found = marker.exec(lines[end]);
    if (found) items.push(found[1]);
    else if (/^\s+\S/.test(lines[end])) items[items.length - 1] += `\n${lines[end].trim()}`;
    else break;
  }
  return [el(name, {}, items.map((item) => el("li", {}, inline(item)))), end];
}

/** The first line after `place` that does not belong to the block. */
function endOf(lines, place, belongs) {
  let end = place + 1;
  while (end < lines.length && belongs(lines[end])) end += 1;
  return end;
}

/** A line of text in pieces: text, code, emphasis and links. */
function inline(text, depth = 0) {
  const pieces = [];
  let rest = text;
  for (let found = INLINE.exec(rest); found && depth < DEEPEST; found = INLINE.exec(rest)) {
    pieces.push(rest.slice(0, found.index), pieceOf(found, depth));
    rest = rest.slice(found.index + found[0].length);
  }
  return [...pieces, rest].filter((piece) => piece !== "");
}

function pieceOf([whole, code, strong, starred, underlined, words, address], depth) {
  if (code) return el("code", {}, code);
  if (strong) return el("strong", {}, inline(strong, depth + 1));
  if (words) return linkOf(words, address, depth) ?? whole;
  return el("em", {}, inline(starred ?? underlined, depth + 1));
}

/** A link that opens in another tab, or null if it does not lead to a page or an e-mail address. */
function linkOf(words, address, depth) {
  if (!URL.canParse(address) || !LINKS.includes(new URL(address).protocol)) return null;
  return el("a", { href: address, rel: "noopener noreferrer", target: "_blank" }, inline(words, depth + 1));
}
