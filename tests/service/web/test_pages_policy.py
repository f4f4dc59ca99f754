"""What pages forbid, themselves and others: scripts, foreign addresses, names that are none."""

import base64
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


# ---------------------------------------------------------------------- images of other hosts

HOST = "images.test"
IMAGE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAQAAAACCAIAAADwyuo0AAAAEElEQVR4nGM4UaEBRwzIHACXWgtB+VT+egAAAABJRU5ErkJggg=="
)
OTHER_HOST = """() => new Promise((done) => {
  document.addEventListener("securitypolicyviolation", (event) => done(event.blockedURI));
  const image = document.createElement("img");
  image.src = "https://other.test/x.png";
  document.body.append(image);
})"""
SHIFTS = """() => {
  window.shifted = 0;
  new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => (window.shifted += value)))
    .observe({ type: "layout-shift" });
}"""
SHIFTED = "() => new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(window.shifted))))"


@pytest.fixture(scope="module")
def pictured(world):
    """A task whose items have images, with payloads in their addresses."""
    task = world.task(name="pictured", interface={"image_hosts": [HOST]})
    texts = [text for text in PAYLOADS if text.isascii() and text.isprintable() and " " not in text][::20]
    addresses = [f"https://{HOST}/{text}" for text in texts]
    items = [{"text": "a picture", "id": f"p{place}", "image": one} for place, one in enumerate(addresses)]
    items.append({"text": "a picture", "image_data": base64.b64encode(IMAGE).decode()})
    decided = task.post("items", {"items": items})["decisions"]
    last = f"/api/tasks/pictured/items/{len(items)}/image"
    return dict(zip((one["item"] for one in decided), [*addresses, last], strict=True))


def test_pages_that_show_items_load_images_of_hosts_that_the_task_allows(browser, world, pictured):
    with browser.new_context() as context:
        watched = Watched(context, world)
        page = watched.page
        context.route(f"https://{HOST}/**", lambda route: route.fulfill(body=IMAGE, content_type="image/png"))
        own = max(pictured)  # which came along with its item
        pages = (("label", 1), ("review", 2), ("items/3", 3), ("items/3/similar", 3), (f"items/{own}", own))
        for path, item in pages:
            if path == "review":
                world.post("/api/tasks/pictured/flags", {"item": item})
            answer = page.goto(f"{world.address}/tasks/pictured/{path}")
            policy = answer.headers["content-security-policy"]
            assert policy == POLICY.replace("img-src 'self'", f"img-src 'self' https://{HOST}")
            image = page.locator("#content img")
            image.wait_for()
            page.wait_for_function("() => document.querySelector('#content img').naturalWidth > 0")
            assert image.get_attribute("src") == pictured[item]
            assert image.get_attribute("alt") == f"Image of item {item}"
            box = page.locator("#content .image").bounding_box()
            assert box["height"] > 100, "the box has a size of its own"
            assert image.bounding_box() == box, "so that all of the image is in it"
            assert page.evaluate("() => window.pwned") is None
        assert [fault for fault in watched.faults if not fault.startswith(f"a request: https://{HOST}/")] == []
        assert page.evaluate(OTHER_HOST) == "https://other.test/x.png"
        for path in (
            "/tasks/pictured",
            "/tasks/pictured/items",
            "/tasks/pictured/settings",
            f"/tasks/{TASK}/label",
        ):
            answer = page.request.get(world.address + path, headers={"accept": "text/html"})
            assert answer.headers["content-security-policy"] == POLICY, path


@pytest.mark.slow
def test_nothing_moves_when_an_image_comes_and_a_lost_one_is_told(browser, world, pictured):
    with browser.new_context() as context:
        page = Watched(context, world).page
        held = []
        context.route(f"https://{HOST}/**", lambda route: held.append(route))
        with page.expect_request(f"https://{HOST}/**"):
            page.goto(f"{world.address}/tasks/pictured/items/4")
        page.locator("#similar li").first.wait_for()
        box = page.locator("#content .image").bounding_box()
        page.evaluate(SHIFTS)
        held[0].fulfill(body=IMAGE, content_type="image/png")
        page.wait_for_function("() => document.querySelector('#content img').naturalWidth > 0")
        assert (page.locator("#content .image").bounding_box(), page.evaluate(SHIFTED)) == (box, 0)
        with page.expect_request(f"https://{HOST}/**"):
            page.goto(f"{world.address}/tasks/pictured/items/5")
        page.locator("#similar li").first.wait_for()
        held[1].abort()
        page.get_by_text("The image cannot be loaded.").wait_for()
        assert page.locator("#content .image").bounding_box() == box


def test_the_form_keeps_the_hosts(browser, world, pictured):
    with browser.new_context() as context:
        page = Watched(context, world).page
        page.goto(f"{world.address}/tasks/pictured/settings")
        hosts = page.get_by_label("Hosts of images")
        assert hosts.input_value() == HOST
        hosts.fill(f"{HOST}\nmore.test")
        with page.expect_response("**/api/tasks/pictured"):
            page.get_by_role("button", name="Save changes").click()
        page.goto(f"{world.address}/tasks/pictured/settings")
        assert hosts.input_value() == f"{HOST}\nmore.test"
        hosts.fill(HOST)
        with page.expect_response("**/api/tasks/pictured"):
            page.get_by_role("button", name="Save changes").click()
