import { at, el } from "./dom.js";
import { t } from "./language.js";
import { linear, logarithmic, timed } from "./scales.js";

const SVG = "http://www.w3.org/2000/svg";
const HEIGHT = 220; // as .chart has in task.css, so that nothing jumps
const LEGEND = 24;
const ROOM = { top: 22, right: 14, bottom: 40 };
const LETTER = 7; // the width of a digit in an axis label
const FEW = 20; // points that get a dot each

const charts = new WeakMap(); // what is drawn in a place, and where the pointer is in it

const resized = new ResizeObserver((entries) => entries.forEach(({ target }) => render(target)));

/**
 * Draw lines over common points in the place with this id. Colours are classes, so the theme needs no new drawing.
 *
 * `points` have an x and come in its order. `lines` are { name, kind, of }: `kind` is the class that colours it, `of`
 * gets the value of a point. `band` is [low, high] of a point. `y` may have a title, `high` as its fixed upper end, and
 * be `logarithmic`; `x` may be `timed`. `tip` gives the rows of the tooltip of a point. `words` say what the chart shows.
 */
export function draw(id, chart, words) {
  const place = at(id);
  const before = charts.get(place);
  charts.set(place, { ...chart, words, pointer: before?.pointer });
  place.setAttribute("aria-label", words);
  if (!before) {
    place.setAttribute("role", "img");
    for (const kind of ["pointermove", "pointerdown"]) place.addEventListener(kind, (event) => follow(place, event));
    place.addEventListener("pointerleave", () => follow(place, null));
    resized.observe(place);
  }
  render(place);
}

function render(place) {
  const chart = charts.get(place);
  if (!chart.points.length) {
    place.replaceChildren(el("p", { class: "nothing" }, chart.words));
    return;
  }
  const hasLegend = chart.lines.length > 1;
  const box = { width: place.clientWidth, height: HEIGHT - (hasLegend ? LEGEND : 0) };
  chart.axes = axesOf(chart, box);
  chart.marks = shape("g", {});
  chart.plot = shape("svg", { class: "plot", ...box, viewBox: `0 0 ${box.width} ${box.height}` }, [
    ...gridOf(chart, box),
    ...(chart.band ? [shape("path", { class: "band", d: outline(chart) })] : []),
    ...chart.lines.flatMap((line) => curve(chart, line)),
    chart.marks,
  ]);
  place.replaceChildren(...(hasLegend ? [legend(chart.lines)] : []), chart.plot);
  if (chart.pointer) follow(place, chart.pointer); // the numbers under the pointer stay when new ones come
}

/** The scales of both axes: the labels of y are as wide as they need, and x gets the rest. */
function axesOf({ points, lines, band, x, y }, { width, height }) {
  const values = points.flatMap((point) => [...lines.map((line) => line.of(point)), ...(band?.(point) ?? [])]).filter(Number.isFinite);
  const highest = y.high ?? Math.max(0, ...values);
  const vertical = [height - ROOM.bottom, ROOM.top];
  const up = y.logarithmic ? logarithmic(highest, vertical) : linear([0, highest], vertical, 5);
  const left = 12 + LETTER * Math.max(...up.ticks.map((tick) => up.label(tick).length));
  const horizontal = [left, width - ROOM.right];
  const last = points.at(-1).x;
  const count = Math.max(1, Math.floor((width - left) / 90));
  return { left, up, across: x.timed ? timed([points[0].x, last], horizontal, count) : linear([0, last], horizontal, count) };
}

function gridOf({ x, y, axes: { left, up, across } }, { width, height }) {
  const bottom = height - ROOM.bottom;
  return [
    ...up.ticks.flatMap((tick) => [
      shape("line", { class: "grid", x1: left, x2: width - ROOM.right, y1: up.place(tick), y2: up.place(tick) }),
      shape("text", { x: left - 6, y: up.place(tick) + 4, "text-anchor": "end" }, [up.label(tick)]),
    ]),
    ...across.ticks.map((tick) => {
      const label = across.label(tick);
      const inside = width - (LETTER * label.length) / 2; // the last label must not be cut off
      return shape("text", { x: Math.min(across.place(tick), inside), y: bottom + 18, "text-anchor": "middle" }, [label]);
    }),
    ...(x.title ? [shape("text", { x: (left + width - ROOM.right) / 2, y: height - 4, "text-anchor": "middle" }, [x.title])] : []),
    ...(y.title ? [shape("text", { x: 0, y: 10 }, [y.title])] : []),
  ];
}

