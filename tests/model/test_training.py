"""The training pipeline: its input, its cuts, its learning, its resuming, and its output."""

from __future__ import annotations

import io
import json
import math
import random
import sysconfig
import tarfile
import zipfile
from email.message import Message
from itertools import pairwise
from pathlib import Path

import pytest
import suture.training.corpus as corpus
import suture.training.fim as fim
import suture.training.packed_llama as packed_llama
import suture.training.tokenizer as bpe
import suture.training.train as train
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from suture.training import main, repository_corpus
from suture.training.archives import Archive, read_archive
from suture.training.config import ConfigError, TrainConfig, config_from
from suture.training.evaluate import (
    EvaluationHole,
    bits_per_byte,
    copy_from_file,
    fill,
    line_holes,
    while_written,
    whole_line_holes,
)
from suture.training.fit_calibration import logistic, places_in_lines
from suture.training.kernels import can_compile, kernels
from suture.training.licences import is_permissive, permissive_licence
from suture.training.muon import Muon, orthogonal
from suture.training.reserved import is_reserved
from tokenizers import Tokenizer, decoders
from transformers import AutoModelForCausalLM, AutoTokenizer

EMBEDDED = Path(str(train.__file__)).parent.parent / "model/embedded"
LIBRARY = Path(sysconfig.get_paths()["stdlib"])
MODULES = ("textwrap", "shlex", "bisect", "heapq", "queue", "string", "calendar", "cmd", "copy", "glob")
TINY = {
    "standard_library": False,
    "installed": False,
    "vocab_size": 600,
    "hidden_size": 64,
    "intermediate_size": 128,
    "layers": 2,
    "heads": 2,
    "kv_heads": 1,
    "context": 128,
    "document_tokens": (48, 128),
    "batch_rows": 2,
    "threads": 1,
    "compile": False,
    "device": "cpu",
    "log_every": 1,
    "evaluation_holes": 4,
}


@pytest.fixture(scope="module")
def texts() -> list[str]:
    return [(LIBRARY / f"{name}.py").read_text(encoding="utf-8") for name in MODULES]


@pytest.fixture(scope="module")
def tokenizer(texts: list[str]) -> Tokenizer:
    made = bpe.train_tokenizer(texts, 600)
    made.encode_special_tokens = True
    return made


def tiny(**changes: object) -> TrainConfig:
    return config_from(TINY | changes)


def rows(texts: list[str], tokenizer: Tokenizer, seed: int = 1) -> fim.Rows:
    return fim.Rows(texts, tokenizer, length=129, document_tokens=(48, 128), spm_share=0.8, seed=seed)


# Corpus


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("MIT", True),
        ("mit", True),
        ("BSD-3-Clause AND 0BSD AND MIT", True),
        ("Apache-2.0 WITH LLVM-exception", True),
        ("GPL-3.0-or-later OR MIT", True),
        ("MIT AND (LGPL-2.1-only OR ISC)", True),
        ("MPL-2.0 AND MIT", False),
        ("MIT AND (LGPL-2.1-only OR GPL-2.0-only)", False),
        ("MPL-2.0", False),
        ("GPL-2.0-only WITH Classpath-exception-2.0", False),
        ("LicenseRef-Proprietary", False),
        ("MIT AND", False),
        ("(MIT", False),
        ("", False),
    ],
)
def test_an_spdx_expression_must_leave_a_permissive_choice(expression: str, expected: bool) -> None:
    assert is_permissive(expression) is expected


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ([("License-Expression", "MIT")], "MIT"),
        ([("License-Expression", "MPL-2.0"), ("License", "MIT")], None),
        ([("Classifier", "License :: OSI Approved :: BSD License")], "BSD"),
        ([("License", "BSD"), ("Classifier", "License :: OSI Approved :: Mozilla Public License 2.0 (MPL 2.0)")], None),
        (
            [
                ("Classifier", "License :: OSI Approved :: BSD License"),
                ("Classifier", "License :: OSI Approved :: GNU General Public License (GPL)"),
            ],
            None,
        ),
        ([("License", "Apache 2.0 License")], "Apache 2.0 License"),
        ([("License", "BSD 3-Clause License")], "BSD 3-Clause License"),
        ([("License", "MIT license, but not for evil")], None),
        ([("License", "GPL")], None),
        ([("License", "UNKNOWN")], None),
        ([], None),
    ],
)
def test_a_distribution_needs_a_known_permissive_licence(headers: list[tuple[str, str]], expected: str | None) -> None:
    metadata = Message()
    for key, value in headers:
        metadata[key] = value
    assert permissive_licence(metadata) == expected


