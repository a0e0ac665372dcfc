"""The share of a model's probability on possible tokens, against all tokens asked one by one."""

import random

import numpy as np
import pytest
from suture.model.decoding.allowed_mass import allowed_share
from suture.model.decoding.scoring import logsumexp
from suture.model.decoding.token_step import DecodingState, TokenChecker
from suture.model.prompting.spelling_tree import SpellingTree
from suture.parser import imports_for, language

_ATTRIBUTES = (
    "class A:\n    def __init__(self):\n        self.red = self.blue = 1\n    def f(self):\n        return self.|\n"
)
_PLACES = [
    _ATTRIBUTES,
    _ATTRIBUTES.replace("return self", "x = self"),
    "x = |\n",
    "def f(first):\n    print(|)\n",
    '"""|"""\n',
    "import |\n",
    "x = 'ü|'\n",
]


def _tokens(rng: random.Random) -> list[bytes | None]:
    words = [
        "self",
        "red",
        "re",
        "r",
        "ed",
        "blue",
        "blu",
        "b",
        "first",
        "print",
        " x",
        " = ",
        "\n",
        "\n    ",
        "(",
        "()",
        "1",
        "if ",
    ]
    letters = [bytes([byte]) for byte in range(256)]
    more = ["".join(rng.choices("abdefilnrstu_. (", k=rng.randint(2, 5))) for _ in range(400)]
    return [None, *letters, *(word.encode() for word in dict.fromkeys([*words, *more, "ü", "漢", "é("]))]


def _is_avoided(check: TokenChecker, spelling: bytes, known: bool) -> bool:
    """Whether a token begins with a blank in place of a known word, or with a doubtful word."""
    begun = (check.read(spelling[:size]) for size in range(1, len(spelling) + 1))
    return (known and spelling[:1] == b" ") or any(one is not None and one.state.doubtful for one in begun)


@pytest.mark.parametrize("marked", _PLACES)
@pytest.mark.parametrize("forced", ["", "re"])
def test_the_share_is_that_of_all_tokens(marked: str, forced: str) -> None:
    rng = random.Random(marked)
    spellings = _tokens(rng)
    tree = SpellingTree(spellings)
    left, right = marked.split("|")
    imports = imports_for("python", "3.11", None, at_once=True)
    state = language("python", "3.11").hole(left, right, level="names", imports=imports).state
    assert state is not None
    position = DecodingState(state, forced.encode())
    check = TokenChecker(position)
    for seed in range(6):
        logits = np.random.default_rng(seed).normal(0, 3, len(spellings)).astype(np.float32)
        for token, spelling in enumerate(spellings):
            if forced and not (spelling or b"").startswith(forced.encode()):
                logits[token] = -np.inf
        if seed % 2:  # as told by a server: the best alone, and of a padded vocabulary
            logits[np.argsort(logits)[:-24]] = -np.inf
            logits = np.concatenate([logits, np.full(7, -np.inf, np.float32)])
        total = logsumexp(logits)
        chances = np.exp(logits - total)
        known = not forced and state.next_words is not None
        exact = 0.0
        for token, spelling in enumerate(spellings):
            after = check.read(spelling) if spelling and chances[token] else None
            if after is not None and not _is_avoided(check, spelling or b"", known):
                exact += chances[token]
        share = allowed_share(tree, logits, total, position, np.array([0]), False)
        assert exact - 1e-4 <= share <= exact + 0.25  # never too small, and mostly near
        assert share < 0.999 or exact > 0.7


def test_an_end_that_may_not_come_is_no_part_of_it() -> None:
    spellings: list[bytes | None] = [None, b"a", b"b"]
    state = language("python", "3.11").hole("x = ", "\n").state
    assert state is not None
    logits = np.log(np.array([0.5, 0.25, 0.25], np.float32))
    shares = [
        allowed_share(SpellingTree(spellings), logits, 0.0, DecodingState(state), np.array([0]), may_end)
        for may_end in (True, False)
    ]
    assert shares == [pytest.approx(1.0), pytest.approx(0.5)]


def test_the_tree_finds_what_starts_alike() -> None:
    spellings: list[bytes | None] = [b"b", None, b"ab", b"a", b"abc", b"\xff", b"\xff\xff", b"ab"]
    tree = SpellingTree(spellings)
    for prefix in (b"", b"a", b"ab", b"abc", b"abd", b"\xff", b"\xff\xff"):
        low, high = tree.starting_with(prefix)
        assert sorted(tree.ids[low:high]) == [i for i, one in enumerate(spellings) if one and one.startswith(prefix)]
    low, high = tree.starting_with(b"")
    first, children = tree.children(low, high, 0)
    assert first == low and [byte for byte, _, _ in children] == [ord("a"), ord("b"), 255]
    first, children = tree.children(*tree.starting_with(b"ab"), 2)
    assert [tree.spelling(at) for _, at, _ in children] == [b"abc"]


def test_long_words_cost_what_the_longest_token_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """The words of a document may have any length; the memory for them is bounded by their number."""
    import tracemalloc

    spellings: list[bytes | None] = [None, b"q", b"qq", b"qqqq", b"r", b"re", b"(", b"re(", b" "]
    names = " = self.".join(["q" * 100_000, "q" * 99_999 + "r", "re"])
    left = f"class A:\n    def __init__(self):\n        self.{names} = 1\n    def f(self):\n        return self."
    imports = imports_for("python", "3.11", None, at_once=True)
    state = language("python", "3.11").hole(left, "\n", level="names", imports=imports).state
    assert state is not None and state.next_words is not None and len(state.next_words) >= 3
    tree = SpellingTree(spellings)
    logits = np.log(np.array([1e-9, 0.1, 0.1, 0.1, 0.1, 0.1, 0.2, 0.1, 0.2], np.float32))
    tracemalloc.start()
    share = allowed_share(tree, logits, 0.0, DecodingState(state), np.array([0]), False)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert share == pytest.approx(0.6, abs=1e-3)  # q, qq, qqqq, r, re and the end of a word: re(
    assert peak < 5_000_000