function curve({ points, axes: { across, up } }, { kind, of }) {
  const places = points.filter((point) => Number.isFinite(of(point))).map((point) => [across.place(point.x), up.place(of(point))]);
  const dots = places.length > FEW ? [] : places.map(([cx, cy]) => shape("circle", { class: `dot ${kind}`, cx, cy, r: 2.5 }));
  return [shape("path", { class: `line ${kind}`, d: path(places) }), ...dots];
}

/** There and back again: along the upper end of the band and along the lower one. */
function outline({ points, band, axes: { across, up } }) {
  const bound = points.filter((point) => band(point).every(Number.isFinite));
  const end = (which) => bound.map((point) => [across.place(point.x), up.place(band(point)[which])]);
  return bound.length ? `${path([...end(1), ...end(0).reverse()])}Z` : "";
}

function path(places) {
  return places.map(([x, y], index) => `${index ? "L" : "M"}${x.toFixed(1)},${y.toFixed(1)}`).join("");
}

function legend(lines) {
  return el("div", { class: "legend" }, lines.map(({ name, kind }) => {
    const sample = shape("svg", { class: "plot", width: 24, height: 8 }, [shape("path", { class: `line ${kind}`, d: "M0,4L24,4" })]);
    return el("span", {}, sample, name);
  }));
}

/** Show the numbers of the point nearest to the pointer, or none if it has left. */
function follow(place, pointer) {
  const chart = charts.get(place);
  chart.pointer = pointer && { clientX: pointer.clientX, clientY: pointer.clientY };
  hideTip();
  if (!chart.points.length) return;
  chart.marks.replaceChildren();
  if (!pointer) return;
  const { across, up } = chart.axes;
  const { left, height } = chart.plot.getBoundingClientRect();
  const distance = (one) => Math.abs(across.place(one.x) - (pointer.clientX - left));
  const nearest = chart.points.reduce((best, one) => (distance(one) < distance(best) ? one : best));
  const x = across.place(nearest.x);
  chart.marks.append(
    shape("line", { class: "cursor", x1: x, x2: x, y1: ROOM.top, y2: height - ROOM.bottom }),
    ...chart.lines.filter(({ of }) => Number.isFinite(of(nearest))).map(({ kind, of }) =>
      shape("circle", { class: `dot ${kind}`, cx: x, cy: up.place(of(nearest)), r: 4 })),
  );
  showTip(chart.pointer, chart.tip(nearest));
}

function showTip({ clientX, clientY }, rows) {
  hideTip();
  const box = el("div", { id: "tip", class: "tip" }, rows.map(([name, value]) => el("div", {}, el("span", { class: "soft" }, `${name} `), value)));
  document.body.append(box);
  box.style.setProperty("left", `${Math.min(clientX + 12, innerWidth - box.offsetWidth - 8)}px`);
  box.style.setProperty("top", `${Math.min(clientY + 12, innerHeight - box.offsetHeight - 8)}px`);
}

function hideTip() {
  document.getElementById("tip")?.remove();
}

function shape(name, properties, children = []) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(properties)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** The numbers behind a chart, for those who would rather read or hear them. */
export function tableOf(id, names, rows) {
  const place = at(id);
  const wasOpen = place.querySelector("details")?.open;
  const head = el("tr", {}, names.map((name) => el("th", { scope: "col", class: "number" }, name)));
  const body = rows.map((row) => el("tr", {}, row.map((value) => el("td", { class: "number" }, String(value)))));
  const sheet = el("div", { class: "sheet numbers", tabindex: "0", role: "region", "aria-label": t("Numbers") }, el("table", {}, el("thead", {}, head), el("tbody", {}, body)));
  const details = el("details", {}, el("summary", {}, t("As numbers")), sheet);
  details.open = Boolean(wasOpen);
  place.replaceChildren(details);
}
