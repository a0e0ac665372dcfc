"""The n-gram model: its tables agree with slow counting; a damaged file is one line; its votes are a part of a distribution."""

import os
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file
from suture.model import Model, ModelError, load
from suture.model.cache_lm import mixture
from suture.model.cache_lm.mixture import END_FEATURES, Copier, CopyingRuntime, MixtureWeights, mix
from suture.model.cache_lm.mixture import FEATURES as COPY_FEATURES
from suture.model.loading.load import in_language
from suture.model.ngram_lm import backoff, votes
from suture.model.ngram_lm.backoff import BackoffModel
from suture.model.ngram_lm.votes import NgramVoter, Place
from suture.model.vote_gate import VoteGate
from suture.training import ngrams
from suture.training.corpus import Source

from ..support.modelzoo import bytelevel, save_model

TEXTS = {
    "one": "import os\nfor key, value in items.items():\n    print(key)\n",
    "two": "import os\nimport sys\nfor key, value in data.items():\n    total = 1\n",
    "three": "import os.path\nfor key in keys:\n    print(key)\n\n\ndef f():\n    for key, value in x.items():\n        pass\n",
}
CONTEXT = 3


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    return load(str(save_model(tmp_path_factory.mktemp("zoo"), bytelevel(), "llama")), copying=False)


@pytest.fixture(scope="module")
def path(model: Model, tmp_path_factory: pytest.TempPathFactory) -> Path:
    sources = [Source(name, "MIT", "a.py", text) for name, text in TEXTS.items()]
    tables = ngrams.build(sources, model.vocabulary, model.runtime.size, context=CONTEXT, megabytes=1)
    assert tables is not None
    path = tmp_path_factory.mktemp("model") / backoff.FILE
    backoff.save(path, tables, CONTEXT, model.vocabulary)
    return path


@pytest.fixture(scope="module")
def table(model: Model, path: Path) -> BackoffModel:
    return backoff.load_backoff(path, model.vocabulary, model.runtime.size)


@pytest.mark.skipif(os.name != "posix", reason="only there files have modes")
def test_others_may_read_what_is_written_as_far_as_the_umask_lets_them(path: Path) -> None:
    beside = path.with_suffix(".beside")
    beside.touch()
    assert path.stat().st_mode == beside.stat().st_mode


def counted(model: Model, same: np.ndarray) -> list[dict[tuple[int, ...], dict[int, int]]]:
    """In how many packages each token follows each context, by the context's length: counted one by one."""
    found: list[dict[tuple[int, ...], dict[int, int]]] = []
    files = [[0, *same[list(model.vocabulary.encode(text))].tolist()] for text in TEXTS.values()]
    for length in range(1, CONTEXT + 1):
        pairs = [{(tuple(ids[i - length : i]), ids[i]) for i in range(length, len(ids))} for ids in files]
        of_length: dict[tuple[int, ...], dict[int, int]] = defaultdict(dict)
        for (context, token), count in Counter(pair for package in pairs for pair in package).items():
            of_length[context][token] = count
        found.append(of_length)
    return found


def expected(model: Model, same: np.ndarray, context: tuple[int, ...]) -> np.ndarray:
    """The interpolated Kneser-Ney probabilities after a context, by their definition."""
    files = [set(same[list(model.vocabulary.encode(text))].tolist()) for text in TEXTS.values()]
    single = np.full(len(same), 0.1)
    for tokens in files:
        single[list(tokens)] += 1
    probability = single / single.sum()
    for length, of_length in enumerate(counted(model, same), start=1):
        following = of_length.get(context[-length:], {})
        if len(context) < length or not any(count > 1 for count in following.values()):
            continue
        every = Counter(count for counts in of_length.values() for count in counts.values())
        one, two, three, four = (max(1, every[n]) for n in (1, 2, 3, 4))
        share = one / (one + 2 * two)
        discount = {
            2: np.clip(2 - 3 * share * three / two, 0.1, 1.9),
            3: np.clip(3 - 4 * share * four / three, 0.1, 2.9),
        }
        total = sum(following.values())
        kept = {token: max(count - discount[count], 0.01) / total for token, count in following.items() if count > 1}
        probability = probability * (1 - sum(kept.values()))
        for token, value in kept.items():
            probability[token] += value
    return probability