def test_of_a_site_packages_folder_only_permissive_distributions_are_read(tmp_path: Path) -> None:
    for name, licence in (("good", "MIT"), ("bad", "GPL-3.0-only"), ("none", "")):
        (tmp_path / name / "_vendor").mkdir(parents=True)
        (tmp_path / name / "a.py").write_text("x = 1\r\ny = 2\r\n", encoding="utf-8")
        (tmp_path / name / "_vendor" / "b.py").write_text("x = 1\n", encoding="utf-8")
        info = tmp_path / f"{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.4\nName: {name}\nVersion: 1.0\n"
            + (f"License-Expression: {licence}\n" if licence else ""),
            encoding="utf-8",
        )
        (info / "RECORD").write_text(f"{name}/a.py,,\n{name}/_vendor/b.py,,\n", encoding="utf-8")
    found = list(corpus.collect(tiny(corpus=(str(tmp_path),))))
    assert found == [corpus.Source("good", "MIT", "good/a.py", "x = 1\ny = 2\n")]


def code(names: str = "abcdefghijkl") -> str:
    return "".join(f"def function_{name}(argument):\n    return argument + {name}\n\n" for name in names)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (code(), True),
        ("x = 1\n", False),
        (code() + "def broken(:\n", False),
        ("# This file was auto-generated.\n" + code(), False),
        ("# Released under the GNU General Public License.\n" + code(), False),
        (code() + "x = '<fim_middle>'\n", False),
        (code() + "table = '" + "x" * 500 + "'\n", False),
        (code() + "numbers = [\n" + "    1234567890, 1234567890,\n" * 40 + "]\n", False),
        (code() + "# " + "ä" * 90 + "\n", False),
    ],
)
def test_only_code_that_a_person_wrote_is_kept(text: str, expected: bool) -> None:
    assert corpus.is_everyday_code(text) is expected


def source(package: str, path: str, text: str) -> corpus.Source:
    return corpus.Source(package, "MIT", path, text)


def test_equal_and_nearly_equal_files_are_kept_once_and_held_out_packages_first() -> None:
    original = code("abcdefghijklmnopqrstuvwxyz")
    edited = original.replace("function_c(", "renamed(")
    other = code("0123456789").replace("argument", "value")
    given_sources = [
        source("a", "edited.py", edited),
        source("a", "other.py", other),
        source("b", "copy.py", other),
        source("held", "original.py", original),
    ]
    kept = corpus.without_duplicates(given_sources, tiny(held_out=("held",)))
    assert [(file.package, file.path) for file in kept] == [("held", "original.py"), ("a", "other.py")]


def test_a_package_gives_at_most_its_share_and_few_tests() -> None:
    sources = [source("a", f"{index}.py", "x" * 100) for index in range(50)]
    sources += [source("a", f"tests/{index}.py", "x" * 100) for index in range(50)]
    kept = corpus.limit_packages(sources, tiny(package_bytes=2000, test_share=0.2))
    assert sum(len(file.text) for file in kept) == 2000
    assert 0 < sum(file.path.startswith("tests/") for file in kept) <= 4


@pytest.mark.parametrize("held_out", [("p3",), ("absent",)])
def test_no_package_is_both_trained_on_and_held_out(held_out: tuple[str, ...]) -> None:
    sources = [source(f"p{index % 10}", f"{index}.py", code()) for index in range(100)]
    made = corpus.split(sources, tiny(held_out=held_out))
    trained, unseen = ({file.package for file in part} for part in (made.train, made.held_out))
    assert len(unseen) == 1 and len(trained) == 9 and not trained & unseen


def test_a_saved_corpus_is_read_back(tmp_path: Path) -> None:
    made = corpus.Corpus((source("a", "a.py", "é\n"),), (source("b", "b.py", "y"),))
    corpus.save_corpus(made, tmp_path / "corpus.jsonl")
    assert corpus.load_corpus(tmp_path / "corpus.jsonl") == made


# Tokenizer


@pytest.fixture(scope="module")
def shipped() -> Tokenizer:
    return bpe.load_tokenizer(EMBEDDED / "tokenizer.json")


@pytest.fixture(params=["fresh", "shipped"])
def either(request: pytest.FixtureRequest, tokenizer: Tokenizer, shipped: Tokenizer) -> Tokenizer:
    return tokenizer if request.param == "fresh" else shipped


def test_no_token_joins_digits_or_a_newline_or_indentation_with_a_word(either: Tokenizer) -> None:
    decoder = decoders.ByteLevel()
    for token, number in either.get_vocab().items():
        text = decoder.decode([token])
        if number < len(bpe.SPECIAL_TOKENS) or len(text) == 1:
            continue
        assert not any(character.isdigit() for character in text), token
        if "\n" in text or text.startswith("  "):
            assert not text.strip(), token


