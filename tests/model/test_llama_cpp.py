"""Models run by a real llama.cpp: its own server, out of the package xllamacpp, with the embedded model in float32."""

import ast
import contextlib
import os
import re
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from suture.common.constraint import never
from suture.lsp_server.cli.doctor_checks import examine
from suture.lsp_server.settings.spec import Settings
from suture.model import Model, ModelError, Options, complete, load
from suture.model.decoding import api
from suture.model.errors import ServerHangs, ServerUnavailable
from suture.model.loading import cores
from suture.model.loading.find import EMBEDDED
from suture.model.runtime.served import llama_cpp
from suture.model.runtime.served.child import Child, ChildSettings, usable_threads
from suture.model.runtime.served.options import ServerOptions
from suture.model.runtime.served.runtime import ServedRuntime
from suture.model.runtime.served.transport import Transport
from suture.parser import language

from tests.support.gguf_files import chain_gguf, embedded_gguf
from tests.support.line_holes import line_holes
from tests.support.work import PATIENCE_S

pytest.importorskip("xllamacpp")

OPTIONS = Options(max_tokens=16, context_tokens=200, copying=False)
LEFT, RIGHT = 'def area(width, height):\n    """The area."""\n    return ', "\n\n\nprint(area(2, 3))\n"
KEY = "SUTURE_TEST_SERVER_KEY"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return embedded_gguf(tmp_path_factory.mktemp("gguf") / "embedded-f32.gguf")


@pytest.fixture(scope="module")
def child(file: Path) -> Iterator[Child]:
    child = Child(ChildSettings(file, 1024, threads=1))
    child.start()
    yield child
    child.stop()


def served(child: Child, **more: object) -> Model:
    os.environ[KEY] = child.key
    own = {"key_env": KEY, "tokenizer": str(EMBEDDED)} | more
    return load(f"{child.address}/v1", template="suture", order="spm", server=ServerOptions(**own))  # type: ignore[arg-type]


def run_by_a_child(file: Path) -> tuple[Model, ServedRuntime, Child]:
    model = load(str(file), device="cpu", threads=1)
    assert isinstance(model.runtime, ServedRuntime)
    return model, model.runtime, model.runtime.dialect.child  # type: ignore[attr-defined]


def fill(model: Model, left: str = LEFT, right: str = RIGHT, options: Options = OPTIONS, **more: object):
    state = language("python").hole(left, right).state
    assert state is not None
    return complete(model, state, left, right, options, **more)  # type: ignore[arg-type]


def test_drafts_give_what_the_model_gives_in_process(child: Child, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "SUTURE", SimpleNamespace(name="none"))  # so that both get the same prompts
    monkeypatch.setattr(llama_cpp, "_TIE", 0.0)  # of two nearly equal tokens this model, too, takes the best
    here, there = load(dtype="float32", copying=False, threads=1), served(child)
    assert isinstance(there.runtime, ServedRuntime)
    same = asked = 0
    for left, right in line_holes(40):
        state = language("python").hole(left, right).state
        if state is None:
            continue
        asked += 1
        found = complete(there, state, left, right, OPTIONS)
        assert found.complete
        ast.parse(left + found.text + right)
        other = complete(here, state, left, right, OPTIONS)
        bridged = found.ended == other.ended == "bridge"  # a bridge may be another name or number
        same += (found.written == other.written) if bridged else (found.text == other.text)
    # If the rows of a server lack the end, places to end earlier are ranked without it.
    assert same >= asked - 2
    assert there.runtime.counts.drafts < 4 * asked
    there.served.close()  # type: ignore[union-attr]


def test_alternatives_and_sampling_work_on_drafts(child: Child) -> None:
    from suture.model import candidates

    model = served(child)
    state = language("python").hole(LEFT, RIGHT).state
    assert state is not None
    found = candidates(model, state, LEFT, RIGHT, OPTIONS, n=3, budget_ms=20_000)
    assert len({one.text for one in found}) == len(found) >= 2
    sampled = fill(model, options=Options(max_tokens=24, temperature=0.8, seed=1, context_tokens=400))
    for one in (*found, sampled):
        ast.parse(LEFT + one.text + RIGHT)