def test_the_tables_say_what_slow_counting_says(model: Model, table: BackoffModel) -> None:
    contexts = {context for of_length in counted(model, table.canonical) for context in of_length}
    assert len(contexts) > 60
    for context in contexts:
        wanted, found = expected(model, table.canonical, context), table.after(context).probabilities
        np.testing.assert_allclose(found, wanted, rtol=0.12, atol=2e-3)  # a byte each


def test_what_one_package_alone_says_is_not_kept(model: Model, table: BackoffModel) -> None:
    ids = table.canonical[list(model.vocabulary.encode("import sys"))].tolist()
    assert table.after(ids[:-1]).order[ids[-1]] < CONTEXT
    ids = table.canonical[list(model.vocabulary.encode("import os"))].tolist()
    said = table.after(ids[:-1])
    assert said.order[ids[-1]] == said.matched > 0 and said.probabilities.argmax() == ids[-1]


def test_less_room_keeps_the_n_grams_that_say_most(model: Model) -> None:
    sources = [Source(name, "MIT", "a.py", text) for name, text in TEXTS.items()]
    small = ngrams.build(sources, model.vocabulary, model.runtime.size, context=CONTEXT, megabytes=0.0003)
    large = ngrams.build(sources, model.vocabulary, model.runtime.size, context=CONTEXT, megabytes=1)
    assert small is not None and large is not None
    assert 0 < len(small["successors"]) < len(large["successors"]) / 2


def test_pruning_keeps_what_pays_on_other_files_and_loses_no_probability(model: Model, table: BackoffModel) -> None:
    other = [Source("four", "MIT", "b.py", "import os\nfor key, value in pairs.items():\n    print(value)\n")]
    stream = ngrams.read_stream(other, model.vocabulary, model.runtime.size)
    gain = ngrams.measured_gain(table.tables, CONTEXT, stream)
    pruned = ngrams.prune(table.tables, CONTEXT, stream, 1_000_000)
    assert 0 < len(pruned["successors"]) == (gain > 0).sum() < len(table.tables["successors"])
    after = BackoffModel(pruned, CONTEXT, table.canonical)
    ids = [0, *table.canonical[list(model.vocabulary.encode(other[0].text))].tolist()]
    for end in range(1, len(ids)):
        said, before = after.after(ids[:end]), table.after(ids[:end])
        assert said.order[ids[end]] == before.order[ids[end]]
        assert said.probabilities.sum() == pytest.approx(before.probabilities.sum(), rel=0.05)  # a byte each
        if said.order[ids[end]]:
            assert said.probabilities[ids[end]] > 0.85 * before.probabilities[ids[end]]  # from the others' loss
    small = ngrams.prune(table.tables, CONTEXT, stream, 100)
    assert 0 < len(small["successors"]) < len(pruned["successors"]) / 2


def _cut(path: Path, tables: dict[str, np.ndarray], about: dict[str, str]) -> None:
    path.write_bytes(path.read_bytes()[:-10])


def _not_at_all(path: Path, tables: dict[str, np.ndarray], about: dict[str, str]) -> None:
    path.write_bytes(b"\xff" * 100)


def _other_vocabulary(path: Path, tables: dict[str, np.ndarray], about: dict[str, str]) -> None:
    save_file(tables, path, about | {"vocabulary": "0" * 64})


def _later_format(path: Path, tables: dict[str, np.ndarray], about: dict[str, str]) -> None:
    save_file(tables, path, about | {"format": "2"})


def _counts_too_high(path: Path, tables: dict[str, np.ndarray], about: dict[str, str]) -> None:
    save_file(tables | {"counts": np.full_like(tables["counts"], 255)}, path, about)


def _buckets_backwards(path: Path, tables: dict[str, np.ndarray], about: dict[str, str]) -> None:
    buckets = tables["buckets"].copy()
    buckets[1:-1] = buckets[1:-1][::-1] + 1
    save_file(tables | {"buckets": buckets}, path, about)


def _tokens_beyond(path: Path, tables: dict[str, np.ndarray], about: dict[str, str]) -> None:
    save_file(tables | {"successors": np.full_like(tables["successors"], 65535)}, path, about)


