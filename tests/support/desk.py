"""Items with given confidences and labels that come to a fold, and people who answer as they like."""

import msgspec
import numpy as np

from askance.rules.rows import Row
from askance.service.settings import Asking, Certify
from askance.service.state import journal
from askance.service.state.fold import Fold
from service_task import settings

ROW = Row(np.array([1]), np.array([1.0]))
PREDICTED, OTHER = "spam", "ham"


class Desk:
    """A fold whose model learns nothing, with the truth about each item."""

    def __init__(self, certify: Certify, *, audit: float = 0.2, algorithm: str = "PAA-II") -> None:
        asking = Asking("lease", audit=audit, test=1.0)
        self.fold = Fold(settings(algorithm, bits=4, questions=asking, certify=certify, labels={"skips": 1}))
        self.entries: list[journal.Entry] = []
        self.wrong: dict[int, bool] = {}
        self.members: list[bool] = []
        self.mistakes: list[bool] = []
        self.ever = self.violated = False

    def come(self, confidence: float, coin: float, *, wrong: bool) -> bool:
        """An item comes; return whether it is decided without people."""
        certifier = self.fold.automation._certifier
        assert certifier is not None
        self.members.append(certifier.includes(confidence))
        self.mistakes.append(wrong)
        body = journal.DecidedItem(
            text="", prediction=PREDICTED, score=confidence, ask_probability=0.0, rule_probability=0.0, coin=coin,
            version=0, automatic=self.fold.automation.includes(confidence, self.fold.settings.certify.audit),
        )  # fmt: skip
        self.fold.decide(ROW, 1.0, body, journal.ITEM, seen=True)
        self.wrong[self.fold.seq] = wrong
        self.entries.append(journal.entry(journal.ITEM, self.fold.seq, 1.0, body))
        return body.automatic

    def write(self, kind: str, item: int, body: msgspec.Struct) -> None:
        """An entry about an item."""
        entry = journal.entry(kind, self.fold.seq + 1, 1.0, body, item=item, who="ann")
        self.entries.append(entry)
        self.fold.take(entry, body, ROW)

    def ask(self, count: int) -> list[int]:
        """People take the next questions, as in the service: some at random, checks, and more at random."""
        audits = self.fold.audits
        due = audits.due(min(self.fold.audits_wanted(count), count))
        chosen = [self._ask(item, "audit") for item in due]
        checks = [item for item in self.fold.automation.checks() if audits.kept[item].state == "waiting"]
        chosen += [self._ask(item, "check") for item in checks[: count - len(chosen)]]
        return chosen + [self._ask(item, "audit") for item in audits.next(count - len(chosen))]

    def _ask(self, item: int, reason: journal.Reason) -> int:
        self.write(journal.ASK, item, journal.Asked(reason, 0, PREDICTED, 1.0))
        return item

    def answer(self, item: int) -> None:
        """Somebody gives the right label."""
        self.write(journal.LABEL, item, journal.Label(OTHER if self.wrong[item] else PREDICTED))

    def skip(self, item: int) -> None:
        """Somebody skips a question, so that it is given up."""
        self.write(journal.SKIP, item, journal.Skip())

    def look(self) -> None:
        """Note whether there is a certificate, and whether it is wrong."""
        certifier = self.fold.automation._certifier
        if certifier is None or not certifier.certified:
            return
        found = certifier.certificate()
        inside = np.array(self.members[found.since : found.until])
        assert inside.sum() == found.members
        self.ever = True
        self.violated |= bool(
            (inside & self.mistakes[found.since : found.until]).sum() > found.error * inside.sum()
        )
