import { el } from "./dom.js";
import { locale, t } from "./language.js";

const DAY = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });
const EXACT = new Intl.DateTimeFormat(locale, { dateStyle: "full", timeStyle: "long" });
const AGO = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });
const UNITS = [["day", 86_400], ["hour", 3600], ["minute", 60]];

/** A time in seconds since 1970 as a date; the exact time is in its title. */
export function date(seconds) {
  return timeElement(seconds, DAY.format(seconds * 1000));
}

/** How long ago it was, or how soon it will be. */
export function distance(seconds) {
  const away = seconds - Date.now() / 1000;
  const [unit, size] = UNITS.find(([, length]) => Math.abs(away) >= length) ?? ["minute", 60];
  const words = Math.abs(away) < 60 ? t("just now") : AGO.format(Math.round(away / size), unit);
  return timeElement(seconds, words);
}

function timeElement(seconds, words) {
  const moment = new Date(seconds * 1000);
  return el("time", { datetime: moment.toISOString(), title: EXACT.format(moment) }, words);
}