def _one_is_missing(path: Path, tables: dict[str, np.ndarray], about: dict[str, str]) -> None:
    save_file({name: table for name, table in tables.items() if name != "seen"}, path, about)


def _other_numbers(path: Path, tables: dict[str, np.ndarray], about: dict[str, str]) -> None:
    save_file(tables | {"successors": tables["successors"].astype(np.float64)}, path, about)


def _not_finite(path: Path, tables: dict[str, np.ndarray], about: dict[str, str]) -> None:
    save_file(tables | {"single": np.full_like(tables["single"], np.nan)}, path, about)


@pytest.mark.parametrize(
    "damage",
    [
        _cut, _not_at_all, _other_vocabulary, _later_format, _counts_too_high, _buckets_backwards, _tokens_beyond,
        _one_is_missing, _other_numbers, _not_finite,
    ],
)  # fmt: skip
def test_a_damaged_file_is_one_line(model: Model, path: Path, tmp_path: Path, damage: Callable[..., None]) -> None:
    about = {"format": backoff.FORMAT, "orders": str(CONTEXT), "vocabulary": backoff.vocabulary_mark(model.vocabulary)}
    broken = tmp_path / "table.safetensors"
    broken.write_bytes(path.read_bytes())
    damage(broken, load_file(path), about)
    with pytest.raises(ModelError, match=r"table\.safetensors cannot be used \(.+\): download it again") as said:
        backoff.load_backoff(broken, model.vocabulary, model.runtime.size)
    assert "\n" not in str(said.value)


def gate(seed: int) -> VoteGate:
    rng = np.random.default_rng(seed)
    return VoteGate(rng.normal(size=(votes.FEATURES + 1, 4)), rng.normal(size=5), rng.normal(size=5))


def asked(voter: NgramVoter, model: Model, left: str, right: str = "\n", forced: bytes = b"") -> votes.NgramVotes:
    context = voter.context(left, forced)
    place = Place(context, forced, True, right.encode(), np.array([], np.int64), -2.0)
    return voter.votes(place, np.full(model.runtime.size, -np.log(model.runtime.size)), -5.0)


def test_votes_begin_with_what_is_spelled_again(model: Model, table: BackoffModel) -> None:
    voter = NgramVoter(table, model.vocabulary)
    left = "import os\nfor key, val"
    last = model.vocabulary.bytes_of[model.vocabulary.encode(left)[-1]] or b""
    found = asked(voter, model, left, forced=last)
    assert len(found.tokens)
    assert all((model.vocabulary.bytes_of[token] or b"").startswith(last) for token in found.tokens.tolist())
    assert not found.ends.any() and np.isfinite(found.features).all()
    assert voter.context(left, b"another") == []


