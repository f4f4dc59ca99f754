"""Requests that are generated from the schema find no fault in the service."""

import json
import re
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from service_lives import TASK, Running
from stores import KINDS

CONFIGURATION = """
headers = {{ Authorization = "Bearer {token}" }}
warnings = false
[checks]
positive_data_acceptance.expected-statuses = ["2xx", "403", "404", "409", "413", "422"]
negative_data_rejection.expected-statuses = ["400", "401", "403", "404", "405", "409", "413", "415", "422", "429"]
"""
# The schema cannot say which classes, items and ids there are, so sound requests may get 404, 409 and 422.
# One never ends, one worked when this test began, and one tells of faults in its lines.
MAKES_TASKS = "create_task"
ROTATE = "/api/tokens/{name}/rotate"
LEFT_OUT = ("watch_task", "make_first_token", "stream_items")


def generated_requests(store, directory, examples, *phases):
    """How many were tried; none may find a server error or a breach of the schema.

    Tasks are made last: until then there is but one.
    """
    running = Running(store, TASK, directory, "--log", "error", guarded=True)
    (directory / "schemathesis.toml").write_text(CONFIGURATION.format(token=running.token))
    schema = running.get("/api/openapi.json")
    service = {
        "base_url": f"http://127.0.0.1:{running.port}",
        "headers": {"authorization": f"Bearer {running.token}"},
    }
    with httpx.Client(**service) as client:
        assert client.post("/api/tokens", json={"name": "spare", "role": "read"}).status_code == 200
    for path, operation in ((path, one) for path, all_ in schema["paths"].items() for one in all_.values()):
        if "{task}" in path:  # there is but one
            next(one for one in operation["parameters"] if one["name"] == "task")["schema"] = {"enum": ["load"]}
        if path == ROTATE:  # of another token than that of these requests
            operation["parameters"][0]["schema"] = {"enum": ["spare"]}
    (directory / "schema.json").write_text(json.dumps(schema))
    options = ["-n", str(examples), "--url", f"http://127.0.0.1:{running.port}", *phases]
    others = [word for name in (*LEFT_OUT, MAKES_TASKS) for word in ("--exclude-operation-id", name)]
    try:
        tried = schemathesis(directory, *options, *others)
        return tried + schemathesis(directory, *options, "--include-operation-id", MAKES_TASKS)
    finally:
        assert running.stop() == 0


def schemathesis(directory, *options):
    """How many requests were generated, all without a fault."""
    command = [
        str(Path(sys.executable).with_name("schemathesis")),
        "run",
        "schema.json",
        "--no-color",
        "--seed",
        "1",
    ]
    done = subprocess.run([*command, *options], capture_output=True, text=True, cwd=directory, check=False)
    assert done.returncode == 0, done.stdout[done.stdout.find("= FAILURES =") :][:20_000]
    return int(re.search(r"(\d+) generated", done.stdout)[1])


@pytest.mark.slow
def test_generated_requests_find_no_fault(tmp_path):
    assert generated_requests(str(tmp_path / "a.db"), tmp_path, 2, "--phases", "fuzzing") > 50


@pytest.mark.soak
@pytest.mark.parametrize("kind", KINDS)
def test_twenty_thousand_generated_requests_find_no_fault(kind, new_store_url, tmp_path):
    assert generated_requests(new_store_url(kind), tmp_path, examples=1300) >= 20_000
