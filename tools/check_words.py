"""Find words that we do not use, and say what to write instead: python tools/check_words.py [FILE ...]

Without files it checks the sources, the pages, README, CONTRIBUTING, CHANGELOG, the helpers of the tests and the
web templates. A line that must contain such a word ends with a comment that contains `words: allow`.
"""

import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
ALLOWED = "words: allow"
PLACES = (
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "src/askance/**/*.py",
    "src/askance/**/*.html",
    "src/askance/**/*.js",
    "tests/support/**/*.py",
    "docs/**/*.md",
    "tools/**/*.py",
    "examples/**/*.py",
)
SELF = {"tools/check_words.py"}
# Counted things and units between which "a" would mean "per".
COUNTED = "(?:row|label|model|item|number|byte|line|question|request|score|column|file|weight)s?"
UNIT = (
    "(?:class|day|feature|file|hour|item|key|label|line|member|minute|month|rating|round|row|shard|task|thread|token|"
    "user|week|worker)"
)


class Rule(NamedTuple):
    """A pattern that is not allowed, the plain alternative, and a sample that the pattern must match."""

    pattern: str
    instead: str
    sample: str
    exactly: bool = False  # whether upper and lower case differ


RULES = (
    # English that has to be read twice.
    Rule(r"unless (?:said|told)", "default: X", "8383 unless said"),
    Rule(r"of now", "current", "the model of now"),
    Rule(r"anew", "again, from scratch", "compiled anew"),
    Rule(r"so many", "N, this many", "remembers so many ids"),
    Rule(
        r"(?:is|are|was|were|be|been) told(?! apart)", "predicted, reported, given, labelled", "a rating is told"
    ),
    Rule(r"told apart", "significantly different, separate", "the two are told apart"),
    Rule(r"tells? (?:it|them) as", "estimates it as", "the labels tell it as 0.8"),
    Rule(r"such as (?:are|is)", "like this, those that are", "rows such as are sound"),
    Rule(r"stumbl(?:e|es|ed|ing)", "internal error", "the service stumbled"),
    Rule(r"called so", "has this name", "no task is called so"),
    Rule(r"(?:take|takes|took|taken|taking) (?:it|them|that|one) back", "undo", "you can take it back"),
    Rule(r"mend(?:s|ed|ing)?", "fix, repair", "this mends the file"),
    Rule(r"must be as many", "lengths must match", "they must be as many"),
    Rule(r"as many as there are", "all of them", "as many as there are cores"),
    Rule(r"what c(?:ame|omes) of it", "the result", "what came of it"),
    Rule(r"goes on as (?:it|they)", "continues", "goes on as it would have"),
    Rule(r"whoever", "anyone who, if you", "whoever reads this"),
    Rule(r"besides", "also, in addition", "besides, it is slow"),
    Rule(r"hence", "so, therefore", "hence the name"),
    Rule(r"thus", "so, therefore", "thus it is"),
    Rule(r"be it (?:a|an|by|in|weeks|days)", "even if, whether", "be it weeks later"),
    Rule(r"no more than (?:a|that)", "only, at most", "no more than that"),
    Rule(
        r"(?<!there )(?:is|are|was|were) no (?:JSON|file|model|number|name|class|label|row|rule|key|text|matrix|"
        r"list|table|store|task|token|directory|folder|address|learner|fleet|trace|journal|snapshot|backup|kernel)s?",
        "is not a",
        "the body is no JSON",
    ),
    Rule(
        r'(?:"""|# )Have (?:an?|the|these|this|all|room|more)',
        "Store, Keep, Make (no imperative with Have)",
        "# Have room for more",
    ),
    Rule(r"the kernel is none", "is not a kernel", "the kernel is none"),
    Rule(
        rf"(?:one|two|three|ten|some|few|many|\d[\d,.]*) (?:[a-z]+ )?{COUNTED} an? (?:{UNIT}|second)",
        "per (one model per key)",
        "one small model a key",
    ),
    Rule(rf"an? {COUNTED} an? {UNIT}", "one X per Y", "a row a member"),
    Rule(r"\d+ times an? (?:second|minute|hour|day)", "times per second", "four or 4 times a second"),
    # Words of our own for things that have a name.
    Rule(r"crews?", "thread pool", "the crew of a fleet"),
    Rule(r"seams?", "interop", "the seam to numba"),
    Rule(r"scrambling", "SplitMix, hashing", "scrambling of keys"),
    Rule(r"the trail", "audit log", "a line in the trail"),
    Rule(r"Speaker", "Principal", "class Speaker", exactly=True),
    Rule(r"yards?", "shard", "a yard of models"),
    Rule(r"berths?", "residency", "the berths are full"),
    Rule(r"rosters?", "key index", "look it up in the roster"),
    Rule(r"depots?", "spill file", "models in the depot"),
    Rule(r"deeds?", "action; audit log", "the trail of deeds"),
    Rule(r"leanings?", "biases", "the leanings of users"),
    Rule(r"fault_of_ours|FAULT_OF_OURS", "internal_error", "code fault_of_ours"),
    Rule(r"\w*Wish", "Request", "class LabelWish", exactly=True),
    Rule(r"\w*Told", "say what it is", "class DeedsTold", exactly=True),
    Rule(r"(?:Item)?Story", "Detail", "class ItemStory", exactly=True),
    Rule(r"Mended", "Amendment", "class Mended", exactly=True),
    Rule(r"Noted", "Receipt", "class Noted", exactly=True),
    Rule(r"Became", "StateChange", "class Became", exactly=True),
    Rule(r"made[- ]up(?! of)", "synthetic", "made-up messages"),
)


class Hit(NamedTuple):
    """A word that we do not use."""

    line: int
    found: str
    instead: str


_COMPILED = [
    (re.compile(rf"(?<![\w-])(?:{rule.pattern})(?![\w-])", 0 if rule.exactly else re.IGNORECASE), rule.instead)
    for rule in RULES
]


def hits(text: str) -> Iterator[Hit]:
    """The words of a text that we do not use, line by line."""
    for number, line in enumerate(text.splitlines(), 1):
        if ALLOWED in line:
            continue
        for pattern, instead in _COMPILED:
            for match in pattern.finditer(line):
                yield Hit(number, match[0].strip(), instead)


def files() -> Iterator[Path]:
    """All files that are checked by default."""
    for place in PLACES:
        for path in sorted(ROOT.glob(place)):
            if str(path.relative_to(ROOT)) not in SELF:
                yield path


def report(paths: Iterable[Path]) -> Iterator[str]:
    """One line for each word found."""
    for path in paths:
        for line, found, instead in hits(path.read_text(encoding="utf-8")):
            shown = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
            yield f"{shown}:{line}: {found!r}: write {instead}"


def main() -> int:
    """Print what was found; 1 if there was anything."""
    lines = list(report([Path(name).resolve() for name in sys.argv[1:]] or files()))
    sys.stdout.writelines(f"{line}\n" for line in lines)
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
