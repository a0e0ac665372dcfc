"""Completion under a constraint with real, tiny, random models: whatever the model does, the result fits."""

import itertools
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from suture.model import Completion, Model, ModelError, Options, complete, load
from suture.model.stepping import Looks, Position, split_utf8
from suture.model.templates import Template

from .modelzoo import ARCHITECTURES, PIPE, Brackets, bytelevel, save_model, sentencepiece

CASES = [
    ("def f(x, [y{", "}])\nx"),
    ("class A:\n    foo(ba", "\n"),
    ("", ""),
    ("((", "))"),
    ("a(b", "c]d"),  # the hole must close one and open another
    ("x = ", ")"),
    ("été (caf", ")"),
]


# The hybrid is slow without its kernels, and its runtime is tested elsewhere.
FAST = [architecture for architecture in ARCHITECTURES if architecture != "granitemoehybrid"]


@pytest.fixture(scope="module", params=[*FAST, "sentencepiece", "suffix first"])
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Model:
    folder = tmp_path_factory.mktemp("model")
    if request.param == "sentencepiece":
        special = ("▁<PRE>", "▁<SUF>", "▁<MID>", "▁<EOT>")
        return load(str(save_model(folder, sentencepiece(special), eos_token_id=2)), device="cpu")
    if request.param == "suffix first":
        save_model(folder, bytelevel())
        (folder / "tokenizer_config.json").write_text('{"suture_fim_order": "spm"}')
        return load(str(folder), device="cpu")
    return load(str(save_model(folder, bytelevel(PIPE), request.param)), device="cpu")


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Model:
    return load(str(save_model(tmp_path_factory.mktemp("llama"), bytelevel())), device="cpu")


def check(model: Model, left: str, right: str, options: Options = Options()) -> Completion:  # noqa: B008
    """A constrained completion that is complete, within its budget, made of viable pieces, and says the truth of itself."""
    hole = Brackets.hole(left, right)
    pieces: list[str] = []
    result = complete(model, hole, left, right, options, on_text=pieces.append)
    after = hole.advance(result.text)
    assert after is not None and after.complete and result.complete
    assert result.tokens <= options.max_tokens
    assert hole.advance("".join(pieces)) is not None
    if result.ended != "bridge":
        assert "".join(pieces).startswith(result.text)
    assert not any(
        token in result.text
        for token in model.vocabulary.ids
        if model.vocabulary.bytes_of[model.vocabulary.ids[token]] is None
    )
    assert 0 < result.model_ms <= result.total_ms and 0 <= result.constraint_ms <= result.total_ms
    assert not result.cancelled
    return result


@pytest.mark.parametrize("temperature", [0.0, 1.0])
@pytest.mark.parametrize("max_tokens", [1, 9])
def test_random_weights_always_end_complete(model: Model, max_tokens: int, temperature: float) -> None:
    for seed, (left, right) in enumerate(CASES):
        check(model, left, right, Options(max_tokens=max_tokens, temperature=temperature, seed=seed))


def test_every_way_of_sampling_ends_complete(llama: Model) -> None:
    for top_k, top_p, min_p, penalty in itertools.product((0, 5), (1.0, 0.8), (0.0, 0.1), (1.0, 1.3)):
        settings = {"top_k": top_k, "top_p": top_p, "min_p": min_p, "repetition_penalty": penalty}
        check(llama, *CASES[0], Options(max_tokens=6, temperature=0.9, seed=top_k, **settings))  # type: ignore[arg-type]


def test_random_cuts_end_complete(llama: Model) -> None:
    rng = random.Random(5)
    text = "def f(a, [b, {c: (d)}], *e):\n    return g((a)[b], {c})\n" * 4
    text = "".join(letter for letter in text if not letter.isdigit())
    for _ in range(30):
        start = rng.randrange(len(text))
        end = min(len(text), start + rng.randrange(30))
        check(llama, text[:start], text[end:], Options(max_tokens=rng.randrange(1, 9)))


def test_greedy_and_seeded_results_are_repeatable(model: Model) -> None:
    for options in (Options(max_tokens=8), Options(max_tokens=8, temperature=1.0, seed=4)):
        one, other = (check(model, *CASES[0], options) for _ in range(2))
        assert (one.text, one.tokens, one.ended) == (other.text, other.tokens, other.ended)


def test_the_cache_of_other_requests_does_not_show(model: Model) -> None:
    alone = []
    for left, right in CASES:
        model.runtime.crop(0)
        alone.append(check(model, left, right, Options(max_tokens=6)).text)
    assert alone == [check(model, left, right, Options(max_tokens=6)).text for left, right in CASES]


