"""Lazy choices have exactly the distribution of masking first and sampling then."""

import itertools

import numpy as np
import pytest
from suture.model import Options
from suture.model.decoding.sampling import best, choose, penalise

SIZE = 700  # more than the part sorted first


def masked(logits: np.ndarray, valid: np.ndarray, options: Options) -> np.ndarray:
    """The slow way: mask all, then temperature, top-k, top-p, min-p; the probabilities."""
    scaled = np.where(valid, logits.astype(np.float64), -np.inf) / options.temperature
    if options.top_k:
        least = np.sort(scaled)[-options.top_k]
        scaled[scaled < least] = -np.inf
    p = np.exp(scaled - scaled.max())
    p /= p.sum()
    order = np.argsort(-p, kind="stable")
    before = np.cumsum(p[order]) - p[order]
    p[order[before >= options.top_p]] = 0
    p[p < options.min_p * p.max()] = 0
    return p / p.sum()


def check(options: Options, *, valid_share: float, seed: int = 0, draws: int = 4000, spread: float = 2.5) -> None:
    """Draws agree with the slow way's probabilities: support exactly, frequencies by a chi-squared test."""
    random = np.random.default_rng(seed)
    logits = random.normal(0, spread, SIZE).astype(np.float32)
    valid = random.random(SIZE) < valid_share
    valid[:2] = True
    logits[5] = -np.inf  # a banned token, never asked about
    valid[5] = False
    expected = masked(logits, valid, options)
    counts = np.zeros(SIZE)

    def narrow(logits: np.ndarray) -> None:
        logits[::2][~valid[::2]] = -np.inf

    for draw in range(draws):
        asked: list[int] = []

        def ask(token: int, asked: list[int] = asked) -> bool:
            asked.append(token)
            return bool(valid[token])

        token = choose(logits.copy(), ask, options, random, narrow if draw % 2 else None)
        assert token is not None
        assert len(asked) == len(set(asked)) and 5 not in asked
        counts[token] += 1
    assert not counts[expected == 0].any()
    often = expected * draws >= 8
    observed = np.append(counts[often], counts[~often].sum())
    wanted = np.append(expected[often], expected[~often].sum()) * draws
    observed, wanted = observed[wanted > 0], wanted[wanted > 0]
    squares = ((observed - wanted) ** 2 / wanted).sum()
    freedom = len(wanted) - 1
    # Five standard deviations of a chi-squared variable above its mean.
    assert squares <= freedom + 5 * np.sqrt(2 * freedom) + 5


@pytest.mark.parametrize("valid_share", [0.9, 0.3, 0.02])
@pytest.mark.parametrize(
    "options",
    [
        Options(temperature=1.0),
        Options(temperature=0.6),
        Options(temperature=2.0, top_k=7),
        Options(temperature=1.0, top_p=0.7),
        Options(temperature=1.5, top_p=0.95, min_p=0.02),
        Options(temperature=1.0, min_p=0.1),
        Options(temperature=1.3, top_k=40, top_p=0.8, min_p=0.01),
    ],
    ids=lambda o: f"T{o.temperature}-k{o.top_k}-p{o.top_p}-m{o.min_p}",
)
def test_distribution_is_that_of_masking_then_sampling(options: Options, valid_share: float) -> None:
    check(options, valid_share=valid_share, draws=800)


def test_the_test_can_fail() -> None:
    with pytest.raises(AssertionError):
        wrong = Options(temperature=1.0)
        right = Options(temperature=1.25)
        logits = np.random.default_rng(0).normal(0, 2.5, SIZE).astype(np.float32)
        expected = masked(logits, np.ones(SIZE, bool), right)
        random = np.random.default_rng(1)
        counts = np.bincount(
            [choose(logits.copy(), lambda _: True, wrong, random) or 0 for _ in range(1200)], minlength=SIZE
        )
        often = expected * 1200 >= 8
        squares = ((counts[often] - expected[often] * 1200) ** 2 / (expected[often] * 1200)).sum()
        assert squares <= often.sum() + 5 * np.sqrt(2 * often.sum()) + 5


def test_greedy_takes_the_best_valid_token_wherever_it_ranks() -> None:
    random = np.random.default_rng(3)
    logits = random.normal(size=SIZE).astype(np.float32)
    order = np.argsort(-logits)
    for rank in (0, 1, 7, 8, 9, 255, 256, 263, 264, 265, 500, SIZE - 1):
        accepted = set(order[rank:].tolist())
        assert best(logits.copy(), accepted.__contains__) == order[rank]
    assert best(logits.copy(), lambda _: False) is None