def test_the_special_tokens_have_the_first_ids_and_no_text_becomes_one(either: Tokenizer) -> None:
    assert [either.token_to_id(token) for token in bpe.SPECIAL_TOKENS] == [0, 1, 2, 3, 4]
    assert min(either.encode("".join(bpe.SPECIAL_TOKENS)).ids) > 4


@settings(max_examples=50, deadline=None)
@given(text=st.text() | st.text(alphabet=" \t\r\nab1_.,('é日"))
def test_any_text_is_read_back_as_written(shipped: Tokenizer, text: str) -> None:
    assert shipped.decode(shipped.encode(text).ids, skip_special_tokens=False) == text


# Reserved projects, archives


@pytest.mark.parametrize(
    ("name", "expected"),
    [("pytest", True), ("torch", True), ("mahmoud/boltons", True), ("Flask_Login", True), ("rich", False)],
)
def test_a_project_is_reserved_by_the_hash_of_its_name(name: str, expected: bool) -> None:
    assert is_reserved(name) is expected


def test_no_file_of_a_reserved_project_gets_in_wherever_it_lies(tmp_path: Path) -> None:
    code = "def add(one, two):\n    return one + two\n"
    site, archives, loose = tmp_path / "site", tmp_path / "archives", tmp_path / "pytest"
    for folder in (site, archives, loose):
        folder.mkdir()
    for name in ("torch", "rich"):
        (site / f"{name}.py").write_text(code, encoding="utf-8")
        (site / f"{name}-1.0.dist-info").mkdir()
        (site / f"{name}-1.0.dist-info" / "METADATA").write_text(f"Name: {name}\nLicense-Expression: MIT\n", "utf-8")
        (site / f"{name}-1.0.dist-info" / "RECORD").write_text(f"{name}.py,,\n", "utf-8")
    for name in ("boltons", "flask"):
        with zipfile.ZipFile(archives / f"{name}-1.0-py3-none-any.whl", "w") as wheel:
            wheel.writestr(f"{name}/a.py", code)
            wheel.writestr(f"{name}-1.0.dist-info/METADATA", f"Name: {name}\nLicense-Expression: MIT\n")
    (loose / "a.py").write_text(code, encoding="utf-8")
    found = corpus.collect(tiny(corpus=tuple(map(str, (site, archives, loose)))))
    assert sorted(source.package for source in found) == ["flask", "rich"]


def tarball(path: Path, files: dict[str, str]) -> None:
    with tarfile.open(path, "w:gz") as archive:
        for name, text in files.items():
            info = tarfile.TarInfo(name)
            data = text.encode()
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))


def test_a_snapshot_is_read_with_the_licence_of_its_licence_file(tmp_path: Path) -> None:
    mit = "Permission is hereby granted, free of charge, to any person obtaining a\ncopy of this software"
    tarball(tmp_path / "who+app.tar.gz", {"app/LICENSE": mit, "app/src/a.py": "x = 1\r\n", "app/README": "no"})
    found = read_archive(tmp_path / "who+app.tar.gz")
    assert found == Archive("app", "MIT", (("src/a.py", "x = 1\n"),))
    tarball(
        tmp_path / "gnu-1.2.tar.gz", {"gnu/LICENSE": mit, "gnu/COPYING": "GNU General Public License", "gnu/a.py": "x"}
    )
    assert read_archive(tmp_path / "gnu-1.2.tar.gz").licence is None
    tarball(tmp_path / "none-1.2.tar.gz", {"none/a.py": "x = 1\n"})
    assert read_archive(tmp_path / "none-1.2.tar.gz").licence is None
    tarball(tmp_path / "sdist-1.2.tar.gz", {"sdist-1.2/PKG-INFO": "Name: sdist\nLicense: MIT\n", "sdist-1.2/a.py": "x"})
    assert read_archive(tmp_path / "sdist-1.2.tar.gz") == Archive("sdist", "MIT", (("a.py", "x"),))
    (tmp_path / "cut-1.0.tar.gz").write_bytes((tmp_path / "who+app.tar.gz").read_bytes()[:60])
    assert read_archive(tmp_path / "cut-1.0.tar.gz") == Archive("cut", None, ())


# Holes and documents


