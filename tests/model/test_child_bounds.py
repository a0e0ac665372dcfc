"""The costs of a hostile or damaged GGUF file: no template of it is run, its memory and its time are bounded."""

import os
import time
from pathlib import Path

import pytest
from suture.model import ModelError
from suture.model.errors import ServerUnavailable
from suture.model.loading.gguf import Gguf, read_gguf
from suture.model.runtime.served import bounds, child
from suture.model.runtime.served.bounds import STALL_S, Headway, loaded_by, memory_of, most_memory
from suture.model.runtime.served.child import Child, ChildSettings, available

from tests.support.gguf_files import embedded_fields, embedded_gguf

LOOPS = "{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}"
EATS = "{% set n = namespace(x='aaaaaaaaaaaaaaaa') %}{% for a in range(31) %}{% set n.x = n.x + n.x %}{% endfor %}{{ n.x }}"

linux = pytest.mark.skipif(not Path("/proc/self/status").is_file(), reason="reads what Linux says of a process")
llama_cpp = pytest.mark.skipif(not available(), reason="llama.cpp is not installed")


def stand_in(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, program: str) -> None:
    """Let a program take the place of llama.cpp's."""
    path = tmp_path / "program.py"
    path.write_text(program)
    monkeypatch.setattr(child, "_PROGRAM", path)
    monkeypatch.setattr(child, "available", lambda: True)


@llama_cpp
@pytest.mark.parametrize("template", [LOOPS, EATS, "{% for %}", "{{ raise_exception('no') }}"])
@pytest.mark.parametrize("key", ["tokenizer.chat_template", "tokenizer.chat_template.tool_use"])
def test_the_chat_template_of_a_file_is_not_run(tmp_path: Path, template: str, key: str) -> None:
    fields = {"tokenizer.chat_template": "{{ messages }}", key: template}
    file = embedded_gguf(tmp_path / "hostile.gguf", **fields)
    process = Child(ChildSettings(file, 1024, threads=1, gpu_layers=0, memory=1 << 30))
    began = time.monotonic()
    process.start()
    assert process.alive
    assert time.monotonic() - began < STALL_S / 2
    process.stop()


@llama_cpp
@linux
def test_llama_cpp_gets_no_more_memory_than_its_bound(tmp_path: Path) -> None:
    file = embedded_gguf(tmp_path / "model.gguf")
    wants_more = Child(ChildSettings(file, 1_000_000, threads=1, gpu_layers=0, memory=500 << 20))
    with pytest.raises(ModelError, match=r"llama\.cpp .*(cannot load|ended while it loaded) model\.gguf"):
        wants_more.start()
    assert not wants_more.alive


@llama_cpp
def test_a_model_runs_within_the_bound_that_its_file_gives(tmp_path: Path) -> None:
    file = embedded_gguf(tmp_path / "model.gguf")
    process = Child(ChildSettings(file, 4096, 1, gpu_layers=0, memory=most_memory(read_gguf(file), 4096, 256)))
    process.start()
    assert process.alive
    process.stop()


def test_a_start_without_headway_is_ended_and_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    stand_in(monkeypatch, tmp_path, "while True:\n    pass\n")
    monkeypatch.setattr(bounds, "STALL_S", 1.5)
    file = tmp_path / "model.gguf"
    file.write_bytes(b"GGUF")
    process = Child(ChildSettings(file, 1024, threads=1))
    with pytest.raises(ModelError, match=r"no headway with model\.gguf .*use another file of this model"):
        process.start()
    assert not process.alive


@linux
def test_a_start_that_takes_memory_without_end_is_ended_and_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Without a bound by the system, as with a GPU."""
    stand_in(
        monkeypatch,
        tmp_path,
        "import time\nheld = []\nfor _ in range(30):\n    held.append(b'x' * 20_000_000)\ntime.sleep(60)\n",
    )
    file = tmp_path / "model.gguf"
    file.write_bytes(b"GGUF")
    process = Child(ChildSettings(file, 1024, threads=1, memory=100_000_000))
    with pytest.raises(ModelError, match=r"takes \d+ MB to load model\.gguf, more than such a file needs"):
        process.start()
    assert not process.alive


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_memory_that_ran_out_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    stand_in(monkeypatch, tmp_path, "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n")
    with pytest.raises(ModelError, match="memory ran out: use a smaller model"):
        Child(ChildSettings(tmp_path / "model.gguf", 1024, threads=1)).start()


def test_slow_loading_is_headway_and_standing_still_is_not() -> None:
    now, loaded = 0.0, 0
    headway = Headway(1_000_000_000, lambda: loaded, clock=lambda: now)
    for _ in range(60):  # an hour from a slow disk
        now, loaded = now + 59, loaded + 10_000_000
        assert not headway.stalled
    for _ in range(3):  # less than a hundredth of the file is none
        now, loaded = now + 19, loaded + 1_000_000
        assert not headway.stalled
    now += 19
    assert headway.stalled


def test_memory_that_comes_and_goes_is_no_headway() -> None:
    now, loaded = 0.0, 0
    headway = Headway(50_000_000, lambda: loaded, clock=lambda: now)
    stalled = []
    for round_ in range(70):
        now, loaded = round_, 40_000_000 * (round_ % 2)
        stalled.append(headway.stalled)
    assert stalled.index(True) == 62


def test_where_the_system_says_nothing_of_memory_the_size_gives_the_time() -> None:
    now = 0.0
    small, large = (Headway(size, lambda: None, clock=lambda: now) for size in (10_000_000, 4_000_000_000))
    now = STALL_S + 1
    assert small.stalled and not large.stalled
    now = STALL_S + 201
    assert large.stalled


@pytest.mark.parametrize(
    "fields",
    [
        {"llama.block_count": 1 << 62, "llama.embedding_length": 1 << 62},
        {"llama.attention.head_count": 0},
        {"llama.attention.head_count_kv": [2, 1 << 40, 4]},
        {"llama.block_count": "many"},
        {},
    ],
)
def test_a_bound_follows_from_the_size_whatever_the_head_says(fields: dict[str, object]) -> None:
    gguf = Gguf(Path("model.gguf"), {**embedded_fields(), **fields}, 7_000_000, 28_000_000)
    others = most_memory(Gguf(Path("model.gguf"), {}, 7_000_000, 28_000_000), 4096, 256)
    assert others <= most_memory(gguf, 4096, 256) <= others + 4 * gguf.bytes


@linux
def test_a_process_is_read_as_linux_has_it() -> None:
    memory, loaded = memory_of(os.getpid()), loaded_by(os.getpid())
    assert memory is not None and loaded is not None
    assert memory[0] > 10_000_000 and loaded > sum(memory)
    assert memory_of(None) is None and loaded_by(1 << 30) is None


def test_a_program_that_cannot_be_started_is_an_error_of_the_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in(monkeypatch, tmp_path, 'print(\'{"address": "here"}\', flush=True)\ninput()\n')
    settings = ChildSettings(tmp_path / "model.gguf", 1024, threads=1)
    process = Child(settings)
    process.start()
    monkeypatch.setattr(child.interpreter, "command", lambda *arguments: [str(tmp_path / "missing")])
    with pytest.raises(ModelError, match=r"llama\.cpp cannot be started: No such file"):
        Child(settings).start()
    process.kill()
    with pytest.raises(ServerUnavailable, match="cannot be started again"):
        process.revive()
