"""The recommendation: one function, and every recommendation of a model agrees with it."""

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest
from suture.lsp_server.cli.doctor_checks import recommended_model
from suture.lsp_server.cli.main import main
from suture.model.loading import installed, presets, recommend
from suture.model.loading.recommend import TYPICAL, Machine, Recommendation
from suture.model.prompting.fim_template import FAMILIES, detect

ROOT = Path(__file__).parents[2]
MACHINES = dict(TYPICAL)
TWO, EIGHT = MACHINES["two cores"], MACHINES["eight cores"]


def test_the_page_says_what_the_function_says() -> None:
    text = (ROOT / "docs/models.md").read_text(encoding="utf-8")
    assert "\n".join(recommend.table()) in text


def test_each_machine_gets_a_model_that_fits_it() -> None:
    names = [recommend.recommend(machine).name for machine in MACHINES.values()]
    assert names == [
        "embedded",
        "qwen2.5-coder-0.5b-q4",
        "qwen2.5-coder-1.5b-q4",
        "qwen2.5-coder-1.5b-q4",
        "qwen2.5-coder-7b-q4",
        "qwen3-coder-30b-q4",
        "qwen2.5-coder-7b-q4",
        "qwen2.5-coder-14b-q4",
        "qwen3-coder-30b-q4",
        "qwen2.5-coder-7b",
        "qwen2.5-coder-14b",
    ]


def size(found: Recommendation) -> int:
    return found.preset.parameters if found.preset else 0


@pytest.mark.parametrize(
    "better",
    [
        {"cores": 2},
        {"products": 2},
        {"reading": 2},
        {"memory": 2},
        {"gpu_memory": 2},
        {"gpu_memory": 1.05},
        "cuda",
        "gpu",
    ],
    ids=str,
)
@pytest.mark.parametrize("words", MACHINES)
def test_a_better_machine_gets_no_smaller_model(words: str, better: dict[str, float] | str) -> None:
    machine = MACHINES[words]
    if better == "gpu":
        faster = replace(machine, gpu=machine.gpu or "GPU", gpu_memory=max(machine.gpu_memory, 2_500_000_000))
    elif better == "cuda":
        faster = replace(machine, cuda=True)
    else:
        assert isinstance(better, dict)
        faster = replace(machine, **{name: int(getattr(machine, name) * by) for name, by in better.items()})
    before, after = recommend.recommend(machine), recommend.recommend(faster)
    assert size(after) >= size(before)
    if after.name == before.name:
        assert after.wait_ms <= before.wait_ms


@pytest.mark.parametrize("cuda", [False, True])
def test_more_memory_never_brings_a_smaller_model(cuda: bool) -> None:
    apple, card = MACHINES["Apple silicon with 8 GB"], MACHINES["an NVIDIA GPU with 8 GB"]
    series = (
        [replace(apple, memory=gigabytes * 10**9) for gigabytes in range(2, 130)],
        [replace(card, gpu_memory=gigabytes * 10**9, cuda=cuda) for gigabytes in range(49)],
    )
    for machines in series:
        found = [recommend.recommend(machine) for machine in machines]
        sizes = [size(one) for one in found]
        assert sizes == sorted(sizes) and sizes[0] < sizes[-1]
        for machine, one in zip(machines, found, strict=True):
            assert one.preset is not None and one.preset.commercial and one.wait_ms <= 700
            if machine.metal:
                assert machine.memory is not None and one.preset.size <= machine.memory / 2
            elif one.why.startswith("GPU"):
                assert one.preset.size < machine.gpu_memory


def test_what_is_recommended_fits_is_in_time_and_may_be_used_for_work() -> None:
    for power in range(-3, 4):
        for cores in (1, 2, 4, 8, 64):
            for memory in (None, 10**9, 10**11):
                machine = Machine(cores, TWO.products * 2.0**power, TWO.reading * 2.0**power, memory)
                found = recommend.recommend(machine)
                assert found.wait_ms <= 700
                if found.preset is not None:
                    assert found.preset.commercial and found.preset.file is not None
                    assert memory is None or found.preset.size < memory


def test_what_is_missing_is_installed_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installed, "has", lambda extra: False)
    found = recommend.recommend(TWO)
    assert found.missing == "gguf" and found.steps()[0] == installed.command("gguf")
    monkeypatch.setattr(installed, "has", lambda extra: True)
    monkeypatch.setattr(installed, "program", lambda: "bin/suture")
    steps = ["bin/suture models pull recommended", "bin/suture models use recommended"]
    assert recommend.recommend(TWO).steps() == steps


def test_a_card_is_told_the_build_of_llama_cpp_that_computes_on_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installed, "has", lambda extra: extra == "gguf")
    card = MACHINES["an NVIDIA GPU with 24 GB"]
    found = recommend.recommend(card)
    assert found.missing == "gguf-cuda" and installed.CUDA_INDEX in found.steps()[0]
    assert recommend.recommend(replace(card, cuda=False)).missing == "torch"
    assert recommend.recommend(replace(card, gpu=None, gpu_memory=0)).missing is None