def test_documents_put_together_again_are_the_file(texts: list[str], tokenizer: Tokenizer) -> None:
    for number in range(300):
        rng = random.Random(number)
        text = rng.choice(texts)[:400]
        spm = number % 2 == 0
        document = fim.make_document(tokenizer, text, rng, 2000, float(spm))
        parts = parse(document, tokenizer, spm=spm)
        written = parts["prefix"] + parts["middle"]
        assert text.startswith(written) and text.endswith(parts["suffix"])
        missing = text[len(written) : len(text) - len(parts["suffix"])]
        # The text not written yet is whole lines, or everything below.
        assert not missing or not parts["suffix"] or (missing[0] == "\n" and parts["suffix"][0] == "\n")


def test_a_document_keeps_to_its_budget_and_shows_the_file_around_its_hole(
    texts: list[str], tokenizer: Tokenizer
) -> None:
    for number in range(300):
        rng = random.Random(number)
        text = rng.choice(texts)
        budget = rng.randint(48, 128)
        spm = number % 2 == 0
        document = fim.make_document(tokenizer, text, rng, budget, float(spm))
        parts = parse(document, tokenizer, spm=spm)
        assert len(document.ids) <= budget
        assert parts["prefix"] + parts["middle"] in text and parts["suffix"] in text


def test_a_block_that_is_not_written_yet_ends_where_the_next_one_begins() -> None:
    text = "def f():\n    a = 1\n    if a:\n        b = 2\n    return a\n\n\ndef g():\n    pass\n"
    end = text.index("    if a:") - 1
    found = {fim.unwritten(text, end, random.Random(seed)) for seed in range(200)}
    assert found == {end, text.index("\n\n\ndef g"), len(text)}
    within = text.index("= 1")  # in a line, the text right of the cursor stays
    assert {fim.unwritten(text, within, random.Random(seed)) for seed in range(200)} == {within, len(text)}


def test_most_holes_are_cut_as_a_prompt_is(texts: list[str], tokenizer: Tokenizer) -> None:
    """The token before the cursor is written again, and so is the text right behind it."""
    healed = spelled = in_line = 0
    for number in range(300):
        rng = random.Random(number)
        text = rng.choice(texts)
        start, end = fim.choose_hole(text, random.Random(number + 1000))
        document = fim.make_document(tokenizer, text, random.Random(number + 1000), 2000, 1.0)
        parts = parse(document, tokenizer, spm=True)
        middle = text[start:end]
        healed += parts["middle"] != middle and parts["middle"].find(middle) > 0
        if text[end : end + 1].strip():
            in_line += 1
            spelled += parts["middle"].endswith(middle + text[end]) or len(parts["middle"]) > len(middle) + 1
    assert healed > 100
    assert in_line > 40 and spelled > in_line / 2


def parse(document: fim.TrainingDocument, tokenizer: Tokenizer, *, spm: bool) -> dict[str, str]:
    """The three texts of a document; checks its layout on the way."""
    ids = list(document.ids)
    middle = ids.index(fim.MIDDLE_ID)
    first, second = (fim.SUFFIX_ID, fim.PREFIX_ID) if spm else (fim.PREFIX_ID, fim.SUFFIX_ID)
    between = ids.index(second)
    assert ids[0] == first and ids[-1] == fim.END_ID
    assert [index for index, number in enumerate(ids) if number < 5] == [0, between, middle, len(ids) - 1]
    assert document.kinds == (fim.CONTEXT,) * (middle + 1) + (fim.HOLE,) * (len(ids) - middle - 1)
    one, two, hole = (
        tokenizer.decode(part) for part in (ids[1:between], ids[between + 1 : middle], ids[middle + 1 : -1])
    )
    return {"suffix": one, "prefix": two, "middle": hole} if spm else {"prefix": one, "suffix": two, "middle": hole}


def test_holes_are_of_many_kinds(texts: list[str]) -> None:
    rng = random.Random(0)
    holes = []
    for _ in range(500):
        text = rng.choice(texts)
        start, end = fim.choose_hole(text, rng)
        assert 0 <= start <= end <= len(text)
        holes.append((text[start:end], text[end : end + 1]))
    assert sum(hole == "" for hole, _ in holes) > 5
    assert sum("\n" in hole for hole, _ in holes) > 50
    assert sum(after == "\n" and "\n" not in hole for hole, after in holes) > 100
    assert sum(after in ")]}" and after != "" for _, after in holes) > 20


@settings(deadline=None)
@given(text=st.text(alphabet=" \n:(a)[,x", max_size=40), seed=st.integers(0, 1000))
def test_any_text_has_a_hole(text: str, seed: int) -> None:
    start, end = fim.choose_hole(text, random.Random(seed))
    assert 0 <= start <= end <= len(text)


