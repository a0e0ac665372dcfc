"""Completion under a constraint with real, tiny, random models: whatever the model does, the result fits."""

import itertools
import random
from collections.abc import Callable
from dataclasses import replace

import pytest
from suture.model import Completion, Model, ModelError, Options, complete, load
from suture.model.prompting.fim_template import Template

from ..support.modelzoo import ARCHITECTURES, PIPE, Brackets, bytelevel, save_model, sentencepiece
from ..support.scripted import PLAIN, Scripted, check, scripted

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


def test_a_token_without_a_doubt_is_the_one_that_weighing_all_gives(model: Model) -> None:
    nothing = 1 + 1e-12  # as a penalty: all tokens are weighed, and none changes
    for number, (left, right) in enumerate(CASES):
        options = Options(max_tokens=4 + 5 * (number % 3))
        one, other = (check(model, left, right, replace(options, repetition_penalty=p)) for p in (1.0, nothing))
        assert (one.text, one.written, one.ended) == (other.text, other.written, other.ended)
        assert one.score == pytest.approx(other.score, abs=1e-3)


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
        assert result.score is None or result.score <= 0  # a log probability


def test_cancelled_between_tokens(llama: Model) -> None:
    for allowed in range(6):
        asked = itertools.count()
        model = scripted(llama, "yyyyyyyyyyyy")
        result = complete(model, Brackets("", ""), "x", "\n", PLAIN, cancelled=lambda a=asked, n=allowed: next(a) >= n)
        assert result.cancelled
        assert model.runtime.steps <= allowed  # type: ignore[attr-defined]


def test_a_long_prompt_is_cancelled_between_its_parts(llama: Model) -> None:
    looks = itertools.count(1)

    def cancelled() -> bool:
        return next(looks) > 1

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
    complete(model, Brackets("", ""), left + "    return", "\n" + right, Options(max_tokens=5))
    assert sum(computed) > 300  # another right side
    computed.clear()
    complete(model, Brackets("", ""), left + "    return", "\n" + right, Options(max_tokens=5))
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


def test_the_protocol_is_that_of_the_toy(llama: Model) -> None:
    """The scripted runtime and the toy constraint stand in the places of real ones: they have the same shape."""
    real: Callable[..., object] = llama.runtime.prefill
    assert callable(real) and isinstance(llama.template, Template)
    for name in ("cached", "prefill", "step", "rows", "crop", "length", "limit", "size", "device"):
        assert hasattr(llama.runtime, name) and hasattr(Scripted(llama, ""), name)