@pytest.mark.parametrize("machine", [TWO, EIGHT], ids=["two", "eight"])
def test_the_command_line_doctor_and_demo_say_the_same(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(recommend, "this_machine", lambda: machine)
    monkeypatch.setattr("suture.model.loading.info.cached", list)
    monkeypatch.setattr("suture.model.runtime.served.running.running", list)
    from examples.demo import better_model

    found = recommend.recommend(machine)
    assert main(["models"]) == 0
    assert found.in_words() in capsys.readouterr().out
    assert main(["models", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [(row["name"], row["wait_ms"]) for row in rows if row["recommended"]] == [(found.name, found.wait_ms)]
    assert main(["models", "info", "recommended"]) == 0
    said = capsys.readouterr()
    assert found.in_words() in said.err and found.name in said.out
    assert recommended_model(None).found == found.in_words()
    assert found.in_words() in better_model()


def test_this_machine_is_measured() -> None:
    here = recommend.this_machine()
    assert here.cores >= 1 and math.isfinite(here.products) and here.products > 1e8 and here.reading > 1e8


# The special tokens of each family's tokenizer, as its own card or configuration has them.
TOKENS = {
    "qwen2.5-coder": "<|endoftext|> <|im_start|> <|im_end|> <|fim_prefix|> <|fim_middle|> <|fim_suffix|> <|fim_pad|> <|repo_name|> <|file_sep|>",
    "qwen3-coder": "<|endoftext|> <|im_start|> <|im_end|> <|fim_prefix|> <|fim_middle|> <|fim_suffix|> <|fim_pad|> <|repo_name|> <|file_sep|> <think>",
    "granite-4.0": "<|end_of_text|> <|pad|> <|start_of_role|> <|end_of_role|> <|fim_prefix|> <|fim_middle|> <|fim_suffix|> <|fim_pad|> <|filename|> <|reponame|>",
    "mellum-4b": "<|endoftext|> <fim_prefix> <fim_middle> <fim_suffix> <filename> <reponame>",
    # As written by two programs that run it.
    "mellum2": "<|endoftext|> <fim_prefix> <fim_middle> <fim_suffix> <filename>",
    "qwen3.5": "<|endoftext|> <|im_start|> <|im_end|> <|fim_prefix|> <|fim_middle|> <|fim_suffix|> <|fim_pad|> <|repo_name|> <|file_sep|> <think>",
    "codestral": "<unk> <s> </s> [INST] [/INST] [PREFIX] [MIDDLE] [SUFFIX]",
    "deepseek-coder-v2": "<｜begin▁of▁sentence｜> <｜end▁of▁sentence｜> <｜fim▁hole｜> <｜fim▁begin｜> <｜fim▁end｜> <|EOT|>",
    "starcoder2": "<|endoftext|> <fim_prefix> <fim_middle> <fim_suffix> <fim_pad> <repo_name> <file_sep> <issue_start>",
    "codegemma": "<bos> <eos> <|fim_prefix|> <|fim_middle|> <|fim_suffix|> <|file_separator|>",
    "seed-coder": "<[fim-prefix]> <[fim-suffix]> <[fim-middle]> <[end▁of▁sentence]>",
}


@pytest.mark.parametrize("preset", presets.PRESETS, ids=lambda preset: preset.name)
def test_a_preset_is_asked_as_its_tokens_tell(preset: presets.Preset) -> None:
    tokens = next(words for prefix, words in TOKENS.items() if preset.name.startswith(prefix)).split()
    assert detect({token: number for number, token in enumerate(tokens)}).name == preset.asked
    assert preset.asked in {family.name for family in FAMILIES}


def test_presets_are_complete() -> None:
    for preset in presets.PRESETS:
        assert preset.sha256 is None or (len(preset.sha256) == 64 and preset.file)
        assert (preset.file is None) == (preset.file_bytes == 0) and preset.licence and "/" in preset.hub
        assert preset.commercial or "no commercial use" in preset.note


@pytest.mark.parametrize(
    ("name", "preset"),
    [
        ("qwen2.5-coder-0.5b-q4", "qwen2.5-coder-0.5b-q4"),
        ("ollama:qwen2.5-coder:1.5b", "qwen2.5-coder-1.5b-q4"),
        ("lmstudio:someone/Qwen2.5-Coder-7B-GGUF/Qwen2.5-Coder-7B-Q5_K_M.gguf", "qwen2.5-coder-7b-q4"),
        ("/models/qwen2.5-coder-0.5b-instruct-q4_k_m.gguf", "qwen2.5-coder-0.5b-q4"),
        ("Qwen2.5 Coder 0.5B Instruct", "qwen2.5-coder-0.5b-q4"),
        ("Qwen/Qwen2.5-Coder-1.5B", "qwen2.5-coder-1.5b-q4"),
        ("bigcode/starcoder2-3b", "starcoder2-3b-q4"),
        ("JetBrains/Mellum-4b-sft-python", "mellum-4b-gguf"),
        ("google/codegemma-2b", "codegemma-2b"),
        ("qwen2.5-coder:14b-base", "qwen2.5-coder-14b-q4"),
        ("ollama:qwen3-coder:30b", "qwen3-coder-30b-q4"),
        ("Qwen3-Coder-Next-UD-Q4_K_XL", "qwen3-coder-next-q4"),
        ("Mellum2-12B-A2.5B-Base.Q8_0.gguf", "mellum2-12b-q4"),
        ("codestral:22b", "codestral-22b-q4"),
        ("qwen2.5-coder-32b", None),
        ("qwen2.5-coder-10.5b", None),
        ("", None),
        ("my-model", None),
    ],
)
def test_a_model_is_known_whatever_keeps_it(name: str, preset: str | None) -> None:
    found = presets.known(name)
    assert (found.name if found else None) == preset


def test_a_known_model_does_not_show_everything(tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp")
    from suture.model import load

    from ..support.gguf_files import embedded_gguf

    file = embedded_gguf(tmp_path / "qwen2.5-coder-0.5b-of-mine.gguf")
    mine = tmp_path / "mine.gguf"
    mine.write_bytes(file.read_bytes())
    for path, threshold in ((file, presets.FITTED.threshold), (mine, 0.0)):
        model = load(str(path), threads=1)
        assert model.served is not None
        model.served.close()
        assert model.certainty.threshold == threshold
    assert all(0 < preset.certainty.threshold < 1 for preset in presets.PRESETS)
