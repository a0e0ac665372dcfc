"""Names around the cursor: the facts about them, the places of their votes, and the effect on the prediction."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from suture.model import ModelError, load
from suture.model.cache_lm.mixture import Copier, with_names
from suture.model.name_lm import words
from suture.model.name_lm.votes import FEATURES, FILE, MOST, NameVoter, NameVotes, load_name_gate
from suture.model.name_lm.words import FAR, HERE, read_words
from suture.model.vote_gate import VoteGate
from suture.training.fit_names import NamePosition, fit_gate

_SHOP = """from decimal import Decimal
import json

class Cart:
    limit: int = 3
    def __init__(self, items):
        self.items = items
    def total(self):
        return sum(self.items)

def report(cart: Cart, currency, *rest):
    amount = cart.total()
    for item in cart.items:
        print(item)
    with open(amount) as file:
        pass
    """


def _tokens(spellings: list[bytes]) -> tuple[list[bytes], NameVoter]:
    def first(text: bytes) -> int:
        begun = [(len(one), at) for at, one in enumerate(spellings) if one and text.startswith(one)]
        return max(begun, default=(0, -1))[1]

    return spellings, NameVoter(first, spellings)


def test_what_is_bound_used_and_imported_is_known() -> None:
    found = read_words(_SHOP, "\n    return 1\n\nlater = amount\n")
    names, attributes = found.names, found.attributes
    assert names["currency"].is_parameter and names["rest"].is_parameter and names["cart"].is_parameter
    assert not names["amount"].is_parameter and not names["Cart"].is_parameter
    bound = {name for name, one in names.items() if one.bound > -FAR}
    assert {"cart", "currency", "rest", "amount", "item", "file"} <= bound and "print" not in bound
    assert names["file"].bound > names["item"].bound > names["amount"].bound
    assert names["Decimal"].is_imported and names["json"].is_imported and not names["decimal"].times[HERE]
    assert names["currency"].times[HERE] == 1 and names["amount"].times == [0, 2, 0, 1]
    assert attributes["items"].bases == {"self": 2, "cart": 1} and attributes["items"].is_defined
    assert attributes["total"].is_defined and attributes["limit"].is_defined and attributes["total"].calls == 1


@settings(deadline=None)
@given(st.text("ab.=(: \n#\"'def", max_size=80), st.text("ab.=(: \n", max_size=40))
def test_any_text_is_read(left: str, right: str) -> None:
    found = read_words(left, right)
    for one in (*found.names.values(), *found.attributes.values()):
        assert one.last <= 0 and one.last_line <= 0 and min(one.times) >= 0
    spellings, voter = _tokens([b"a", b"b", b" a", b"d", b"ab"])
    voter.read(left, right)
    votes = voter.votes(left.encode(), b"", np.full(len(spellings), -1.6, np.float32))
    assert votes.features.shape == (len(votes.tokens), FEATURES) and np.isfinite(votes.features).all()
    assert len(votes.tokens) <= MOST


def test_lines_that_were_read_before_say_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    for end in range(len(_SHOP)):  # as it is typed
        known = read_words(_SHOP[:end], _SHOP[end:])
        with monkeypatch.context() as patch:
            patch.setattr(words, "_lines", {})
            assert read_words(_SHOP[:end], _SHOP[end:]) == known
    monkeypatch.setattr(words, "_KEPT_LINES", 3)
    assert read_words(_SHOP, "\n") == read_words(_SHOP, "\n") and len(words._lines) <= 3 + _SHOP.count("\n") + 2


@pytest.mark.parametrize(
    ("written", "rest", "voted"),
    [
        ("print(", "", {"cart", "currency", "amount"}),
        ("x = ", "", {"cart", "currency", "amount"}),
        ("x =", "", {" cart", " amount"}),
        ("return", "", {" cart", " amount"}),
        ("x =", " c", {" cart"}),
        ("f(name=", "", {"cart", "amount"}),
        ("print(c", "", {"art", "urrency"}),
        ("cart.", "", {"items", "total"}),
        ("cart.it", "", {"ems"}),
        ("x = 1 .", "", set()),
        ("f(x)", "", set()),
        ("# ", "", set()),
    ],
)
def test_names_vote_where_one_may_come(written: str, rest: str, voted: set[str]) -> None:
    spelled = "cart currency amount items total art urrency ems"
    spellings, voter = _tokens([part.encode() for word in spelled.split() for part in (word, " " + word)])
    voter.read(_SHOP + written, "\n")
    votes = voter.votes((_SHOP + written).encode(), rest.encode(), np.full(len(spellings), -2.0, np.float32))
    found = {spellings[token].decode() for token in votes.tokens}
    assert voted <= found if voted else not found
    assert all(one.startswith(rest) for one in found)
    if written.startswith("cart."):
        assert "currency" not in found


def test_what_is_begun_at_the_cursor_is_no_word() -> None:
    spellings, voter = _tokens([b"cart", b"rt", b"ca"])
    voter.read("def f(cart):\n    print(ca", ")\n")
    votes = voter.votes(b"    print(ca", b"", np.full(3, -1.0, np.float32))
    assert [spellings[token] for token in votes.tokens] == [b"rt"]


def test_names_in_any_script_vote_whole() -> None:
    spellings, voter = _tokens([part.encode() for part in ("नामक", "मक", "दिन", "ा")])
    voter.read("def f(नामक):\n    for दिन in नामक.सूची:\n        print(", ")\n")
    votes = voter.votes(b"        print(", b"", np.full(4, -1.0, np.float32))
    assert {spellings[token].decode() for token in votes.tokens} == {"नामक", "दिन"}
    voter.read("def f(नामक):\n    print(ना", ")\n")
    votes = voter.votes("    print(ना".encode(), b"", np.full(4, -1.0, np.float32))
    assert [spellings[token].decode() for token in votes.tokens] == ["मक"]


def _gate(bias: float) -> VoteGate:
    return VoteGate(np.zeros((FEATURES + 1, 2)), np.array([0.0, 0.0, bias]), np.zeros(3))


def test_votes_make_a_distribution() -> None:
    logp = np.log(np.array([0.5, 0.3, 0.2], np.float32))
    votes = NameVotes(np.array([1, 1, 2]), np.zeros((3, FEATURES)))
    mixed = np.exp(with_names(logp, votes, _gate(0.0)))  # each vote weighs as much as the whole prediction
    assert mixed == pytest.approx([0.5 / 4, 2.3 / 4, 1.2 / 4], abs=1e-6)
    assert np.exp(with_names(logp, votes, _gate(-30.0))) == pytest.approx([0.5, 0.3, 0.2], abs=1e-6)
    assert logp == pytest.approx(np.log([0.5, 0.3, 0.2]))


def test_fitting_learns_which_names_are_right() -> None:
    rng = np.random.default_rng(1)
    positions: list[NamePosition] = []
    for _ in range(80):
        features = rng.normal(0, 0.3, (4, FEATURES))
        features[:, 8] = [0, 1, 0, 0]  # unused so far
        positions.append(NamePosition(NameVotes(np.array([5, 6, 7, 8]), features), 6, 0.1))
    gate = fit_gate(positions)
    for one in positions[:10]:
        weights = gate.weights(one.votes.features)[0]
        assert weights.argmax() == 1 and weights[1] > 1


def test_a_damaged_file_is_said(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text('{"hidden": [[1]], "token": [1], "end": [1]}')
    with pytest.raises(ModelError, match=FILE):
        load_name_gate(tmp_path / FILE)


def test_numbers_without_features_that_came_later_are_read(tmp_path: Path) -> None:
    width, before = 3, FEATURES - 8
    rng = np.random.default_rng(1)
    older = VoteGate(rng.normal(size=(before + 1, width)), rng.normal(size=width + 1), rng.normal(size=width + 1))
    older.save(tmp_path / FILE)
    features = rng.normal(size=(5, FEATURES))
    found = load_name_gate(tmp_path / FILE).token_weights(features)
    assert found == pytest.approx(older.token_weights(features[:, :before]), rel=1e-2)


def test_what_is_needed_votes_and_the_loop_that_may_bind_it() -> None:
    spellings, voter = _tokens([b"for", b"total", b"numbers", b" total", b" numbers"])
    logp = np.log(np.full(5, 0.2))

    def needed(left: str, right: str, line: str) -> dict[bytes, tuple[float, float]]:
        voter.read(left, right)
        votes = voter.votes(line.encode(), b"", logp)
        return {spellings[token]: (row[-8], row[-6]) for token, row in zip(votes.tokens, votes.features, strict=True)}

    left, below = "def add(numbers):\n    ", "\n        total += numbers\n"
    assert needed(left, below, "    ") == {b"for": (0, 1), b"total": (1, 0), b"numbers": (0, 0)}
    assert needed(left, below, "    for") == {b" total": (1, 0), b" numbers": (0, 0)}
    assert needed(left + "total = 0\n    ", below, "    ") == {b"total": (0, 0), b"numbers": (0, 0)}
    voter.read(left, below)
    assert set(voter.votes(b"    for ", b"", logp).features[:, -4:-1].flat) == {1}
    voter.read(left, below.replace("        ", "    "))
    assert set(voter.votes(b"    ", b"", logp).features[:, -3:].flat) == {0}


def test_behind_def_what_is_called_and_made_nowhere_votes() -> None:
    spellings, voter = _tokens([b"load", b"_check", b"save", b"run", b"print"])
    logp = np.log(np.full(5, 0.2))
    left = "def save(x):\n    print(load(x))\n\nclass A:\n    def run(self):\n        self._check(self.run())\n\n"
    for line, wanted in (("def ", {b"load"}), ("    def ", {b"_check"}), ("    def s", set())):
        voter.read(left + line, "\n")
        votes = voter.votes(line.encode(), b"", logp)
        assert {spellings[token] for token in votes.tokens} == wanted
        assert all(row[-5] == row[-1] == 1 for row in votes.features)


def test_the_embedded_model_tells_unused_parameters_from_others() -> None:
    model = load(None, device="cpu")
    copier = model.reader
    assert isinstance(copier, Copier)
    left = "def area(width, height):\n    print(width)\n    size = width * "
    chances: dict[str, float] = {}
    for language in ("python", "go"):
        copier.read(left, "\n", (), [1], b"", language)
        assert copier.knows_names is (language == "python")
    votes = copier.name_votes(b"", np.full(model.runtime.size, -9.0, np.float32))
    gate = load_name_gate(Path(str(load.__code__.co_filename)).parent.parent / "embedded" / FILE)
    for token, weight in zip(votes.tokens.tolist(), gate.weights(votes.features)[0].tolist(), strict=True):
        spelling = (model.vocabulary.bytes_of[token] or b"").decode()
        chances[spelling] = chances.get(spelling, 0.0) + weight
    height = max(chance for spelling, chance in chances.items() if "height".startswith(spelling))
    area = max(chance for spelling, chance in chances.items() if "area".startswith(spelling))
    assert height > area
