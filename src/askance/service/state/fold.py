"""The fold: the state of a task after some entries of its journal.

It is a pure function of settings, entries and amendments (corrections, undone labels, rollbacks), so a task that
is rebuilt from its journal is the same to the last bit. An amended label is learned, or left out, at its own place
in the journal: the model is the one that you would have if the label had been right from the start.

Corrections that say which label they replace are no such amendments. They take effect in the order of the journal,
as all other entries do, so nothing is replayed: the learner replaces the label in its memory. If it has forgotten
the item, or a rollback made it forget the label, a correction changes counts, figures and exports only. A rollback
does not take corrections back.
"""

import math
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from msgspec import UNSET

from askance.service.settings import State, TaskSettings
from askance.service.state import flags, journal
from askance.service.state.amendments import Amendments, is_in_place
from askance.service.state.audits import SET_ASIDE, Audit, Audits
from askance.service.state.automation import LEARNING, Announced, Automation, Row, confidence
from askance.service.state.budget_ledger import Ledger
from askance.service.state.candidates import Candidate, Candidates
from askance.service.state.counts import Counts
from askance.service.state.drifting import Alarm, Answer, Drifting
from askance.service.state.figures import Figures, progressive
from askance.service.state.flags import Flags
from askance.service.state.gold import Gold, note_lease_or_skip
from askance.service.state.history import History, Labeller, LastDay
from askance.service.state.money import Money
from askance.service.state.programs import Programs
from askance.service.state.questions import Loan, Question, Questions, Verdict, Vote
from askance.service.state.rows import AnyRow
from askance.service.state.task_model import TaskModel
from askance.service.state.voting import Voting, compare, remember
from askance.service.store.entries import Entry

MOST_OPEN = 2000  # open questions that a point of the history takes into account


