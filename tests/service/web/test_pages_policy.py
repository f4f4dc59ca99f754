"""What pages forbid, themselves and others: scripts, foreign addresses, names that are none."""

import urllib.error
import urllib.parse

import pytest

from askance.service.web.rendering import POLICY
from askance.service.web.table import PAGES
from browser import Served
from payloads import ELSEWHERE, PAYLOADS
from thinning import rest_slow
from watched_page import Watched

TASK = "policed"


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    served = Served(tmp_path_factory.mktemp("policy"), guarded=True)
    served.task(name=TASK).ask(1)
    yield served
    served.running.kill()


@pytest.fixture(scope="module")
def watched(browser, world):
    with browser.new_context() as context:
        yield Watched(context, world)


@pytest.mark.slow
def test_where_to_go_after_the_door_stays_here(browser, world):
    with browser.new_context() as context:
        for text in (
            *PAYLOADS[::40],
            f"{ELSEWHERE}/x",
            f"https:{ELSEWHERE}",
            f"/\\{ELSEWHERE[2:]}",
            "javascript:pwned=1",
        ):
            form = {"token": world.running.token, "next": text[:2000]}
            answer = context.request.post(f"{world.address}/sign-in", form=form, max_redirects=0)
            place = urllib.parse.urljoin(f"{world.address}/sign-in", answer.headers["location"])
            assert place.startswith(f"{world.address}/"), text
            context.clear_cookies()


def test_names_and_keys_of_other_forms_are_refused(world):
    look_at_refusals(world, 40)


@pytest.mark.soak
def test_all_names_and_keys_of_other_forms_are_refused(world):
    look_at_refusals(world, 1)


def look_at_refusals(world, every):
    settings = {"classes": ["ham", "spam"]}
    for text in PAYLOADS[::every]:
        bodies = {
            "/api/tasks": [
                settings | {"name": text},
                settings | {"name": "fine", "interface": {"keys": {"ham": text}}},
                settings | {"name": "fine", "interface": {"keys": {text: "h"}}},
                settings | {"name": "fine", "algorithm": text[:50]},
            ],
            "/api/tokens": [{"name": text, "role": "read"}, {"name": "fine", "role": text}],
        }
        for path, body in ((path, body) for path, several in bodies.items() for body in several):
            with pytest.raises(urllib.error.HTTPError) as refused:
                world.post(path, body)
            assert refused.value.code == 422, (path, body)
            refused.value.close()


# ---------------------------------------------------------------------- the policy

# Each attempt is done from a timer, because the policy does not bind what a debugger runs.
VIOLATIONS = """async () => {
  const told = [];
  document.addEventListener("securitypolicyviolation", (event) => told.push(event.violatedDirective));
  const attempt = (deed) => new Promise((done) => setTimeout(() => {
    try {
      deed();
    } catch (fault) {
      if (!(fault instanceof TypeError || fault instanceof EvalError)) told.push(String(fault));
    }
    done();
  }));
  const made = (name, change) => attempt(() => {
    const one = document.createElement(name);
    change(one);
    document.body.append(one);
  });
  await made("script", (one) => one.append("window.pwned = 1"));
  await made("script", (one) => { one.src = "//elsewhere.test/x.js"; });
  await made("div", (one) => { one.innerHTML = "<img src=x onerror=pwned=2>"; });
  await made("img", (one) => one.setAttribute("onerror", "pwned=3"));
  await made("img", (one) => { one.src = "//elsewhere.test/x.png"; });
  await made("iframe", (one) => { one.src = "//elsewhere.test/"; });
  await made("style", (one) => one.append("body { display: none }"));
  await attempt(() => eval("window.pwned = 4"));
  await attempt(() => new Function("window.pwned = 5")());
  await attempt(() => { location.href = "javascript:window.pwned=6"; });
  await attempt(() => fetch("//elsewhere.test/").catch(() => {}));
  await new Promise((done) => setTimeout(done, 200));
  return [window.pwned, told];
}"""


@pytest.mark.slow
def test_what_is_smuggled_in_all_the_same_can_do_nothing(browser, world):
    with browser.new_context() as context:
        page = Watched(context, world).page
        ran, told = page.evaluate(VIOLATIONS)
        assert ran is None
        assert page.evaluate("() => getComputedStyle(document.body).display") != "none"
        wanted = {"require-trusted-types-for", "img-src", "frame-src", "connect-src", "style-src-elem"}
        assert wanted <= set(told)
        assert any(directive.startswith("script-src") for directive in told)


SHOWN = [route for route in PAGES if route.method == "GET"][1:]


@pytest.mark.parametrize("route", rest_slow(SHOWN, SHOWN[:1]), ids=lambda one: one.path)
def test_every_page_has_the_policy(watched, route):
    path = route.path.format(task=TASK, item=1)
    for address in (path, f"{path}/nowhere"):
        answer = watched.page.request.get(watched.served.address + address, headers={"accept": "text/html"})
        assert answer.headers["content-security-policy"] == POLICY
        assert answer.headers["x-content-type-options"] == "nosniff"