@pytest.mark.parametrize("left", [LEFT, "import ", "def total(values):\n    return sum(", "x = 1\ny = "])
def test_a_draft_tells_what_all_tokens_would_say(child: Child, left: str) -> None:
    model = served(child)
    dialect, ids = model.runtime.dialect, list(model.vocabulary.encode(left))  # type: ignore[attr-defined]
    drafted = dialect.draft(ids, 1).next(never)
    body = {"prompt": ids, "n_predict": 1, "temperature": 0, "n_probs": llama_cpp.ALTERNATIVES, "cache_prompt": True}
    exact = dialect.transport.post("/completion", body)["completion_probabilities"][0]["top_logprobs"]
    likely = {top["id"]: top["logprob"] for top in exact if top["logprob"] > exact[0]["logprob"] - 9}
    assert len(likely) >= 8
    assert {token: drafted.log_probs[token] for token in likely} == pytest.approx(likely, abs=0.2)
    best = max(drafted.log_probs, key=drafted.log_probs.__getitem__)
    assert best == exact[0]["id"] or (best == drafted.token and likely[best] > exact[0]["logprob"] - 0.2)


def test_tokens_that_end_within_a_character_are_told(tmp_path: Path) -> None:
    """The server streams nothing of them: the rows behind them belonged to others."""
    text = 'a ✅"\n🚀ñ)'.encode()
    child = Child(ChildSettings(chain_gguf(tmp_path / "chain.gguf", text), 256, threads=1))
    child.start()
    try:
        dialect = llama_cpp.LlamaCpp(Transport(child.address, key=child.key))
        for wanted in (1, 4, len(text)):
            runtime = ServedRuntime(dialect, size=260, limit=256)
            runtime.begin(never, wanted)
            row, written = runtime.prefill([text[0]]), [text[0]]
            while len(written) < len(text):
                written.append(int(row.argmax()))
                row = runtime.step(written[-1])
                assert row.max() > -0.1, (wanted, written)
            assert bytes(written) == text
            runtime.end()
        first, second = text[2:4]
        assert dialect.among(text[:2], [second], never).keys() == {second}, "though it ends within a character"
        assert max(dialect.among(text[:2], None, never).items(), key=lambda told: told[1])[0] == first
    finally:
        child.stop()


def test_a_vocabulary_is_asked_for_where_there_is_no_tokenizer(child: Child) -> None:
    model = served(child, tokenizer=None)
    own = load(copying=False)
    assert model.vocabulary.bytes_of == own.vocabulary.bytes_of
    assert model.template.ends == own.template.ends
    text = "x = '<fim_suffix>' é 漢\r\n"
    assert model.vocabulary.decode(model.vocabulary.encode(text)) == text.encode()
    ast.parse(LEFT + fill(model).text + RIGHT)


def test_a_prompt_that_was_left_for_another_is_not_read_again(child: Child) -> None:
    """Reading ahead relies on this: a short prompt and a longer one at the same place are both kept, also a longer one's half."""
    model = served(child)
    ids = list(model.vocabulary.encode("".join(f"value_{n} = compute({n})\n" for n in range(120))))
    long, short, other = ids[:700], ids[600:700], ids[300:900]

    def newly_read(prompt: list[int]) -> int:
        body = {"prompt": prompt, "n_predict": 1, "temperature": 0, "cache_prompt": True}
        return model.runtime.dialect.transport.post("/completion", body)["timings"]["prompt_n"]  # type: ignore[attr-defined]

    for prompt in (short, long, other[:300]):
        assert newly_read(prompt) > 90
    assert newly_read([*short, 300]) <= 2 and newly_read([*long, 301]) <= 2
    assert newly_read(other) <= 301
    model.served.close()  # type: ignore[union-attr]


