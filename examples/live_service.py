"""Run the live service from Python: send items, answer its questions, read its figures.

The items are the 569 tumours that come with scikit-learn, as records of named measurements. The service predicts
each at once, and asks about those that it is least certain of. It needs an extra: pip install "askance[service]".
"""

from sklearn.datasets import load_breast_cancer

import askance
import askance.service

TASK = {"name": "tumours", "classes": ["benign", "malignant"], "item": "record", "budget": {"rate": 0.3}}
BATCH = 20


def main() -> None:
    """Push all tumours in batches, answer what is asked, and show how the estimate closes in on the truth."""
    table = load_breast_cancer()
    labels = [TASK["classes"][1 - target] for target in table.target]
    records = [dict(zip(table.feature_names, row, strict=True)) for row in table.data.tolist()]

    with (
        askance.service.start(tasks=[TASK], open_to_all=True) as service,
        askance.Client(service.url, task="tumours") as client,
    ):
        print("items  labels   accuracy of all predictions, estimated from questions at random (true accuracy)")
        truth, right = {}, 0
        for start in range(0, len(records), BATCH):
            decisions = client.decide(records[start : start + BATCH])
            truth |= {decision.item: label for decision, label in zip(decisions, labels[start:], strict=False)}
            right += sum(decision.prediction == truth[decision.item] for decision in decisions)
            for question in client.questions(BATCH):  # leased to this client: nobody else gets the same
                client.label(question, truth[question.item], question.lease)
            figures = client.figures()
            if figures.items % 100 == 0 or figures.items == len(records):
                found = figures.estimates["accuracy"]
                known = found.value is not None
                shown = f"{found.value:.3f}, between {found.low:.3f} and {found.high:.3f}" if known else found.note
                print(f"{figures.items:5}{figures.labelled:8}   {shown} ({right / figures.items:.3f})")
        right = sum(one.prediction == label for one, label in zip(client.predict(records), labels, strict=True))
    print(f"The model is right about {right / len(labels):.1%} of all tumours.")


if __name__ == "__main__":
    main()
