"""What a fleet on Spark must do, plainly: everything in memory, a row at a time, nothing packed."""

import json
from typing import Any

import numpy as np
import scipy.sparse as sp

from askance.data.hashing import hash_records, hash_texts
from askance.distributed.spark_fleet import StreamSettings


class PlainFleet:
    """Micro-batches of plain dictionaries, worked off one event after the other."""

    def __init__(self, settings: StreamSettings) -> None:
        self.settings = settings
        self.fleet = settings.new_fleet()
        self.keys: set[str] = set()
        self.rounds: dict[str, int] = {}
        self.fates: dict[tuple[str, str], Any] = {}  # "unasked", "learned", ("waiting", …) or ("early", label)

    def micro_batch(self, rows: list[dict[str, Any]], labels: list[dict[str, Any]]) -> list[dict[str, Any]]:
        self.outcomes: list[dict[str, Any]] = []
        self.due: list[tuple[str, int, str, str]] = []
        for row in sorted(rows, key=lambda row: (row["key"], row.get("order", -1), row["id"])):
            self.row(row)
        for label in sorted(labels, key=lambda label: (label["key"], label["id"], label["label"])):
            self.label(label["key"], label["id"], label["label"])
        for key, round_, id_, label in sorted(self.due):
            _, _, probability, x = self.fates[key, id_]
            self.fleet.partial_fit([key], x, [label])
            self.fates[key, id_] = "learned"
            self.tell("label", key, id_, "learned", label=label, ask_probability=probability, round=round_)
        return self.outcomes

    def row(self, row: dict[str, Any]) -> None:
        key, id_ = row["key"], row["id"]
        known = self.fates.get((key, id_))
        if known is not None and known[0] != "early":
            self.tell("row", key, id_, "ignored", reason="came before")
            return
        x = self.features(row)
        trace = self.fleet.decide([key], x)
        self.keys.add(key)
        round_ = self.rounds.get(key, 0)
        self.rounds[key] = round_ + 1
        asked, probability = bool(trace.asked[0]), float(trace.ask_probabilities[0])
        self.fates[key, id_] = ("waiting", round_, probability, x) if asked else "unasked"
        self.tell(
            "row",
            key,
            id_,
            "decided",
            prediction=trace.predictions[0],
            score=float(trace.scores[0]),
            ask_probability=probability,
            asked=asked,
            round=round_,
        )
        if known is not None:
            self.label(key, id_, known[1])

    def label(self, key: str, id_: str, label: str) -> None:
        known = self.fates.get((key, id_))
        if label not in self.settings.fleet.classes:
            self.tell("label", key, id_, "ignored", label=label, reason="is not a class")
        elif known is None:
            self.fates[key, id_] = ("early", label)
        elif known == "unasked":
            self.tell("label", key, id_, "ignored", label=label, reason="was not asked")
        elif known[0] != "waiting" or any(due[0] == key and due[2] == id_ for due in self.due):
            self.tell("label", key, id_, "ignored", label=label, reason="was learned before")
        else:
            self.due.append((key, known[1], id_, label))

    def features(self, row: dict[str, Any]) -> sp.csr_array:
        bits, dtype = self.settings.fleet.bits, self.settings.fleet.dtype
        if "text" in row:
            return hash_texts([row["text"]], bits, dtype=dtype)
        if "record" in row:
            return hash_records([row["record"]], bits, dtype=dtype)
        columns = np.array(row["indices"], np.int32)
        places = np.zeros(len(columns), np.int32)
        return sp.csr_array((np.array(row["values"], dtype), (places, columns)), shape=(1, 1 << bits))

    def tell(self, kind: str, key: str, id_: str, outcome: str, **more: Any) -> None:
        absent = dict.fromkeys(("prediction", "score", "ask_probability", "asked", "round", "label", "reason"))
        self.outcomes.append({"kind": kind, "key": key, "id": id_, "outcome": outcome, **absent, **more})


def as_lines(outcomes: list[dict[str, Any]]) -> list[str]:
    """Outcomes to compare, whatever their order: every bit of every number counts."""
    return sorted(json.dumps(outcome, sort_keys=True) for outcome in outcomes)