def test_the_completion_starts_after_the_cursor_though_the_last_token_is_taken_back(llama: Model) -> None:
    """With and without healing the text goes on from the cursor; only the model's way there differs."""
    for left in ("class Point:\n    retu", "x = self.val", "x = [    ", "caf\u00e9"):
        for heal in (True, False):
            result = check(llama, left, "\n" + "]" * left.count("["), Options(max_tokens=4, heal=heal))
            assert result.complete


# A real runtime computes; what is scripted is only the distribution, so that each end can be provoked.


@dataclass
class Scripted:
    """A runtime that says a text and then its end, with chosen probabilities of the end at each step."""

    inner: Model
    text: str
    ends: dict[int, float] = field(default_factory=dict)  # step: logit of the end token
    steps: int = 0
    sequence: list[int] = field(default_factory=list)
    start: int = 0
    device: str = "cpu"
    limit: int = 512

    @property
    def size(self) -> int:
        return self.inner.runtime.size

    @property
    def length(self) -> int:
        return len(self.sequence)

    def cached(self, ids: Sequence[int]) -> int:
        return 0

    def prefill(self, ids: Sequence[int]) -> np.ndarray:
        if not self.start:
            self.start = len(ids)
        self.sequence = list(ids)
        return self._logits()

    def step(self, token: int) -> np.ndarray:
        self.steps += 1
        self.sequence.append(token)
        return self._logits()

    def rows(self, ids: Sequence[int]) -> np.ndarray:
        rows = []
        for token in ids:
            self.sequence.append(token)
            rows.append(self._logits())
        return np.stack(rows)

    def crop(self, length: int) -> None:
        del self.sequence[length:]

    def _logits(self) -> np.ndarray:
        logits = np.full(self.size, -20.0, np.float32)
        said = self.sequence[self.start :]
        script = [*self.inner.vocabulary.encode(self.text), self.inner.template.ends[0]]
        logits[script[min(len(said), len(script) - 1)]] = 0.0
        if len(said) in self.ends:
            logits[self.inner.template.ends[0]] = self.ends[len(said)]
        return logits


def scripted(llama: Model, text: str, **settings: object) -> Model:
    return replace(llama, runtime=Scripted(llama, text, **settings))  # type: ignore[arg-type]


PLAIN = Options(heal=False, max_tokens=20)


def test_ended_by_the_model(llama: Model) -> None:
    result = check(scripted(llama, "x)"), "f(", "\n", PLAIN)
    assert (result.text, result.ended, result.tokens) == ("x)", "model", 2)


def test_ended_by_a_bridge_when_the_model_ends_too_early(llama: Model) -> None:
    result = check(scripted(llama, "x"), "f([", "\n", PLAIN)
    assert (result.text, result.ended, result.tokens) == ("x])", "bridge", 1)


def test_a_model_that_ends_too_early_may_first_connect_by_itself_in_a_few_tokens(llama: Model) -> None:
    result = check(scripted(llama, "xy])zzz", ends={1: 3.0}), "f([", "\n", PLAIN)
    assert (result.text, result.ended) == ("xy])", "model")
    rambling = scripted(llama, "x" + "y" * 15, ends={1: 3.0})
    result = check(rambling, "f([", "\n", PLAIN)
    assert (result.text, result.ended) == ("x])", "bridge")  # from where it wanted to end
    assert rambling.runtime.steps <= 8  # type: ignore[attr-defined]


def test_ended_earlier_when_the_model_ends_where_it_may_not(llama: Model) -> None:
    result = check(scripted(llama, "yy(", ends={1: -3.0}), "x", "\n", PLAIN)
    assert (result.text, result.ended, result.tokens) == ("y", "earlier", 1)


def test_ended_by_a_bridge_when_the_budget_is_spent(llama: Model) -> None:
    result = check(scripted(llama, "yyyyyy"), "f(", "\n", replace(PLAIN, max_tokens=3))
    assert (result.text, result.ended, result.tokens) == ("yyy)", "bridge", 3)


def test_ended_earlier_where_the_model_would_most_probably_have_ended(llama: Model) -> None:
    runs = {1: -9.0, 2: -3.0, 3: -6.0}
    result = check(scripted(llama, "yyy(zz", ends=runs), "x", "\n", replace(PLAIN, max_tokens=6))
    assert (result.text, result.ended, result.tokens) == ("yy", "earlier", 2)


def test_ended_at_the_length_when_that_is_the_best_place(llama: Model) -> None:
    result = check(scripted(llama, "yyyyy", ends={3: -1.0}), "x", "\n", replace(PLAIN, max_tokens=3))
    assert (result.text, result.ended) == ("yyy", "length")


