"""`askance worker`: let a language model guess the labels of waiting items."""

from pathlib import Path
from typing import Annotated

from askance.cli import options
from askance.cli.options import flag, option
from askance.cli.targets import require_extra

EXAMPLE = (
    "Example:   ASKANCE_MODEL_HOSTS=api.openai.com askance worker --task tickets --model gpt-4o "
    "--model-url https://api.openai.com/v1 --price 0.002 --budget 5"
)
MODEL, COST = "The language model", "Cost and speed"

ModelName = Annotated[str, option("The name of the model, as its server knows it.", "NAME", MODEL)]
ModelUrl = Annotated[
    str,
    option(
        "The address of an OpenAI-compatible server, up to /v1. A key comes from the environment variable "
        "ASKANCE_MODEL_KEY alone.",
        "URL",
        MODEL,
    ),
]
AllowHost = Annotated[
    list[str] | None,
    option(
        "Items may be sent to this host. Can be repeated, and adds to the environment variable "
        "ASKANCE_MODEL_HOSTS, a list with commas. No host is allowed by default.",
        "HOST",
        MODEL,
    ),
]
Name = Annotated[str | None, option("The name of the guesses. By default, that of the model.", "NAME", MODEL)]
Examples = Annotated[
    int, option("Show the model up to N similar items that people have labelled.", "N", MODEL, min=0, max=20)
]
Constrain = Annotated[
    bool, flag("--constrain", "Send the form of the answer as a JSON schema, if the server understands it.", MODEL)
]
Price = Annotated[str | None, option("The price of an answer.", "MONEY", COST)]
TokenPrice = Annotated[str | None, option("The price of 1,000 tokens, instead of --price.", "MONEY", COST)]
Budget = Annotated[
    str | None, option("Never spend more than this, with all earlier runs of the same --cache.", "MONEY", COST)
]
PerMinute = Annotated[float | None, option("Send at most N requests per minute.", "N", COST, min=0.001)]
Timeout = Annotated[float, option("Wait this long for an answer.", "SECONDS", COST, min=0.1)]
Cache = Annotated[
    Path,
    option("A file with answers and what they have cost; no items, prompts or keys are in it.", "FILE", COST),
]
Once = Annotated[bool, flag("--once", "Stop when no item is left.")]


def worker(
    task: options.Task,
    model: ModelName,
    model_url: ModelUrl,
    allow_host: AllowHost = None,
    name: Name = None,
    examples: Examples = 4,
    constrain: Constrain = False,
    price: Price = None,
    token_price: TokenPrice = None,
    budget: Budget = None,
    per_minute: PerMinute = None,
    timeout: Timeout = 60.0,
    cache: Cache = Path("askance-worker.jsonl"),
    once: Once = False,
    url: options.Url = None,
    token: options.Token = None,
    json: options.Json = False,
) -> None:
    """Let a language model guess the labels of items that wait, until Ctrl-C.

    The guesses are features of the task's model, and never labels. The items are
    sent to the server of the language model, which must be allowed.
    """
    require_extra("msgspec", "httpx")
    from askance.cli.commands.worker.work import WorkerRequest, guess_items

    request = WorkerRequest(
        task, model, model_url, allow_host or [], name or model, examples, constrain, price, token_price, budget,
        per_minute, timeout, cache, once, url, token,
    )  # fmt: skip
    guess_items(request, as_json=json)