def test_the_usual_greedy_choice_costs_one_check() -> None:
    asked: list[int] = []
    best(np.arange(SIZE, dtype=np.float32), lambda token: not asked.append(token))
    assert asked == [SIZE - 1]


def test_a_small_top_k_or_top_p_asks_about_few() -> None:
    logits = np.random.default_rng(0).normal(0, 3, SIZE).astype(np.float32)
    for options, most in ((Options(temperature=1.0, top_k=5), 5), (Options(temperature=1.0, top_p=0.5), SIZE // 4)):
        asked: list[int] = []
        choose(logits.copy(), lambda token, a=asked: not a.append(token), options, np.random.default_rng(0))
        assert len(asked) <= most


@pytest.mark.parametrize("settings", [{}, {"top_k": 3}, {"top_p": 0.5}, {"min_p": 0.5}])
def test_nothing_valid_gives_nothing(settings: dict) -> None:
    options = Options(temperature=1.0, **settings)
    logits = np.zeros(SIZE, np.float32)
    assert choose(logits.copy(), lambda _: False, options, np.random.default_rng(0)) is None
    assert choose(np.full(SIZE, -np.inf, np.float32), lambda _: True, options, np.random.default_rng(0)) is None


def test_the_only_valid_token_may_be_impossibly_improbable() -> None:
    logits = np.full(SIZE, 0.0, np.float32)
    logits[3], logits[4] = 5000.0, -5000.0
    for settings in ({}, {"top_k": 3}, {"top_p": 0.5}, {"min_p": 0.5}):
        options = Options(temperature=0.5, **settings)  # type: ignore[arg-type]
        assert choose(logits.copy(), lambda t: t == 4, options, np.random.default_rng(0)) == 4


@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_what_cannot_come_is_ruled_out_at_once(temperature: float) -> None:
    """If all but a few tokens are invalid, those ruled out by narrowing are not asked about."""
    asked: list[int] = []
    narrowed: list[int] = []

    def valid(token: int) -> bool:
        asked.append(token)
        return token >= SIZE - 3

    def narrow(logits: np.ndarray) -> None:
        narrowed.append(len(asked))
        logits[: SIZE - 5] = -np.inf

    logits = -np.arange(SIZE, dtype=np.float32) / SIZE
    token = choose(logits, valid, Options(temperature=temperature), np.random.default_rng(0), narrow)
    assert token is not None and token >= SIZE - 3
    assert len(narrowed) == 1 and len(asked) <= narrowed[0] + 5


def test_a_seed_makes_the_choice_again() -> None:
    logits = np.random.default_rng(0).normal(size=SIZE).astype(np.float32)
    options = Options(temperature=1.0)

    def draw(seed: int) -> list[int | None]:
        random = np.random.default_rng(seed)
        return [choose(logits.copy(), lambda _: True, options, random) for _ in range(10)]

    assert draw(1) == draw(1) != draw(2)


def test_repetition_penalty_is_that_of_ctrl() -> None:
    logits = np.array([2.0, -2.0, 1.0, 0.0], np.float32)
    penalise(logits, [0, 1, 1], 2.0)
    assert logits.tolist() == [1.0, -4.0, 1.0, 0.0]
    penalise(logits, [0, 1], 1.0)
    assert logits.tolist() == [1.0, -4.0, 1.0, 0.0]


@pytest.mark.parametrize(
    "wrong",
    [
        {"mode": "free"}, {"max_tokens": 0}, {"temperature": -1.0}, {"temperature": float("nan")}, {"top_k": -1},
        {"top_p": 0.0}, {"top_p": 1.1}, {"min_p": -0.1}, {"repetition_penalty": 0.0}, {"max_lines": -1},
    ],
)  # fmt: skip
def test_options_say_what_is_wrong_with_them(wrong: dict) -> None:
    ((name, _),) = wrong.items()
    with pytest.raises(ValueError, match=f"{name} is .*: use "):
        Options(**wrong)


def test_combinations_of_options_are_plain_values() -> None:
    assert Options() == Options(mode="constrained", max_tokens=64, temperature=0.0, seed=None)
    assert len({Options(temperature=t, top_k=k) for t, k in itertools.product((0.0, 1.0), (0, 5))}) == 4