def test_a_row_is_full_and_depends_on_its_number_alone(texts: list[str], tokenizer: Tokenizer) -> None:
    first, second = rows(texts, tokenizer), rows(texts, tokenizer)
    for number in (7, 3, 3):
        row = first.row(number)
        assert len(row.ids) == len(row.kinds) == 129
        assert [kind == fim.PAD for kind in row.kinds] == [token == fim.PAD_ID for token in row.ids]
        assert row.kinds.count(fim.PAD) < 48 and row == second.row(number)
    assert first.row(1) != first.row(2)


# Training


def test_the_chunked_loss_and_its_gradients_equal_torchs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(train, "_CHUNK", 7)
    torch.manual_seed(0)
    hidden, weight = torch.randn(30, 8, requires_grad=True), torch.randn(50, 8, requires_grad=True)
    targets, counted = torch.randint(0, 50, (30,)), torch.arange(30) % 4 > 0
    expected = torch.nn.functional.cross_entropy(hidden @ weight.T, targets.masked_fill(~counted, -100))
    gradients = torch.autograd.grad(expected, (hidden, weight))
    loss, _ = train._TiedCrossEntropy.apply(hidden, weight, targets, counted, torch.float32, kernels(compiled=False))  # type: ignore[misc]
    torch.testing.assert_close(loss, expected)
    torch.testing.assert_close(torch.autograd.grad(loss, (hidden, weight)), gradients)


@pytest.mark.parametrize("shape", [(6, 20), (20, 6), (9, 9)])
def test_muon_updates_as_torch_does(shape: tuple[int, int]) -> None:
    torch.manual_seed(0)
    ours, theirs, precise = (torch.nn.Parameter(torch.ones(shape)) for _ in range(3))
    optimizers: list[torch.optim.Optimizer] = [
        Muon([ours], 0.01, 0.1, torch.bfloat16),
        torch.optim.Muon([theirs], 0.01, weight_decay=0.1, adjust_lr_fn="match_rms_adamw"),
        Muon([precise], 0.01, 0.1, torch.float32),
    ]
    for _ in range(3):
        gradient = torch.randn(shape)
        for parameter, optimizer in zip((ours, theirs, precise), optimizers, strict=True):
            parameter.grad = gradient.clone()
            optimizer.step()
    torch.testing.assert_close(ours, theirs)
    assert not torch.equal(precise, theirs)
    torch.testing.assert_close(precise, theirs, rtol=0.01, atol=0.002)


def test_orthogonal_brings_singular_values_near_one() -> None:
    torch.manual_seed(0)
    values = torch.linalg.svdvals(orthogonal(torch.randn(30, 80), torch.float32))
    assert 0.6 < float(values.min()) <= float(values.max()) < 1.3


@pytest.mark.parametrize("optimizer", ["muon", "adamw"])
def test_the_loss_falls(texts: list[str], tokenizer: Tokenizer, optimizer: str) -> None:
    trainer = train.Trainer(tiny(steps=40, optimizer=optimizer, learning_rate=1e-2), torch.device("cpu"))
    losses = []
    for _ in range(40):
        trainer.step(rows(texts, tokenizer))
        losses.append(trainer.progress.loss)
    assert losses[-1] < losses[0] - 0.5
    assert trainer.fraction == 1 and trainer.progress.tokens > 40 * 200


@pytest.mark.parametrize("optimizer", ["muon", "adamw"])
def test_a_resumed_run_ends_in_the_same_state(
    texts: list[str], tokenizer: Tokenizer, optimizer: str, tmp_path: Path
) -> None:
    config = tiny(steps=6, optimizer=optimizer)
    through = train.Trainer(config, torch.device("cpu"))
    train.fit(through, rows(texts, tokenizer), lambda _: None)
    halted = train.Trainer(config, torch.device("cpu"))
    for _ in range(3):
        halted.step(rows(texts, tokenizer))
    halted.save(tmp_path / "state.safetensors")
    resumed = train.Trainer(config, torch.device("cpu"))
    resumed.load(tmp_path / "state.safetensors")
    assert resumed.progress == halted.progress
    train.fit(resumed, rows(texts, tokenizer), lambda _: None)
    assert resumed.progress.loss == through.progress.loss
    for one, other in zip(resumed.model.parameters(), through.model.parameters(), strict=True):
        assert torch.equal(one, other)
    for one, other in zip(resumed.optimizers, through.optimizers, strict=True):
        first, second = one.state_dict()["state"], other.state_dict()["state"]
        assert first.keys() == second.keys() != set()
        assert all(torch.equal(first[key][name], second[key][name]) for key in first for name in first[key])


