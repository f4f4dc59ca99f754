import { at, el } from "./dom.js";

let loading = null;

/** Vega's embedder. It empties the place of a chart by setting its markup to nothing, and may set no other. */
function embedder() {
  loading ??= (async () => {
    globalThis.trustedTypes?.createPolicy("default", { createHTML: (text) => (text === "" ? "" : null) });
    await import("./vega.js");
    return globalThis.vegaEmbed;
  })();
  return loading;
}

/** Draw a Vega-Lite chart in the place with this id, in the colours of the page; `words` say what it shows. */
export async function draw(id, spec, words) {
  const embed = await embedder();
  const place = at(id);
  place.view?.finalize();
  const whole = { $schema: "https://vega.github.io/schema/vega-lite/v6.json", width: "container", height: 220, background: null, autosize: { type: "fit", contains: "padding" }, ...spec, config: config() };
  place.view = await embed(place, whole, { mode: "vega-lite", ast: true, actions: false, renderer: "canvas", defaultStyle: false, tooltip: tip });
  place.setAttribute("role", "img");
  place.setAttribute("aria-label", words);
}

function config() {
  const resolved = (name) => {
    const probe = el("span", { class: "unseen" });
    probe.style.setProperty("color", `var(${name})`);
    document.body.append(probe);
    const colour = getComputedStyle(probe).color;
    probe.remove();
    return colour;
  };
  const [ink, soft, line, accent, warn] = ["--ink", "--soft", "--line", "--accent", "--warn"].map(resolved);
  const font = getComputedStyle(document.body).fontFamily;
  return {
    font,
    view: { stroke: null },
    axis: { labelColor: soft, titleColor: soft, gridColor: line, domainColor: line, tickColor: line, labelFontSize: 11, titleFontSize: 11, titleFontWeight: "normal" },
    legend: { labelColor: ink, titleColor: soft, orient: "top", title: null },
    range: { category: [accent, warn, soft] },
    line: { strokeWidth: 2 },
    area: { opacity: 0.18 },
    rule: { color: soft, strokeDash: [4, 4] },
    mark: { color: accent },
    padding: 4,
  };
}

/** A tooltip of text alone. */
function tip(handler, event, item, value) {
  document.getElementById("tip")?.remove();
  if (!value) return;
  const lines = Object.entries(value).map(([name, said]) => el("div", {}, el("span", { class: "soft" }, `${name} `), String(said)));
  const box = el("div", { id: "tip", class: "tip" }, lines);
  document.body.append(box);
  box.style.setProperty("left", `${Math.min(event.clientX + 12, innerWidth - box.offsetWidth - 8)}px`);
  box.style.setProperty("top", `${Math.min(event.clientY + 12, innerHeight - box.offsetHeight - 8)}px`);
}

/** The numbers behind a chart, for those who would rather read or hear them. */
export function tableOf(id, names, rows) {
  const place = at(id);
  const wasOpen = place.querySelector("details")?.open;
  const head = el("tr", {}, names.map((name) => el("th", { scope: "col", class: "number" }, name)));
  const body = rows.map((row) => el("tr", {}, row.map((value) => el("td", { class: "number" }, String(value)))));
  const sheet = el("div", { class: "sheet numbers", tabindex: "0", role: "region", "aria-label": "Numbers" }, el("table", {}, el("thead", {}, head), el("tbody", {}, body)));
  const details = el("details", {}, el("summary", {}, "As numbers"), sheet);
  details.open = Boolean(wasOpen);
  place.replaceChildren(details);
}