def test_a_file_is_run_by_a_child_that_ends_with_its_model(file: Path) -> None:
    model, runtime, child = run_by_a_child(file)
    assert model.template.name == "suture"
    assert "llama.cpp" in model.description
    process = child.process_id
    assert process is not None
    ast.parse(LEFT + fill(model).text + RIGHT)
    runtime.close()
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_child_that_is_killed_is_started_again(file: Path) -> None:
    model, runtime, child = run_by_a_child(file)
    first, before = fill(model).text, child.process_id
    assert before is not None
    os.kill(before, signal.SIGKILL)
    runtime._rows.clear()
    until_s = time.monotonic() + PATIENCE_S
    again = ""
    while not again and time.monotonic() < until_s:
        with contextlib.suppress(ServerUnavailable):  # it takes a while: a later call finds it ready
            again = fill(model).text
    assert again == first
    assert child.process_id not in (None, before)
    runtime.close()


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_child_that_hung_is_asked_where_it_listens_now_however_late(file: Path) -> None:
    model, runtime, child = run_by_a_child(file)
    first = fill(model).text
    assert child.process_id is not None
    os.kill(child.process_id, signal.SIGSTOP)
    with pytest.raises(ServerUnavailable, match="started again"):
        runtime.dialect.recover(ServerHangs("it hangs"))
    child._said.result(60)  # it serves before it is asked for again
    runtime.read_ahead(list(range(8)), never)  # the first request finds it
    runtime._rows.clear()
    assert fill(model).text == first
    runtime.close()


@pytest.mark.skipif(os.name != "posix", reason="processes")
def test_a_child_ends_with_the_process_that_started_it(file: Path) -> None:
    import subprocess
    import sys

    program = (
        "import os, sys; from pathlib import Path; from suture.model.runtime.served.child import Child, ChildSettings\n"
        "child = Child(ChildSettings(Path(sys.argv[1]), 512, threads=1)); child.start()\n"
        "print(child.process_id, flush=True); os.kill(os.getpid(), 9)"
    )
    done = subprocess.run([sys.executable, "-c", program, str(file)], capture_output=True, text=True)
    process = int(done.stdout)
    until_s = time.monotonic() + PATIENCE_S
    while time.monotonic() < until_s:
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return
        status = Path(f"/proc/{process}/status")
        if status.exists() and "zombie" in status.read_text():
            return
        time.sleep(0.1)
    raise AssertionError("the child lives on")


def test_doctor_says_how_much_of_a_prompt_the_server_keeps(file: Path, tmp_path: Path) -> None:
    findings = {one.check: one for one in examine(str(file), "cpu", True, Settings(), tmp_path)}
    assert findings["model"].level == "ok" and "thread" in findings["model"].found
    assert re.fullmatch(r"the model reads [\d,]+ and writes [\d.]+ tokens a second", findings["speed"].found)
    kept = re.fullmatch(r"(\d+) of (\d+) tokens of a prompt were kept", findings["cache"].found)
    assert kept is not None and int(kept[1]) >= int(kept[2]) - 1 > 0


def test_a_request_that_is_cancelled_stops_waiting(child: Child) -> None:
    model = served(child)
    asked = threading.Event()

    def cancelled() -> bool:
        asked.set()
        return True

    assert fill(model, cancelled=cancelled).cancelled
    assert asked.is_set()
    assert not fill(model).cancelled


def test_a_wrong_key_and_a_wrong_model_are_said(child: Child) -> None:
    os.environ[KEY] = "wrong"
    options = ServerOptions(key_env=KEY, tokenizer=str(EMBEDDED))
    with pytest.raises(ModelError, match="does not accept the key"):
        load(f"{child.address}/v1", server=options)
    with pytest.raises(ModelError, match=r"wants a key: name .*model_key_env"):
        load(f"{child.address}/v1", server=ServerOptions(tokenizer=str(EMBEDDED)))
    os.environ[KEY] = child.key
    with pytest.raises(ModelError, match=r"no model 'other': use one of embedded-f32"):
        load(f"{child.address}/v1#other", server=options)
    del os.environ[KEY]
    with pytest.raises(ModelError, match=KEY):
        load(f"{child.address}/v1", server=options)