def test_the_schedule_rises_and_falls_to_zero() -> None:
    values = [train.schedule(step / 100, 0.1) for step in range(101)]
    assert max(values) == values[10] == 1
    assert values[:11] == sorted(values[:11]) and values[10:] == sorted(values[10:], reverse=True)
    assert values[0] > 0 and values[100] == 0


def test_with_minutes_the_schedule_follows_the_clock() -> None:
    trainer = train.Trainer(tiny(steps=1000, minutes=2.0), torch.device("cpu"))
    trainer.progress = train.Progress(step=10, seconds=60)
    assert trainer.fraction == 0.5


# Evaluation


def test_whole_lines_are_code_with_or_without_their_indentation(texts: list[str]) -> None:
    holes = whole_line_holes(texts, 60)
    assert len(holes) == 60 and holes == whole_line_holes(texts, 60)
    for hole in holes:
        assert hole.left + hole.middle + hole.right in texts
        assert hole.left.endswith("\n") or not hole.left[hole.left.rfind("\n") + 1 :].strip() or not hole.left
        assert hole.right[:1] in ("\n", "") and hole.middle.strip() and "\n" not in hole.middle
        assert not hole.middle.lstrip().startswith(("#", '"', "'"))
    assert 5 < sum(hole.middle.startswith(" ") for hole in holes) < 30


@pytest.mark.parametrize(
    ("right", "left_of_it"),
    [
        pytest.param("\n    return 1\n", "", id="end of line"),
        pytest.param("", "", id="end of file"),
        pytest.param("))\nprint(1)\n", "))", id="brackets"),
        pytest.param("):\n    pass\n", ")", id="header"),
        pytest.param('"\nx = 1\n', '"', id="quote"),
    ],
)
def test_while_a_file_is_written_only_closed_brackets_are_behind(right: str, left_of_it: str) -> None:
    hole = EvaluationHole("x = (1\n", "a", right)
    kept = {while_written(hole, random.Random(seed)) for seed in range(9)}
    assert kept == {EvaluationHole(hole.left, "a", left_of_it + end) for end in ("", "\n")}


@pytest.mark.parametrize("right", [" + 1\n", ", b)\n", ".c\n", "b\n", ": int = 3\n", '": 1,\n', "): return x\n"])
def test_a_line_that_goes_on_stays(right: str) -> None:
    hole = EvaluationHole("x = ", "a", right)
    assert while_written(hole, random.Random(1)) == hole


def test_places_in_lines_are_where_somebody_types(texts: list[str]) -> None:
    for hole in places_in_lines(texts, 40, seed=1):
        assert hole.left + hole.middle + hole.right in texts
        assert hole.middle and not hole.middle.startswith("\n") and hole.right[:1] in ("\n", "")
    assert places_in_lines(["# nothing\n"], 5, seed=1) == []


def test_belief_is_fitted_to_what_was_right() -> None:
    rng = random.Random(4)
    odds = [rng.uniform(-4, 4) for _ in range(4000)]
    right = [rng.random() < 1 / (1 + math.exp(-0.7 * one + 0.5)) for one in odds]
    assert logistic(odds, right) == pytest.approx((0.7, -0.5), abs=0.1)
    assert logistic(odds, [True] * len(odds)) == (1.0, 0.0)
    slope, bias = logistic([-2.0, -1.0, 1.0, 2.0], [False, False, True, True])  # told apart without a mistake
    assert 1 < slope < 100 and abs(bias) < 0.1


def test_line_holes_end_where_a_line_of_code_ends(texts: list[str]) -> None:
    holes = line_holes(texts, 50)
    assert len(holes) == 50 and holes == line_holes(texts, 50)
    for hole in holes:
        assert hole.left + hole.middle + hole.right in texts
        assert hole.middle and "\n" not in hole.middle and hole.right[:1] in ("", "\n")


def test_the_baseline_copies_what_followed_the_same_text() -> None:
    assert copy_from_file(EvaluationHole("value = compute(left, right)\nother = compute(", "", "\n")) == "left, right)"
    assert copy_from_file(EvaluationHole("other = compute(", "", "\nvalue = compute(left)\n")) == "left)"
    assert copy_from_file(EvaluationHole("", "", "\n")) == ""


def test_an_untrained_model_needs_all_bits_and_answers_anyway(texts: list[str], tokenizer: Tokenizer) -> None:
    model = train.build_model(tiny())
    tokens_per_byte = len(tokenizer.encode(texts[0]).ids) / len(texts[0].encode())
    expected = tokens_per_byte * torch.log2(torch.tensor(600.0)).item()
    assert bits_per_byte(model, tokenizer, texts[:1], 8000) == pytest.approx(expected, rel=0.15)
    assert "\n" not in fill(model, tokenizer, EvaluationHole("x = ", "1", "\n"))


