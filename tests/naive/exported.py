"""What an exported JSON document predicts, by the formulas of the guide: plain Python, row by row."""

import math
from typing import Any


def probabilities(document: dict[str, Any], row: dict[str, float]) -> dict[Any, float]:
    """The probability of each class, for the values of columns by name; what is not there is 0."""
    if document["kind"] == "linear":
        return _softmax(_scores(document, document["scores"], _features(document, row)), document["temperature"])
    features, found = _features(document, row), dict.fromkeys(document["classes"], 0.0)
    columns = {name for step in document["scaling"] if step["kind"] == "standard" for name in step["columns"]}
    for model in document["models"]:
        if model["kind"] == "linear":
            own = features | _roots(row, columns) if model.get("terms") == "roots" else features
            part = _softmax(_scores(document, model["scores"], own), model["temperature"])
        else:
            part = _votes(document, model, row)
        for name, share in part.items():
            found[name] += model["trust"] * share
    powers = {name: share ** document["sharpness"] for name, share in found.items()}
    return {name: power / sum(powers.values()) for name, power in powers.items()}


def prediction(document: dict[str, Any], row: dict[str, float]) -> Any:
    """The class with the highest score."""
    scores = _scores(document, document["scores"], _features(document, row))
    best = max(scores.values())
    winners = [name for name, score in scores.items() if score == best]
    return document["class_at_zero"] if document["class_at_zero"] in winners else winners[0]


def _features(document: dict[str, Any], row: dict[str, float]) -> dict[str, float]:
    scaling = document["scaling"]
    steps = scaling if isinstance(scaling, list) else [] if scaling is None else [scaling]
    if not steps:
        return row
    found: dict[str, float] = {}
    for step in steps:
        found |= _standard(step, row) if step["kind"] == "standard" else _tfidf(step, row, found)
    return found


def _standard(step: dict[str, Any], row: dict[str, float]) -> dict[str, float]:
    found = {}
    for name, column in step["columns"].items():
        if column["deviation"] is not None:
            value = (row.get(name, 0.0) - column["mean"]) / column["deviation"]
            found[name] = max(-step["furthest"], min(step["furthest"], value))
    return found


def _tfidf(step: dict[str, Any], row: dict[str, float], known: dict[str, float]) -> dict[str, float]:
    found = {}
    for name, value in row.items():
        if name in known or value == 0.0:
            continue
        damped = value if abs(value) <= 1 else math.copysign(1 + math.log(abs(value)), value)
        found[name] = damped * step["rarities"].get(name, step["other_rarities"])
    length = math.sqrt(sum(value * value for value in found.values()))
    return {name: value / length for name, value in found.items()}


def _roots(row: dict[str, float], columns: set[str]) -> dict[str, float]:
    terms = {name: value for name, value in row.items() if name not in columns and value != 0.0}
    length = math.sqrt(sum(abs(value) for value in terms.values()))
    return {name: math.copysign(math.sqrt(abs(value)), value) / length for name, value in terms.items()}


def _scores(
    document: dict[str, Any], scores: list[dict[str, Any]], features: dict[str, float]
) -> dict[Any, float]:
    found = {
        each["class"]: each["intercept"]
        + sum(weight * features.get(name, 0.0) for name, weight in each["weights"].items())
        for each in scores
    }
    return found if len(found) > 1 else {document["classes"][0]: 0.0, **found}


def _softmax(scores: dict[Any, float], temperature: float) -> dict[Any, float]:
    highest = max(scores.values())
    powers = {name: math.exp(temperature * (score - highest)) for name, score in scores.items()}
    return {name: power / sum(powers.values()) for name, power in powers.items()}


def _votes(document: dict[str, Any], forest: dict[str, Any], row: dict[str, float]) -> dict[Any, float]:
    votes = dict.fromkeys(document["classes"], 1 / len(document["classes"]))
    for nodes in forest["trees"]:
        node = nodes[0]
        while "class" not in node:
            side = "then" if row.get(node["column"], 0.0) <= node["at_most"] else "otherwise"
            node = nodes[node[side]]
        votes[node["class"]] += 1
    shares = {name: count ** forest["temperature"] for name, count in votes.items()}
    return {name: share / sum(shares.values()) for name, share in shares.items()}