def test_of_a_very_long_line_the_end_is_read(
    model: Model, table: BackoffModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    voter, vocabulary, read = NgramVoter(table, model.vocabulary), model.vocabulary, list[int]()
    pieces = vocabulary.pieces
    monkeypatch.setattr(vocabulary, "pieces", lambda text: read.append(len(text)) or pieces(text))
    left = "x = [" + "f(a, 'b'), " * 50_000
    assert voter.context(left, b"") == list(pieces(left[-9_000:]))[-table.orders :]
    assert max(read) < 10_000


def test_a_text_is_usual_where_each_of_its_tokens_is_the_most_probable_one(model: Model, table: BackoffModel) -> None:
    voter, vocabulary = NgramVoter(table, model.vocabulary), model.vocabulary
    left, said = "import os\n", ""
    for _ in range(4):
        tokens = [0, *vocabulary.pieces(left + said)]
        best = int(table.after(table.canonical[tokens[-table.orders :]].tolist()).probabilities.argmax())
        said += (vocabulary.bytes_of[best] or b"").decode()
        if list(vocabulary.pieces(left + said))[: len(tokens) - 1] != tokens[1:] or not said.strip():
            break
        assert voter.is_usual(left, said)
        assert not voter.is_usual(left, said + "\x00") and not voter.is_usual(left, "\x00" + said)
    assert said


def test_a_line_end_is_a_vote_for_the_end_of_a_line(model: Model, table: BackoffModel) -> None:
    voter = NgramVoter(table, model.vocabulary)
    left = "import os\nfor key, value in thing.items():"
    spelled = [model.vocabulary.bytes_of[token] or b"" for token in asked(voter, model, left).tokens.tolist()]
    at_end = asked(voter, model, left, "\n").ends
    assert [b"\n" in one for one in spelled] == at_end.tolist() and at_end.any()
    assert not asked(voter, model, left, "x").ends.any()


def test_a_mix_with_n_grams_is_a_distribution(model: Model, table: BackoffModel) -> None:
    rng = np.random.default_rng(1)
    voter = NgramVoter(table, model.vocabulary)
    copier = Copier(model.vocabulary, model.runtime.size, model.template.ends, voter)
    shapes = ((COPY_FEATURES + 1, 5), (6,), (6,), (END_FEATURES,))
    weights = MixtureWeights(*(rng.normal(size=shape) for shape in shapes))
    copier.read("import os\nfor key, value in", "\n", (), [1], b"")
    ids: list[int] = []
    for token in model.vocabulary.encode(" x.items():"):
        logp = copier.log_probabilities(rng.normal(size=model.runtime.size), copier.spelling(ids))
        copied = copier.votes(copier.spelling(ids), logp)
        usual = copier.ngram_votes(ids, logp, copied)
        mixed = mix(logp, copied, weights, copier.ends, usual, gate(2))
        assert np.exp(mixed.astype(np.float64)).sum() == pytest.approx(1, abs=1e-4)
        assert len(usual.tokens) and not np.allclose(mixed, mix(logp, copied, weights, copier.ends))
        ids.append(token)


def test_a_folder_without_n_grams_is_mixed_without_them(model: Model, path: Path, tmp_path: Path) -> None:
    folder = save_model(tmp_path, bytelevel(), "llama")
    assert isinstance(load(str(folder), copying=True).runtime, CopyingRuntime)
    gate(1).save(folder / votes.FILE)
    (folder / backoff.FILE).write_bytes(path.read_bytes())
    left, ids = "import os\nfor key, value in", [5, 60, 70]
    found = []
    for name in (backoff.FILE, ""):
        if not name:
            (folder / backoff.FILE).unlink()
        loaded = load(str(folder), copying=True)
        assert loaded.reader is not None
        loaded.reader.read(left, "\n", (), ids, b"")
        found.append(loaded.runtime.prefill(ids))
    assert not np.allclose(*found)


def test_documents_in_some_languages_have_files_of_their_own(model: Model, path: Path, tmp_path: Path) -> None:
    folder = save_model(tmp_path, bytelevel(), "llama")
    for language, seed in (("", 1), ("go+rust", 3)):
        gate(seed).save(folder / in_language(votes.FILE, language))
        (folder / in_language(backoff.FILE, language)).write_bytes(path.read_bytes())
    rng = np.random.default_rng(1)
    shapes = ((COPY_FEATURES + 1, 5), (6,), (6,), (END_FEATURES,))
    MixtureWeights(*(rng.normal(size=shape) for shape in shapes)).save(folder / in_language(mixture.FILE, "go+rust"))
    left, ids, found = "import os\nfor key, value in", [5, 60, 70], {}
    for present in (True, False):
        loaded = load(str(folder), copying=True)
        assert loaded.reader is not None
        for language in ("", "python", "go", "rust"):
            loaded.reader.read(left, "\n", (), ids, b"", language)
            found[language, present] = loaded.runtime.prefill(ids)
        (folder / in_language(mixture.FILE, "go+rust")).unlink(missing_ok=True)
    assert not np.allclose(found["go", True], found["python", True])
    assert np.allclose(found["go", True], found["rust", True])
    others = set(found) - {("go", True), ("rust", True)}
    assert all(np.allclose(found["", True], found[key]) for key in others)


@pytest.mark.parametrize("damage", ["{}", "[", '{"hidden": [[1]], "token": [1], "end": [1]}'])
def test_a_damaged_gate_is_one_line(tmp_path: Path, damage: str) -> None:
    (tmp_path / "gate.json").write_text(damage)
    with pytest.raises(ModelError, match=votes.FILE):
        votes.load_ngram_gate(tmp_path / votes.FILE)