def test_the_empty_text_is_not_an_earlier_place_but_the_last_resort(llama: Model) -> None:
    result = check(scripted(llama, "(yyyy", ends={0: -0.1}), "x", "\n", replace(PLAIN, max_tokens=3))
    assert (result.text, result.ended) == ("(yy)", "bridge")

    @dataclass(frozen=True)
    class Bridgeless(Brackets):
        def bridges(self, stop: Callable[[], bool] = lambda: False) -> Sequence[str]:
            return ()

    hole = Bridgeless("", "")
    result = complete(scripted(llama, "(yyyy"), hole, "x", "\n", replace(PLAIN, max_tokens=3))
    assert (result.text, result.ended, result.complete) == ("", "earlier", True)
    result = complete(scripted(llama, "yyyy"), Bridgeless("(", ""), "(", "\n", replace(PLAIN, max_tokens=3))
    assert (result.text, result.ended, result.complete) == ("yyy", "length", False)


def test_a_bridge_is_sought_from_earlier_places_back_to_the_start(llama: Model) -> None:
    @dataclass(frozen=True)
    class OnlyAtTheStart(Brackets):
        at_start: bool = True

        def advance(self, text: str) -> "OnlyAtTheStart | None":
            after = super().advance(text)
            return replace(after, at_start=False) if after is not None else None  # type: ignore[type-var,return-value]

        def bridges(self, stop: Callable[[], bool] = lambda: False) -> Sequence[str]:
            return super().bridges() if self.at_start else ()

    result = complete(scripted(llama, "yyyy"), OnlyAtTheStart("(", ""), "(", "\n", replace(PLAIN, max_tokens=3))
    assert (result.text, result.ended, result.tokens) == (")", "bridge", 0)


def test_of_the_shortest_bridges_the_most_probable_one_is_taken(llama: Model) -> None:
    @dataclass(frozen=True)
    class Choice(Brackets):
        def bridges(self, stop: Callable[[], bool] = lambda: False) -> Sequence[str]:
            return ("q)", "z)", "x)", "long)")

    for wanted in "qzx":
        model = scripted(llama, f"y{wanted})")
        result = complete(model, Choice("(", ""), "(", "\n", replace(PLAIN, max_tokens=1))
        assert (result.text, result.ended, result.tokens) == (f"y{wanted})", "bridge", 1)


def test_max_lines_ends_before_the_newline_that_is_too_many(llama: Model) -> None:
    for newline in ("\n", "\r\n", "\r"):
        model = scripted(llama, f"a){newline}b(x){newline}c")
        assert check(model, "f(", "\n", replace(PLAIN, max_lines=0)).text == "a)"
        assert check(model, "f(", "\n", replace(PLAIN, max_lines=1)).text == f"a){newline}b(x)"
    result = check(scripted(llama, "a\nb)"), "f(", "\n", replace(PLAIN, max_lines=0))
    assert (result.text, result.ended) == ("a)", "bridge")


def free(model: Model, left: str, right: str, mode: str) -> Completion:
    return complete(model, Brackets.hole(left, right), left, right, replace(PLAIN, mode=mode))  # type: ignore[arg-type]


def test_the_modes_for_comparison(llama: Model) -> None:
    for text, right, unconstrained, checked in [
        ("x)", "\n", ("x)", "model", True), ("x)", "model", True)),
        ("x)]", "\n", ("x)]", "model", False), ("x)", "earlier", True)),
        ("x", "\n", ("x", "model", False), ("x", "model", False)),
        ("x8y", ")", ("x8y", "model", False), ("x", "earlier", True)),
    ]:  # fmt: skip
        for mode, expected in (("unconstrained", unconstrained), ("checked", checked)):
            result = free(scripted(llama, text), "f(", right, mode)
            assert (result.text, result.ended, result.complete) == expected


@pytest.mark.parametrize("mode", ["unconstrained", "checked"])
def test_free_modes_say_truly_whether_they_are_complete(model: Model, mode: str) -> None:
    for seed, (left, right) in enumerate(CASES):
        hole = Brackets.hole(left, right)
        options = Options(mode=mode, max_tokens=9, temperature=1.0, seed=seed)  # type: ignore[arg-type]
        result = complete(model, hole, left, right, options)
        after = hole.advance(result.text)
        assert result.complete == (after is not None and after.complete)
        assert result.tokens <= 9


def test_cancelled_between_tokens(llama: Model) -> None:
    for allowed in range(6):
        asked = itertools.count()
        model = scripted(llama, "yyyyyyyyyyyy")
        result = complete(model, Brackets("", ""), "x", "\n", PLAIN, cancelled=lambda a=asked, n=allowed: next(a) >= n)
        assert result.cancelled
        assert model.runtime.steps <= allowed  # type: ignore[attr-defined]


