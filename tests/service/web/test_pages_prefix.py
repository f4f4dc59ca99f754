"""Pages below a path of another site: all that they load and open is below it, too."""

from urllib.parse import urlsplit

import pytest

from askance.service import start
from askance.service.api.guard import ServerOptions
from askance.service.client import Client
from service_world import SPAM

AT = "/labels/askance"


@pytest.mark.slow
def test_a_browser_stays_below_the_prefix(tmp_path, browser):
    with start(tmp_path / "a.db", [SPAM], options=ServerOptions(path_prefix=AT)) as service:
        with Client(service.url + AT, task="spam") as client:
            token = client.first_token(service.admin_code()).token
        with Client(service.url + AT, token=token, task="spam") as client:
            client.decide("win cash")
        with browser.new_context() as context:
            page = context.new_page()
            asked, faults = [], []
            page.on("request", lambda request: asked.append(urlsplit(request.url).path))
            page.on("pageerror", lambda fault: faults.append(str(fault)))
            page.goto(f"{service.url}{AT}/tasks")
            page.get_by_label("Token").fill(token)
            page.get_by_role("button", name="Sign in").click()
            page.get_by_role("link", name="spam").first.click()
            page.wait_for_selector("#state:not(:empty)")
            for tab in ("Items", "Model", "Label"):
                page.get_by_role("link", name=tab, exact=True).click()
                page.wait_for_load_state("networkidle" if tab != "Label" else "load")
            page.wait_for_selector("#item[data-item][aria-busy=false]")
            page.get_by_role("button", name="spam").click()
            page.wait_for_selector("#end:not([hidden])")
            page.goto(f"{service.url}{AT}/audit")
            page.wait_for_load_state("networkidle")
            assert faults == []
            assert len(asked) > 20
            assert [path for path in asked if not path.startswith(f"{AT}/")] == []
