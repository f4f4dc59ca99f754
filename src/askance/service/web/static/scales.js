import { locale, numberFormat } from "./language.js";

/** Positions and labels along the axes of a chart. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const TIME_STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440].map((minutes) => minutes * MINUTE);

const plain = numberFormat({ maximumFractionDigits: 6 });
const compact = numberFormat({ notation: "compact", maximumSignificantDigits: 3 });
const clock = new Intl.DateTimeFormat(locale, { timeStyle: "short" });

const identity = (value) => value;

/** A scale from values to pixels; `ticks` are the values to label and `bend` is what is equally spaced. */
function scale([low, high], [start, end], bend, ticks, label) {
  const span = bend(high) - bend(low);
  const place = (value) => start + ((bend(value) - bend(low)) / span) * (end - start);
  return { place, ticks, label };
}

/** Equal steps of 1, 2 or 5 times a power of ten. */
export function linear([low, high], pixels, count) {
  const most = high > low ? high : low + 1;
  const rough = (most - low) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10);
  const first = Math.ceil(low / step);
  const ticks = Array.from({ length: Math.floor(most / step) - first + 1 }, (_, index) => (first + index) * step);
  return scale([low, most], pixels, identity, ticks, labelOf(most));
}

/** Powers of ten of counts, with room for zero: log(1 + value). Where the axis is long, 1 would touch 0. */
export function logarithmic(highest, pixels) {
  const high = Math.max(1, highest);
  const powers = Array.from({ length: Math.floor(Math.log10(high)) + 1 }, (_, power) => 10 ** power);
  return scale([0, high], pixels, Math.log1p, [0, ...(high < 100 ? powers : powers.slice(1))], labelOf(high));
}

/** Whole minutes, hours or days of the reader's clock, from times in milliseconds. */
export function timed([low, high], pixels, count) {
  const most = Math.max(high, low + MINUTE);
  const step = TIME_STEPS.find((one) => one * count >= most - low) ?? 24 * HOUR;
  const offset = new Date(low).getTimezoneOffset() * MINUTE;
  const first = Math.ceil((low - offset) / step) * step + offset;
  const ticks = Array.from({ length: Math.max(0, Math.floor((most - first) / step) + 1) }, (_, index) => first + index * step);
  return scale([low, most], pixels, identity, ticks, (time) => clock.format(time));
}

function labelOf(highest) {
  const format = highest < 10_000 ? plain : compact;
  return (value) => format.format(value);
}