class Fold:
    """The model of a task and everything that is counted about it."""

    def __init__(self, settings: TaskSettings, amendments: Amendments | None = None) -> None:
        self.settings = settings
        self.amendments = amendments or Amendments(set(), {}, {})
        self.amended = 0  # the last amendment
        self.state: State = "running"
        self.model = TaskModel(settings)
        self.figures = Figures(settings)
        self.ledger = Ledger()
        self.questions = Questions()
        self.voting = Voting()
        self.programs = Programs()
        self.gold = Gold()
        self.candidates = Candidates()
        self.audits = Audits()
        self.automation = Automation(settings.certify)
        self.drifting = Drifting()
        self.counts = Counts()
        self.recent: dict[str, list[tuple[int, int]]] = {}  # labeller: the last labels, by entry and item
        self.flags: Flags = {}
        self.classes: dict[str, int] = {}  # labels of each
        self.late_guesses = 0  # guesses that came after their items
        self.guessed: dict[str, int] = {}  # guesses of each program
        self.people: dict[str, Labeller] = {}
        self.history = History()
        self.last_day = LastDay()
        self.seq = 0
        self.at = 0.0
        self.version = 0

    # ------------------------------------------------------------------ entries

    def amend(self, entry: Entry) -> None:
        """Register an amendment before the entries that it is about are taken in."""
        body = journal.read(entry)
        if not is_in_place(entry, body):
            self.amendments.add(entry, body)
            self.amended = entry.seq

    def decide(
        self,
        row: AnyRow | None,
        at: float,
        content: journal.Content,
        recorded_as: str | None = None,
        *,
        seen: bool = False,
    ) -> tuple[str, journal.DecidedItem]:
        """Decide about the next item and take it in; return the kind and the body of its entry.

        To replay an entry of the journal, pass its body as `content` and its kind as `recorded_as`. The learner
        then sees the row again, unless it has `seen` it already, but the decision stays as recorded, even if a
        correction has changed the model. There is no row if the item was deleted later.
        """
        on_lease, cost = self.settings.asks_on_lease, self.settings.label_cost
        granted = not on_lease and self.state == "running" and self.labels_left(at, arriving=1) >= cost
        if isinstance(content, journal.DecidedItem) and recorded_as is not None:
            kind, body = recorded_as, content
            if not seen and row is not None:
                self.model.see(row, self.seq + 1, granted=granted)
        else:
            assert row is not None
            decision = self.model.decide(row, granted=granted, many=self.settings.many)
            kind = journal.QUESTION if granted and decision.ask else journal.ITEM
            chance = float(decision.ask_probability) if granted else 0.0
            sure = confidence(self.settings, float(decision.score))
            body = journal.DecidedItem(
                text=content.text,
                record=content.record,
                vector=content.vector,
                note=content.note,
                image=content.image,
                guesses=content.guesses,
                prediction=decision.prediction,
                score=float(decision.score),
                ask_probability=chance,
                rule_probability=0.0 if on_lease else float(decision.ask_probability),
                coin=decision.coin,
                version=self.version,
                automatic=self.automation.includes(sure, self.settings.certify.audit if on_lease else chance),
            )
        self.seq, self.at = self.seq + 1, at
        self._item(body, asked=kind == journal.QUESTION, deleted=row is None)
        self._add_point_if_due()
        return kind, body

    def take(self, entry: Entry, body: Any, row: AnyRow | None = None) -> Question | None:
        """Take in an entry that is not a decision; return the question that it is about, as it is afterwards.

        Labels and imported items need the row of the item, unless it was deleted later.
        """
        self.seq, self.at = entry.seq, entry.at
        question = self.question_of(entry.item)
        flags.take(self.flags, entry, body, self.amendments.undone)
        if entry.kind == journal.IMPORTED:
            self._import(entry, body, row)
        elif entry.kind == journal.GOLD:
            self.gold.add(entry.seq, body.label, self.settings.ids[0], entry.at)
        elif entry.kind == journal.DELETION:
            self._delete(body)
            self.version = entry.seq
        elif entry.kind == journal.COMPACTION:
            for item in body.items:
                self.candidates.take(item)
            self.programs.forget(body.items)
        elif entry.kind in journal.AMENDMENTS:
            if is_in_place(entry, body):  # what others say is known from the start of the fold
                self._correct(entry, body)
            self.version = entry.seq
        elif entry.kind == journal.SETTINGS:
            self._change(body)
        elif entry.kind == journal.STATE:
            self.state = body.state
        elif entry.kind == journal.ASK:
            question = self._ask(entry, body)
        elif entry.kind in (journal.CERTIFIED, journal.REVOKED):
            self.automation.announced = Announced(entry.kind == journal.CERTIFIED, entry.seq, entry.at)
        elif entry.kind == journal.DRIFT:
            self.drifting.announced = Alarm(entry.seq, entry.at, body.since)
        elif entry.kind == journal.GUESS:
            self.late_guesses += 1  # the journal has them: they are features of what is labelled later
            self._count_guesses([body.name] if body.name else [])
            if body.guess is not UNSET and self._waits(entry.item or 0):
                self._note_guesses(entry.item or 0, {body.name: body.guess})
        elif entry.kind in (journal.FLAG, journal.UNFLAG, journal.REVIEWED):
            pass  # they are about flags; the queue of reviews reads the rest in the journal
        elif entry.kind == journal.LABEL and body.final and question is None:
            question = self._settle_given_up(entry, body, row)
        elif question is not None and question.gold:
            self._about_gold(question, entry, body)
        elif question is not None:  # without an undone vote, others may have settled it before the last vote came
            if entry.kind == journal.LABEL and body.by_program:
                self._decided_by_program(question, entry, body)
            elif entry.kind == journal.LABEL:
                self._label(question, entry, body, row)
            else:
                self._about(question, entry, body)
        self._add_point_if_due()
        return question

    def labels_left(self, at: float, *, arriving: int = 0) -> float:
        """The number of labels that may still be asked for, also after some more items have arrived."""
        left = self.ledger.left_now(self.settings.budget, at, self.ledger.rows + arriving)
        left = min(left, self.money.labels_left)
        return left if math.isinf(left) else left - self.gold.on_loan(at)

    def note_divergence(self) -> bool:
        """Find out whether the model has numbers that are not finite."""
        return self.model.note_divergence(self.version or self.seq)

    @property
    def money(self) -> Money:
        """What answers have cost."""
        return Money(self.settings.oracles, self.ledger.asked, self.guessed)

    def deserted(self, at: float) -> list[Question]:
        """The questions whose leases have all ended without an answer, which still have labels of the budget."""
        if not self.settings.asks_on_lease:
            return []
        opened = list(self.questions.open.values())  # views look from other threads
        return [one for one in opened if not one.skipped and one.is_deserted(at)]

    def ledger_at(self, at: float) -> Ledger:
        """The ledger as it is once the labels of deserted questions are given back, which the next lease does."""
        ledger = msgspec.structs.replace(self.ledger, earlier=self.ledger.earlier.copy())
        ledger.spend(at, -sum(one.labels for one in self.deserted(at)))
        return ledger

    def money_at(self, at: float) -> Money:
        """What answers have cost once these labels are given back."""
        return Money(self.settings.oracles, self.ledger_at(at).asked, self.guessed)

    def question_of(self, item: int | None) -> Question | None:
        """The open question of an item, which may be a gold one."""
        return self.questions.open.get(item or 0) or self.gold.questions.get(item or 0)

    def _item(self, body: journal.DecidedItem, *, asked: bool, deleted: bool) -> None:
        cost = self.settings.label_cost
        self._count_guesses(body.all_guessers)
        refused = body.coin < body.rule_probability and not asked
        self.ledger.note(self.at, asked=cost if asked else 0, refused=refused)
        minute = self.last_day.at(self.at)
        minute.items += 1
        minute.asked += asked
        self._note_guesses(self.seq, body.guesses or {})
        self.automation.add(self.seq, self._row(body, asked=asked), body.prediction)
        if self.settings.asks_on_lease:
            self._wait(self.seq, Candidate(body.coin, body.prediction, body.score, self.at, body.automatic))
        elif asked:
            self._count(questions=1)
            self.questions.open[self.seq] = Question(
                self.seq, body.prediction, body.score, body.ask_probability, self.at, labels=cost
            )
        elif not deleted:
            self.figures.settle(body.prediction, None, body.score, body.ask_probability, asked=False)

    def _count_guesses(self, names: Iterable[str]) -> None:
        for name in names:
            self.guessed[name] = self.guessed.get(name, 0) + 1

    def _note_guesses(self, item: int, guesses: Mapping[str, journal.Guess]) -> None:
        if self.settings.oracles.enough is not None:
            self.programs.note(item, guesses)

    def _waits(self, item: int) -> bool:
        """Whether nobody has labelled an item yet that somebody may be asked about."""
        question, audit = self.questions.open.get(item), self.audits.kept.get(item)
        if question is not None:
            return not question.votes
        return item in self.candidates.waiting or (audit is not None and audit.state == "waiting")

    def _row(self, body: journal.DecidedItem, *, asked: bool) -> Row:
        """An item as a certificate sees it. On lease, its coin alone says whether people are asked about it."""
        sure = confidence(self.settings, body.score)
        if not self.settings.asks_on_lease:
            return Row(sure, body.ask_probability, asked)
        chance = self.settings.certify.audit
        return Row(sure, chance, body.coin < chance)

    def _wait(self, item: int, decided: Candidate) -> None:
        """Set an item aside for an audit, or let it wait until the model is in doubt about it."""
        asking = self.settings.questions
        assert asking is not None
        coin = decided.coin
        if coin < SET_ASIDE:
            # Digits of the coin that have no part in the order of audits.
            test = coin * 2.0**30 % 1.0 < asking.test
            audit = Audit(coin, self.ledger.rows - 1, decided.at, decided.prediction, decided.score, test)
            self.audits.add(item, audit, self.automation.checks)
        else:
            self.candidates.add(item, decided)

    def _ask(self, entry: Entry, body: journal.Asked) -> Question:
        """Make a question of an item that waits."""
        assert entry.item is not None
        decided = (
            self.audits.ask(entry.item, body.prediction, self.counts.known, body.reason)
            if entry.item in self.audits.kept
            else self.candidates.take(entry.item)
        )
        assert decided is not None
        if body.check is not None:
            self.programs.draw(entry.item)
        labels = self.settings.label_cost
        question = Question(
            entry.item,
            decided.prediction,
            decided.score,
            1.0 if body.probability is None else body.probability,
            entry.at,
            reason=body.reason,
            coin=decided.coin,
            labels=labels,
        )
        self.questions.open[entry.item] = question
        if body.reason == "guesses":  # no question to people: a program decides it with the next entry
            return question
        self.ledger.spend(entry.at, labels)
        self._count(questions=1)
        self.audits.pass_turns(self.audits_wanted(0))
        self.last_day.at(entry.at).asked += 1
        return question

    def audits_wanted(self, more: int) -> int:
        """How many audits have their turn with the next questions, so that they are a share of all questions."""
        asking = self.settings.questions
        assert asking is not None
        share = max(asking.audit, LEARNING) if self.automation.phase == "learning" else asking.audit
        return max(0, int(share * (self.counts.questions + more)) - self.audits.asked)

    def _reserve(self, question: Question, labels: int) -> None:
        """Let the budget set aside labels for a question. One that was skipped has none until it is leased."""
        self.ledger.spend(self.at, labels - question.labels)
        question.labels = labels

    def _cover(self, question: Question) -> None:
        """Let the budget set aside a label for each vote and lease, and at first as many as a question costs."""
        if self.settings.questions is not None:
            needed = len(question.votes) + question.on_loan(self.at)
            self._reserve(question, max(question.at_least(self.settings.label_cost), needed))

    def _withdraw(self, question: Question) -> None:
        """Let an item wait again that somebody leased and did not answer."""
        self.questions.close(question)
        self._reserve(question, 0)
        self._count(questions=-1)
        if question.item in self.audits.kept:
            self.audits.give_back(question.item)
        else:
            # When it came makes no difference to candidates: the newest of equally doubtful ones stay.
            decided = Candidate(question.coin, question.prediction, question.score, question.asked_at)
            self.candidates.add(question.item, decided)

    def _count(self, **more: int) -> None:
        self.counts = self.counts.plus(**more)

    def _count_label(self, label: str) -> None:
        self.classes[label] = self.classes.get(label, 0) + 1

    def _import(self, entry: Entry, body: journal.ImportedItem, row: AnyRow | None) -> None:
        label = self.amendments.corrected.get(entry.seq, body.label)
        self._count_label(label)
        if row is not None:
            self._tell(entry.seq, entry.seq, row, label)
        self._count(imported=1)
        self.version = entry.seq

    def _label(self, question: Question, entry: Entry, body: journal.Label, row: AnyRow | None) -> None:
        if entry.seq in self.amendments.undone:
            self._leave_out(question, entry)
            return
        self._compare(question, entry.who, body)
        self.questions.end(question, entry.who or "")
        self._note_vote(question, entry, body)
        self._cover(question)
        settled = question.settled(self.settings.labels)
        if settled is not None:
            label = self.amendments.corrected.get(question.item, settled)
            self._count_label(label)
            if row is not None and not self._is_test(question):
                self._tell(entry.seq, question.item, row, label, question.ask_probability)
            if row is not None and self.settings.labels.weighs_votes:
                is_decided = body.final or question.item in self.amendments.corrected
                self.voting.add(question.item, question.by_labeller(), decided=label if is_decided else None)
            self.programs.learn(question.item, label)
            self._close(question, label, deleted=row is None)
            self._count(labelled=1)
            self.version = entry.seq

    def _leave_out(self, question: Question, entry: Entry) -> None:
        """Pass over a vote that was undone.

        If it had settled the item, labels were given back, and others may have got them. So nothing is set aside
        but for the votes and leases that there are.
        """
        self.questions.end(question, entry.who or "")
        if self.settings.questions is not None:
            needed = len(question.votes) + question.on_loan(self.at)
            self._reserve(question, min(question.labels, needed))
            question.reopened = True

    def _decided_by_program(self, question: Question, entry: Entry, body: journal.Label) -> None:
        """Give an item the label that its guesses come to. The model learns from people alone."""
        self.questions.close(question)
        corrected = self.amendments.corrected.get(question.item)
        label = body.label if corrected is None else corrected
        self._count_label(label)
        self.programs.decide(question.item, entry.who or "")
        if corrected is not None:
            self._learn_of_programs(question.item, corrected)

    def _learn_of_programs(self, item: int, label: str) -> None:
        """Learn how good the guesses about a corrected item were. A person has decided it now."""
        self._count(labelled=int(self.programs.has_decided(item)))
        self.programs.learn(item, label)

    def _note_vote(self, question: Question, entry: Entry, body: journal.Label) -> None:
        self._labeller(entry.who).gave_label(entry.at)
        self.last_day.at(entry.at).labels += 1
        question.votes.append(Vote(entry.seq, entry.who, body.label, body.final, body.verdict))
        remember(self.recent, entry, question.item)

    def _about_gold(self, question: Question, entry: Entry, body: Any) -> None:
        """Take in what somebody does with a gold item. It shows something about them alone."""
        if note_lease_or_skip(question, entry, body):
            self._labeller(entry.who).skips += 1
        elif entry.kind == journal.LABEL and entry.seq not in self.amendments.undone:
            self._note_vote(question, entry, body)
            self._count(votes=1)
            self.ledger.spend(entry.at, 1)
            gold = self.gold.labels[question.item]
            self.voting.add(question.item, {entry.who or "": body.label}, decided=gold)

    def verdict(self, item: int, who: str | None, label: str) -> Verdict | None:
        """What the votes on a question come to with one more; None if another is wanted, or votes are counted."""
        question, labels = self.questions.open.get(item), self.settings.labels
        if question is None or not labels.weighs_votes:
            return None
        return self.voting.verdict(question.by_labeller() | {who or "": label}, labels, self.settings.ids)

    def _settle_given_up(self, entry: Entry, body: journal.Label, row: AnyRow | None) -> Question | None:
        """Give a question its label after all that was given up."""
        if entry.seq in self.amendments.undone:
            return None
        question = self.questions.reopen(entry.item or 0)
        if question is not None:
            self._count(given_up=-1)
            self._label(question, entry, body, row)
        return question

    def _compare(self, question: Question, who: str | None, given: journal.Label) -> None:
        """Count a vote, and how it agrees with others."""
        pairs, equal = compare(question, who, given, self._labeller)
        self._count(votes=1, pairs=pairs, equal_pairs=equal)

    def _is_test(self, question: Question) -> bool:
        """Whether the model must not learn a label, so that it can test the model."""
        audit = self.audits.kept.get(question.item)
        return audit is not None and audit.test

    def _tell(self, seq: int, item: int, row: AnyRow, label: str, probability: float = 1.0) -> None:
        if not self.amendments.forgets(seq):
            self.model.tell(seq, item, row, label, probability)

    def _correct(self, entry: Entry, body: journal.Correction) -> None:
        """Replace the label of an item from this entry on. Votes stay as they were given."""
        assert entry.item is not None
        assert isinstance(body.instead_of, str)
        self.amendments.add(entry, body)
        if entry.item in self.questions.open:  # a vote was undone meanwhile: it gets this label when it is settled
            return
        if self.classes.get(body.instead_of):  # not if, in an earlier version, it was given up with too few votes
            self.classes[body.instead_of] -= 1
            self._count_label(body.label)
        self.voting.decide(entry.item, body.label)
        self._learn_of_programs(entry.item, body.label)
        self.audits.settle(entry.item, body.label)
        self.automation.settle(entry.item, body.label)
        self.model.relabel(entry.item, body.label)

    def _close(self, question: Question, label: str | None, *, deleted: bool = False) -> None:
        """Close a question with its label, or without one. The budget counts the labels that were given.

        If the item was `deleted` later, the tally has it without a label: it may have been deleted for its label.
        """
        self.questions.close(question)
        self.automation.settle(question.item, label)
        if label is not None and not deleted:
            self._look_for_drift(question, label)
        if self.settings.questions is not None:
            self.ledger.spend(self.at, len(question.votes) - question.labels)
        if self.settings.asks_on_lease:
            self.audits.settle(question.item, label)
        elif not question.given_up:  # the tally has it without a label
            known = None if deleted else label
            self.figures.settle(question.prediction, known, question.score, question.ask_probability, asked=True)

    def _look_for_drift(self, question: Question, label: str) -> None:
        said, chance = question.prediction, question.ask_probability
        if self.settings.asks_on_lease:
            audit = self.audits.kept.get(question.item)
            if question.reason != "audit" or audit is None or audit.said is None:
                return
            said, chance = audit.said, 1.0
        self.drifting.tell(self.seq, Answer(self.at, said != label, chance))

    def _delete(self, body: journal.Deletion) -> None:
        """Forget items, and count without them from now on. What was spent on them stays spent.

        Their rows are not in the journal any more, so the learner never sees them in a replay.
        """
        gone = body.all
        for item, label in gone.items():
            self._forget(item, label, imported=item in body.imported)
        self.voting.forget({*gone, *body.gold})
        self.programs.forget(gone)
        for item in body.gold:
            self.gold.delete(item)
            self.flags.pop(item, None)
        for given in self.recent.values():
            given[:] = [one for one in given if one[1] not in gone and one[1] not in body.gold]
        for item in body.items:  # a check may have been deleted for its label: without one, it counts as a mistake
            self.automation.settle(item, None)
        self.audits.delete(body.items)
        self.ledger.rows -= len(body.items)
        self._count(deleted=len(gone))

    def _forget(self, item: int, label: str | None, *, imported: bool) -> None:
        self.flags.pop(item, None)
        self.candidates.take(item)
        self.amendments.corrected.pop(item, None)
        question = self.questions.open.get(item)
        if question is not None:
            self._close(question, None)
        elif self.questions.given_up.pop(item, None) is not None:
            self._count(given_up=-1)
        elif label is not None:
            self.classes[label] = max(0, self.classes.get(label, 0) - 1)
            if self.programs.has_decided(item):
                return
            self._count(**{"imported" if imported else "labelled": -1})

    def _about(self, question: Question, entry: Entry, body: Any) -> None:
        who = entry.who or ""
        if entry.kind == journal.WITHDRAW:
            self._withdraw(question)
            return
        if entry.kind == journal.LEASE:
            self.questions.lend(question, who, Loan(entry.seq, body.until))
            self._cover(question)
            return
        self.questions.end(question, who)
        if entry.kind == journal.SKIP and who not in question.skipped:
            question.skipped.append(who)
            self._labeller(who).skips += 1
            if len(question.skipped) >= self.settings.labels.skips:
                self._close(question, None)
                self.questions.give_up(question)
                self._count(given_up=1)
            elif self.settings.asks_on_lease and question.is_deserted(self.at):
                self._reserve(question, 0)

    def _labeller(self, who: str | None) -> Labeller:
        """The counts of a labeller."""
        return self.people.setdefault(who or "", Labeller())

    def _change(self, change: journal.SettingsChange) -> None:
        before, self.settings = self.settings, change.applied_to(self.settings)
        self.figures.set_costs(self.settings.costs)
        self.automation.follow(self.settings.certify)
        if self.settings.many and not before.many:
            self.figures.become_many()
        self.model.follow(before, self.settings)

    def _add_point_if_due(self) -> None:
        if not self.history.is_due(self.ledger.rows, self.counts.labelled):
            return
        if self.settings.asks_on_lease:
            estimates = progressive(self.audits, self.ledger.rows, self.settings)
        else:
            # Open questions count as asked without an answer, as in the figures. Very many take too long.
            waiting = self.questions.open.values() if len(self.questions.open) <= MOST_OPEN else ()
            estimates = self.figures.estimates(waiting)
        ledger = self.ledger
        self.history.add(ledger.rows, ledger.asked, self.counts.labelled, self.version, self.at, estimates)
