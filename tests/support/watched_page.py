"""A page that is signed in, with an eye on everything that it should not do."""

from payloads import OURS, STRANGE


class Watched:
    """A page of a service, and what it did that it should not."""

    def __init__(self, context, served):
        self.faults = []
        self.served = served
        self.page = context.new_page()
        context.on("page", lambda page: self.faults.append(f"a window: {page.url}"))
        context.on("weberror", lambda fault: self.faults.append(f"an error: {fault.error}"))
        self.page.on("dialog", self.dialog)
        self.page.on("console", lambda line: self.faults.append(line.text) if "Policy" in line.text else None)
        self.page.on("request", self.request)
        self.page.goto(f"{served.address}/sign-in")
        self.page.get_by_label("Your token").fill(served.running.token)
        self.page.keyboard.press("Enter")
        self.page.wait_for_url("**/tasks")

    def dialog(self, dialog):
        self.faults.append(f"a dialog: {dialog.message}")
        dialog.dismiss()

    def request(self, request):
        if not request.url.startswith(self.served.address):
            self.faults.append(f"a request: {request.url}")

    def open(self, path, shown=None):
        """Go there, wait until it shows what it should, and look at all of it."""
        answer = self.page.goto(self.served.address + path)
        if shown:
            self.page.locator(shown).first.wait_for(state="attached")
        self.check()
        return answer

    def check(self):
        assert self.page.evaluate(STRANGE, [OURS]) == []
        assert not self.faults, self.faults

    @property
    def text(self):
        return self.page.locator("body").text_content()