def test_a_long_prompt_is_cancelled_between_its_parts(llama: Model) -> None:
    looks: list[float] = []

    def cancelled() -> bool:
        looks.append(time.perf_counter())
        return len(looks) > 1

    llama.runtime.crop(0)
    left = "value = other\n" * 60
    result = complete(llama, Brackets("", ""), left, "", Options(), cancelled=cancelled)
    assert result.cancelled and result.tokens == 0
    assert llama.runtime.length == 256


def test_a_keystroke_computes_only_what_it_changed(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Of a suffix-first prompt the right side and the typed text stay in the cache, over more than one part of prefill."""
    folder = save_model(tmp_path_factory.mktemp("model"), bytelevel())
    (folder / "tokenizer_config.json").write_text('{"suture_fim_order": "spm"}')
    model = load(str(folder), device="cpu")
    runtime, computed = model.runtime, []
    forward = runtime._forward  # type: ignore[attr-defined]
    runtime._forward = lambda ids, keep: computed.append(len(ids)) or forward(ids, keep)  # type: ignore[attr-defined]
    left, right = "value = other\n" * 20, "other = value\n" * 20
    complete(model, Brackets("", ""), left + "    retu", right, Options(max_tokens=5))
    assert sum(computed) > 300
    computed.clear()
    complete(model, Brackets("", ""), left + "    return", right, Options(max_tokens=5))
    assert sum(computed) <= 15
    computed.clear()
    complete(model, Brackets("", ""), left + "    return", right, Options(max_tokens=5))
    assert sum(computed) <= 8


def test_nan_is_an_error_that_says_so(llama: Model) -> None:
    model = scripted(llama, "x", ends={0: float("nan")})
    with pytest.raises(ModelError, match="NaN instead of probabilities"):
        complete(model, Brackets("", ""), "x", "\n", PLAIN)


def test_a_budget_larger_than_the_model_is_cut(llama: Model) -> None:
    check(llama, "(" + "x = y\n" * 90, "z = w\n" * 90 + ")", Options(max_tokens=100_000, temperature=1.0, seed=1))


def test_bytes_of_a_character_may_come_one_by_one(tmp_path_factory: pytest.TempPathFactory, llama: Model) -> None:
    """The vocabulary has no token for these letters: each takes two steps, and none is left half."""
    result = check(scripted(llama, "é(ü)"), "x", "\n", PLAIN)
    assert (result.text, result.ended) == ("é(ü)", "model")
    half = check(scripted(llama, "éé"), "x", "\n", replace(PLAIN, max_tokens=3))
    assert half.text == "é"
    refused = check(scripted(llama, "a漢b"), "x", "\n", PLAIN)
    assert "漢" not in refused.text


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", ("", b"")),
        (b"ab", ("ab", b"")),
        ("é".encode()[:1], ("", b"\xc3")),
        ("a漢".encode()[:-1], ("a", "漢".encode()[:-1])),
        ("a\U0001f600".encode()[:-1], ("a", "\U0001f600".encode()[:-1])),
        (b"a\xff", None),
        (b"\x80", None),
        (b"\xc3a", None),
        (b"\xed\xa0", None),  # a surrogate
        (b"\xe6", ("", b"\xe6")),
    ],
)
def test_split_utf8(data: bytes, expected: tuple[str, bytes] | None) -> None:
    assert split_utf8(data) == expected


def test_looks_agree_with_checking_each_token_and_ask_less() -> None:
    asked = 0

    @dataclass(frozen=True)
    class Counted(Brackets):
        def advance(self, text: str) -> "Brackets | None":
            nonlocal asked
            asked += 1
            return super().advance(text)

    looks = Looks(Position(Counted("(", ")")))
    tokens = ["".join(t).encode() for n in (1, 2, 3) for t in itertools.product("a)]7é", repeat=n)]
    for token in tokens:
        expected = Brackets("(", ")").advance(token.decode())
        found = looks.read(token)
        assert (found and found.state.stack) == (expected and expected.stack)  # type: ignore[attr-defined]
    assert asked < len(tokens)


def test_the_protocol_is_that_of_the_toy(llama: Model) -> None:
    """The scripted runtime and the toy constraint stand in the places of real ones: they have the same shape."""
    real: Callable[..., object] = llama.runtime.prefill
    assert callable(real) and isinstance(llama.template, Template)
    for name in ("cached", "prefill", "step", "rows", "crop", "length", "limit", "size", "device"):
        assert hasattr(llama.runtime, name) and hasattr(Scripted(llama, ""), name)