# The command


def test_the_command_trains_resumes_and_writes_a_folder_that_transformers_loads(
    tmp_path: Path, texts: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    for name, text in zip(MODULES, texts, strict=True):
        folder = tmp_path / ("seen" if name != "cmd" else "unseen")
        folder.mkdir(exist_ok=True)
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    values = TINY | {"held_out": ("unseen",), "log_every": 2}
    toml = "".join(
        f"{key} = {json.dumps(list(value) if isinstance(value, tuple) else value)}\n" for key, value in values.items()
    )
    (tmp_path / "tiny.toml").write_text(toml, encoding="utf-8")
    out = tmp_path / "run"
    folders = [str(tmp_path / "seen"), str(tmp_path / "unseen")]
    assert main([str(tmp_path / "tiny.toml"), "--out", str(out), "--steps", "4", "--corpus", *folders]) == 0
    printed = capsys.readouterr().out
    assert "step      4  100.0%" in printed and "bits per byte" in printed

    assert main([str(tmp_path / "tiny.toml"), "--out", str(out)]) == 2
    assert "--resume" in capsys.readouterr().err
    assert main(["--out", str(out), "--resume", "--steps", "6"]) == 0
    assert "going on from step 4" in capsys.readouterr().out

    folder = out / "model"
    expected = "README.md config.json copying.json generation_config.json model.safetensors tokenizer.json tokenizer_config.json"
    assert sorted(path.name for path in folder.iterdir()) == expected.split()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder)
    assert model.dtype == torch.bfloat16 and model.config.tie_word_embeddings
    assert tokenizer.decode(tokenizer.encode("if x:\n    y  = 12\n")) == "if x:\n    y  = 12\n"
    assert tokenizer.convert_tokens_to_ids([bpe.END, bpe.PREFIX, bpe.MIDDLE, bpe.SUFFIX, bpe.PAD]) == [0, 1, 2, 3, 4]
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert "| seen | as stated by who trained | 9 |" in card and "| unseen |" in card
    assert str(tmp_path) not in "".join(
        path.read_text("utf-8") for path in folder.iterdir() if path.suffix != ".safetensors"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["absent.toml"], "cannot read"),
        (["--resume"], "no run to resume"),
        (["--corpus", "absent"], "is not a folder"),
        (["wrong.toml"], "unknown key 'stepz'"),
        (["type.toml"], "steps must be a whole number"),
        (["broken.toml"], "not valid TOML"),
    ],
)
def test_unusable_arguments_give_one_line(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(corpus, "_library", lambda _: [])
    monkeypatch.setattr(corpus, "_distributions", lambda _: [])
    Path("wrong.toml").write_text("stepz = 1\n", encoding="utf-8")
    Path("type.toml").write_text("steps = '1'\n", encoding="utf-8")
    Path("broken.toml").write_text("steps =\n", encoding="utf-8")
    assert main([*arguments, "--out", "run"]) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1


@pytest.mark.parametrize(
    "values",
    [
        {"heads": 3},
        {"optimizer": "sgd"},
        {"document_tokens": (10, 20)},
        {"document_tokens": (96, 4096)},
        {"document_tokens": (96,)},
        {"seed": True},
        {"corpus": [1]},
    ],
)
def test_a_configuration_that_cannot_work_is_refused(values: dict[str, object]) -> None:
    with pytest.raises(ConfigError):
        config_from(values)


# The model included


def test_the_embedded_model_has_its_card_and_both_loaders_take_it() -> None:
    tokenizer = AutoTokenizer.from_pretrained(EMBEDDED)
    assert tokenizer.init_kwargs["suture_fim_order"] == "spm"
    config = json.loads((EMBEDDED / "config.json").read_text(encoding="utf-8"))
    assert config["vocab_size"] == len(tokenizer) and config["tie_word_embeddings"]
    card = (EMBEDDED / "README.md").read_text(encoding="utf-8")
    data = (EMBEDDED / "data.tsv").read_text(encoding="utf-8")
    assert "\tpython-3.11\tPSF-2.0\t" in data and "bits per byte" in card
    assert (EMBEDDED / "model.safetensors").stat().st_size < 40_000_000
    # vLLM loads every such file of the folder as weights.
    assert [path.name for path in EMBEDDED.glob("*.safetensors")] == ["model.safetensors"]


@pytest.mark.parametrize("kv_heads", [4, 2])
@pytest.mark.parametrize(
    ("queries", "step"), [(256, 128), (16, 8)]
)  # one block of queries, or several in each document
def test_packed_documents_have_the_states_and_gradients_that_transformers_gives_them_alone(
    kv_heads: int, queries: int, step: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packed_llama, "_QUERIES", queries)
    monkeypatch.setattr(packed_llama, "_STEP", step)
    monkeypatch.setattr(packed_llama, "_MOST_KEPT", 2 * queries)
    config = tiny(heads=4, kv_heads=kv_heads)
    model = train.build_model(config)
    bounds = (0, 30, 100, 150, 180, 200)
    ids = torch.randint(5, 600, (200,), generator=torch.Generator().manual_seed(0))
    weights = torch.randn(200, 64, generator=torch.Generator().manual_seed(1))
    named = dict(model.model.named_parameters())
    found = packed_llama.hidden_states(named, config, ids, bounds, torch.float32, kernels(compiled=False))
    expected = torch.cat(
        [model.model(input_ids=ids[None, first:last]).last_hidden_state[0] for first, last in pairwise(bounds)]
    )
    torch.testing.assert_close(found, expected)
    parameters = list(named.values())
    torch.testing.assert_close(
        torch.autograd.grad((found * weights).sum(), parameters),
        torch.autograd.grad((expected * weights).sum(), parameters),
        rtol=1e-3,
        atol=1e-3,
    )


def test_products_in_16_bits_give_nearly_the_same() -> None:
    named = dict(train.build_model(tiny()).model.named_parameters())
    ids = torch.randint(5, 600, (90,), generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        low, full = (
            packed_llama.hidden_states(named, tiny(), ids, (0, 40, 90), dtype, kernels(compiled=False)).float()
            for dtype in (torch.bfloat16, torch.float32)
        )
    assert 0 < float((low - full).abs().max()) < 0.2


@pytest.mark.filterwarnings("ignore::UserWarning")  # the compiler's
def test_compiled_functions_train_as_those_that_are_not(texts: list[str], tokenizer: Tokenizer) -> None:
    if not can_compile():
        pytest.skip("PyTorch's compiler needs a C++ compiler")
    losses = []
    for compiled in (False, True):
        trainer = train.Trainer(tiny(steps=4, compile=compiled), torch.device("cpu"))
        trainer._bf16 = False
        for _ in range(4):
            trainer.step(rows(texts, tokenizer))
        losses.append(trainer.progress.loss)
    assert losses[0] == pytest.approx(losses[1], rel=1e-4)


def test_a_run_goes_on_from_the_weights_of_a_folder(tmp_path: Path) -> None:
    first = train.Trainer(tiny(seed=1), torch.device("cpu"))
    first.model.save_pretrained(tmp_path)
    second = train.Trainer(tiny(seed=2), torch.device("cpu"))
    second.start_from(tmp_path)
    for one, other in zip(first.model.parameters(), second.model.parameters(), strict=True):
        assert torch.equal(one, other)
    with pytest.raises(ConfigError, match="not those of a model of the configured size"):
        train.Trainer(tiny(hidden_size=32), torch.device("cpu")).start_from(tmp_path)


def test_a_corpus_of_go_leaves_out_what_nobody_wrote(tmp_path: Path) -> None:
    mit = "Permission is hereby granted, free of charge, to any person obtaining a\ncopy of this software"
    text = "package a\n\n" + "".join(f"func call{i}(value string) error {{ return work(value) }}\n" for i in range(9))
    other = text.replace("call", "run").replace("work", "handle")
    repositories, toolchain = tmp_path / "repositories", tmp_path / "go"
    repositories.mkdir()
    (toolchain / "src" / "os").mkdir(parents=True)
    (toolchain / "src" / "os" / "file.go").write_text(text)
    generated = "// Code generated by a tool. DO NOT EDIT.\n" + other
    files = {
        "a/main.go": other,
        "a/vendor/x/y.go": text,
        "a/zz_made.go": other + "\n",
        "a/made.go": generated,
        "a/same.go": text,
    }
    assert not is_reserved("cobra") and is_reserved("echo")
    tarball(repositories / "who+cobra.tar.gz", {"a/LICENSE": mit, **files})
    tarball(repositories / "who+echo.tar.gz", {"a/LICENSE": mit, "a/echo.go": other})
    tarball(repositories / "who+gin.tar.gz", {"a/LICENSE": "GNU General Public License", "a/gin.go": other})
    found = repository_corpus.build(repository_corpus.KINDS["go"], repositories, toolchain)
    assert [(one.package, one.path) for one in found.train] == [("cobra", "main.go"), ("go", "src/os/file.go")]
    assert found.held_out == ()