def test_a_server_that_is_not_there_may_come_back() -> None:
    with pytest.raises(ServerUnavailable, match="cannot be reached"):
        load("http://127.0.0.1:9/v1")


def test_threads_follow_the_cores_however_busy_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    for count, threads in ((1, 1), (6, 6), (64, 8)):
        monkeypatch.setattr(cores, "usable", lambda count=count: count)
        for load_1 in (0.4, 11.0):
            monkeypatch.setattr(os, "getloadavg", lambda load_1=load_1: (load_1, 0.0, 0.0), raising=False)
            assert usable_threads() == threads
    assert usable_threads(3) == 3


def test_threads_do_not_spin_for_long_while_they_wait(monkeypatch: pytest.MonkeyPatch, file: Path) -> None:
    monkeypatch.setenv("GOMP_SPINCOUNT", "7")  # as the user says
    monkeypatch.setenv("LLAMA_ARG_HOST", "0.0.0.0")
    started = Child(ChildSettings(file, 512, threads=2))
    started.start()
    environment = Path(f"/proc/{started.process_id}/environ")
    if environment.exists():
        said = environment.read_bytes().split(b"\0")
        assert {b"OMP_WAIT_POLICY=PASSIVE", b"GOMP_SPINCOUNT=7"} <= set(said)
        assert not any(one.startswith(b"LLAMA_") for one in said)
    started.stop()


def test_the_speed_is_measured_again_with_each_prompt(file: Path) -> None:
    model, runtime, _ = run_by_a_child(file)
    reading = runtime.reading
    assert reading is not None and "writes" not in reading.in_words
    reading._late_ms = reading._best_ms = 1e6  # as on a very busy machine
    assert reading.whole == 384
    for number in range(4):  # jumps to other places
        left = "".join(f"value_{n} = compute({n * 7 + number})\n" for n in range(60))
        fill(model, left + "total = value", "\n")
    assert reading._best_ms < 1e3 and reading.whole > 384
    assert re.fullmatch(r"reads [\d,]+ and writes [\d.]+ tokens a second", reading.in_words)
    runtime.close()


def test_a_damaged_file_ends_in_a_line(tmp_path: Path, file: Path) -> None:
    cut = tmp_path / "cut.gguf"
    cut.write_bytes(file.read_bytes()[:-1_000_000])
    with pytest.raises(ModelError, match="download it again"):
        load(str(cut))
    head = tmp_path / "head.gguf"
    head.write_bytes(file.read_bytes()[:5000])
    with pytest.raises(ModelError, match="not a complete GGUF"):
        load(str(head))
    text = tmp_path / "text.gguf"
    text.write_text("not one")
    with pytest.raises(ModelError, match="not a GGUF file"):
        load(str(text))


def test_the_status_says_what_a_child_takes_and_how_much_it_reads(file: Path, child: Child) -> None:
    from suture.lsp_server.completion.engine.pipeline import CompletionEngine
    from suture.lsp_server.settings.spec import Settings

    engine = CompletionEngine(Settings(model=str(file)))
    assert engine.keeper.details() == ""
    engine.keeper.load()
    try:
        model = engine.keeper.model()
        assert model.served is not None and model.served.reading is not None
        assert engine.keeper.details().startswith(f"{model.served.reading.whole:,} tokens of context")
        taken = child.memory()
        if taken is None:  # not Linux
            return
        own, shared = taken
        assert own > 1_000_000 and shared > file.stat().st_size / 2
        assert "for itself, and" in engine.keeper.details()
        assert re.search(r"llama\.cpp with \d+ threads? reads [\d,]+.* tokens a second", engine.keeper.details())
        # A machine busy at the loading of the model gets its context later, and the status says so.
        model.served.reading._late_ms = model.served.reading._best_ms = 50.0
        assert engine.keeper.details().startswith("384 tokens of context")
        for _ in range(100):
            model.served.reading.note(5.0)
        assert engine.keeper.details().startswith("2,048 tokens of context")
    finally:
        engine.unload()
    assert engine.keeper.details() == ""
