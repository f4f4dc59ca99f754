"""`--oracle`: who may be asked for labels, and at which price."""

from decimal import Decimal
from pathlib import Path

from askance.annotators import Oracle
from askance.cli.targets import require_extra
from askance.data.guesses import PREFIX
from askance.errors import ParameterError

EXAMPLES = "human:1.00, or llm=guesses.gpt-4o:0.01"


def parse_oracles(words: list[str]) -> list[Oracle]:
    """`NAME:PRICE` for a person, and `NAME=guesses.GUESS:PRICE` for a machine; raises ValueError for all else."""
    oracles = [_parsed(word) for word in words]
    people = [oracle.name for oracle in oracles if oracle.is_person]
    if len(people) != 1:
        found = "none is" if not people else f"{' and '.join(people)} are"
        raise ValueError(f"--oracle: one oracle must be a person, such as human:1.00, but {found}")
    names = [oracle.name for oracle in oracles]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"--oracle {name}: two oracles have this name: choose another")
    return oracles


def oracles_of_task(path: Path) -> tuple[list[Oracle], Decimal]:
    """The oracles of a task, and their budget, from the file with its settings; raises ValueError without any."""
    require_extra("msgspec")
    from askance.service.given_settings import as_settings
    from askance.service.prices import PEOPLE

    found = as_settings(path).oracles
    if found.limit is None:
        raise ValueError(f"{path}: what may all oracles cost together? Give oracles.budget")
    programs = [Oracle(name, found.price_of(name), name) for name in found.guesses]
    return [*programs, Oracle(PEOPLE, found.price_of_label)], found.limit


def _parsed(word: str) -> Oracle:
    who, colon, price = word.rpartition(":")
    name, equals, guess = who.partition("=")
    if not colon or not name.strip() or (equals and not guess.startswith(PREFIX)) or guess == PREFIX:
        raise ValueError(f"--oracle {word}: give {EXAMPLES}")
    try:
        return Oracle(name.strip(), price.strip(), guess.removeprefix(PREFIX) if equals else None)
    except ParameterError as error:
        raise ValueError(f"--oracle {word}: the price must be {error.allowed}") from None
