"""The fate of suggestions: each event is told once, in characters of the suggestion."""

import pytest
from suture.lsp_server.completion.engine.cursor_context import CursorContext
from suture.lsp_server.telemetry.feedback import MAX_OFFERS, Feedback, ShownSuggestion

from ..support.staged_engine import said

PLACE = CursorContext("file:///a.py", "python", "x = ", 4)


class Heard:
    """Keeps the reports."""

    def __init__(self) -> None:
        self.said: list[tuple] = []

    def shown(self, offer: ShownSuggestion) -> None:
        self.said.append(("shown", offer.suggestion.text))

    def accepted(self, offer: ShownSuggestion, characters: int, whole: bool) -> None:
        self.said.append(("accepted", characters, whole))

    def rejected(self, offer: ShownSuggestion) -> None:
        self.said.append(("rejected", offer.accepted_characters))


@pytest.fixture
def feedback() -> Feedback:
    feedback = Feedback()
    feedback.listeners.append(Heard())
    return feedback


def heard(feedback: Feedback) -> list[tuple]:
    return feedback.listeners[0].said  # type: ignore[attr-defined]


def test_what_is_shown_and_accepted_is_told_once(feedback):
    offer = feedback.offer(PLACE, said("good"))
    for _ in range(2):
        feedback.shown(offer.id)
        feedback.accepted(offer.id)
        feedback.rejected(offer.id)
    assert heard(feedback) == [("shown", "good"), ("accepted", 4, True)]


def test_what_is_accepted_was_shown(feedback):
    offer = feedback.offer(PLACE, said("good"))
    feedback.accepted(offer.id)
    assert heard(feedback) == [("accepted", 4, True)]
    feedback.shown(offer.id)  # too late to count it again
    assert heard(feedback) == [("accepted", 4, True)]


def test_parts_are_counted_from_the_start_of_the_item_in_units_of_utf_16(feedback):
    offer = feedback.offer(PLACE, said("a😀bc"), kept="é.")
    for length in (1, 2, 3, 5, 5, 4, -1, 6):
        feedback.partly_accepted(offer.id, length)
    feedback.rejected(offer.id)
    accepted = [("accepted", 1, False), ("accepted", 1, False), ("accepted", 1, False)]
    assert heard(feedback) == [*accepted, ("rejected", 3)]
    offer = feedback.offer(PLACE, said("a😀bc"), kept="é.")
    feedback.partly_accepted(offer.id, 7)
    assert heard(feedback)[-1] == ("accepted", 4, True)


def test_old_offers_and_unknown_ones_are_not_minded(feedback):
    old = feedback.offer(PLACE, said("old"))
    for _ in range(MAX_OFFERS):
        feedback.offer(PLACE, said("new"))
    for tell in (feedback.shown, feedback.accepted, feedback.rejected):
        tell(old.id)
        tell("nonsense")
    feedback.partly_accepted("", 3)
    assert heard(feedback) == []
