/** The filter of a list of items. It is in the address, so that a list can be shared and Back works. */
const DEFAULTS = { state: "all", order: "newest" };
const NAMES = ["state", "label", "predicted", "labeller", "min_score", "max_score", "since", "until", "order", "search"];
const DAYS = { since: 0, until: 1 }; // days are in the address; the service gets the beginning of the first, and the end of the last

/** The filter in the address: all names, with an empty text for what is not limited. */
export function filterOf(search = location.search) {
  const given = new URLSearchParams(search);
  return Object.fromEntries(NAMES.map((name) => [name, given.get(name) ?? DEFAULTS[name] ?? ""]));
}

/** A filter as an address: only what limits it or is unusual. */
export function addressOf(filter) {
  const kept = NAMES.filter((name) => filter[name] && filter[name] !== DEFAULTS[name]);
  return kept.length ? `?${new URLSearchParams(kept.map((name) => [name, filter[name]]))}` : "";
}

/** A filter as the service takes it, with more parameters. */
export function queryOf(filter, more = {}) {
  const kept = NAMES.filter((name) => filter[name] && filter[name] !== DEFAULTS[name]);
  const query = kept.map((name) => [name, name in DAYS ? secondsOf(filter[name], DAYS[name]) : filter[name]]);
  return new URLSearchParams([...query, ...Object.entries(more)]).toString();
}

/** A day as seconds since 1970, as clocks here show it; what is no day is left as it is, for the service to refuse. */
function secondsOf(day, later) {
  const [year, month, date] = day.split("-").map(Number);
  const moment = new Date(year, month - 1, date + later).getTime();
  return Number.isNaN(moment) ? day : String(moment / 1000);
}
