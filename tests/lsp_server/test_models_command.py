"""`suture models` and `suture doctor`, run as a user runs them."""

import json
import re
import shutil
from pathlib import Path

import pytest
from suture.lsp_server.cli import doctor_checks
from suture.lsp_server.cli.main import main
from suture.lsp_server.runtime import offer
from suture.lsp_server.settings import chosen_models, user_file
from suture.lsp_server.settings.spec import GrammarSetting
from suture.model.loading.stores import Stored

from ..support.gguf_files import embedded_gguf
from ..support.modelzoo import bytelevel, save_model


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_model(tmp_path_factory.mktemp("model"), bytelevel())


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Nobody's settings are read or written."""
    monkeypatch.setattr(user_file, "user_config_dir", lambda *_, **__: str(tmp_path / "config"))
    monkeypatch.delenv("SUTURE_MODEL", raising=False)
    monkeypatch.setattr("suture.model.loading.info.cached", list)
    monkeypatch.setattr("suture.model.runtime.served.running.running", list)
    return tmp_path / "config" / "config.toml"


def run(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> tuple[str, str]:
    assert main(arguments) == code
    return capsys.readouterr()


def rows(capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, object]]:
    return {row["name"]: row for row in json.loads(run(capsys, "models", "--json")[0])}


def test_the_list_shows_the_active_one(capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = run(capsys, "models")
    assert re.search(r"^\*>? *embedded", out, re.MULTILINE) and "qwen2.5-coder-1.5b" in out
    listed = rows(capsys)
    assert listed["embedded"]["active"] and listed["embedded"]["here"]
    assert not listed["mellum-4b"]["here"]


def test_use_writes_the_users_file_and_keeps_what_is_in_it(
    folder: Path, own_home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    own_home.parent.mkdir()
    own_home.write_text("# mine\nmax_tokens = 20  # short\n", encoding="utf-8")
    monkeypatch.chdir(folder.parent)
    run(capsys, "models", "use", f"./{folder.name}")
    assert own_home.read_text(encoding="utf-8").startswith("# mine\nmax_tokens = 20  # short\n")
    assert rows(capsys)[str(folder)]["active"] and not rows(capsys)["embedded"]["active"]
    run(capsys, "models", "use", "embedded")
    assert own_home.read_text(encoding="utf-8") == "# mine\nmax_tokens = 20  # short\n"
    assert rows(capsys)["embedded"]["active"]


def test_a_model_that_was_chosen_before_stays_in_the_list(
    folder: Path, own_home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = Path(shutil.copytree(folder, tmp_path / "own"))
    run(capsys, "models", "use", str(folder))
    run(capsys, "models", "use", "embedded")
    kept = rows(capsys)[str(folder)]
    assert (kept["active"], kept["here"], kept["note"]) == (False, True, "chosen before")
    own_home.write_text(f"model = '{folder}'\n", encoding="utf-8")  # by hand
    chosen_models.chosen_file().unlink()
    assert [row for row in rows(capsys).values() if row["active"]] == [rows(capsys)[str(folder)]]
    run(capsys, "models", "use", "embedded")
    assert str(folder) in rows(capsys)
    shutil.rmtree(folder)
    assert str(folder) not in rows(capsys)


def test_a_list_of_models_chosen_before_is_bounded_and_may_be_damaged() -> None:
    for number in range(20):
        chosen_models.remember_chosen(f"/m{number % 12}.gguf")
    assert chosen_models.chosen_before() == [f"/m{number}.gguf" for number in range(7, -1, -1)]
    for content in ("", "[1, 2]", "{}", "[" * 60_000):
        chosen_models.chosen_file().write_text(content, encoding="utf-8")
        assert chosen_models.chosen_before() == []


@pytest.mark.parametrize("said", ["", "asking", "later", "download"])
def test_who_chooses_the_embedded_model_is_offered_no_other(
    said: offer.Said, own_home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(offer, "ASKING_S", 0.0)
    monkeypatch.setattr(offer, "LATER_S", 0.0)
    offer.remember(said, "qwen2.5-coder-0.5b-q4")
    run(capsys, "models", "use", "embedded")
    answer = offer.remembered()
    assert not answer.may_ask and answer.said != "download"


def test_use_refuses_what_is_not_there(own_home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, err = run(capsys, "models", "use", "mellum-4b", code=1)
    assert "`suture models pull mellum-4b` downloads it" in err and not own_home.exists()
    _, err = run(capsys, "models", "use", "./nowhere", code=1)
    assert "there is no such folder" in err
    _, err = run(capsys, "models", "use", "./nothing.gguf", code=1)
    assert "there is no such file" in err


def test_a_name_that_there_is_not_is_told_with_what_is_meant(
    own_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for action in ("use", "pull", "info"):
        _, err = run(capsys, "models", action, "qwen2.5-coder-05b-q4", code=1)
        assert "there is no model of that name: do you mean qwen2.5-coder-0.5b-q4" in err
        _, err = run(capsys, "models", action, "nonsense", code=1)
        assert "there is no model of that name: `suture models` lists some" in err
    assert not own_home.exists()


def test_use_loads_a_file_before_it_is_the_active_one(
    own_home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = embedded_gguf(tmp_path / "small.gguf")
    monkeypatch.setattr("suture.model.runtime.served.child.available", lambda: False)
    _, err = run(capsys, "models", "use", str(whole), code=1)
    assert "GGUF files need llama.cpp: install xllamacpp with: " in err and not own_home.exists()
    monkeypatch.undo()
    pytest.importorskip("xllamacpp")
    monkeypatch.setattr(user_file, "user_config_dir", lambda *_, **__: str(own_home.parent))
    cut = tmp_path / "cut.gguf"
    cut.write_bytes(whole.read_bytes()[:-100_000])
    _, err = run(capsys, "models", "use", str(cut), code=1)
    assert not own_home.exists()
    out, err = run(capsys, "models", "use", str(whole))
    assert "llama.cpp with" in err and f"{whole} is the active model" in out
    assert f'model = "{whole}"' in own_home.read_text(encoding="utf-8")


def test_use_refuses_what_pytorch_would_run_where_there_is_none(
    own_home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    other = save_model(tmp_path / "other", bytelevel(), "qwen2")
    monkeypatch.setattr("suture.model.loading.installed.has", lambda extra: False)
    _, err = run(capsys, "models", "use", str(other), code=1)
    assert "needs PyTorch: install torch and transformers with: " in err and not own_home.exists()


def test_info_works_before_a_download(capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = run(capsys, "models", "info", "qwen2.5-coder-3b-q4")
    assert "1.9 GB" in out and "no commercial use" in out and "not on this machine" in out
    known = json.loads(run(capsys, "models", "info", "qwen2.5-coder-3b-q4", "--json")[0])
    there = json.loads(run(capsys, "models", "info", "embedded", "--json")[0])
    assert list(known) == list(there) and known["folder"] is None and known["stored_bytes"] == 1_930_000_000


def test_the_columns_do_not_run_together(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    long = Stored("lmstudio:" + "a/long/name" * 8, Path("/models/x.gguf"), 123)
    monkeypatch.setattr("suture.model.loading.stores.stored", lambda: [long])
    lines = run(capsys, "models")[0].split("\n\n")[0].splitlines()
    where = {lines[0].index(head) for head in ("name", "here", "licence")}
    assert all(line[at - 1] == " " and line[at - 2] == " " for line in lines for at in where if at < len(line))
    assert any(long.name + "  yes" in line for line in lines)


def test_programs_that_read_the_list_find_what_they_know(capsys: pytest.CaptureFixture[str]) -> None:
    known = {"name", "hub", "active", "here", "parameters", "bytes", "licence", "note"}
    added = {"recommended", "wait_ms", "commercial", "install"}
    assert all(set(row) == known | added for row in rows(capsys).values())


def test_a_damaged_settings_file_is_not_overwritten(own_home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own_home.parent.mkdir()
    own_home.write_text("model = [", encoding="utf-8")
    _, err = run(capsys, "models", "use", "embedded", code=1)
    assert "is not TOML" in err and own_home.read_text(encoding="utf-8") == "model = ["


def test_info(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = run(capsys, "models", "info", str(folder))
    assert "prefix first" in out and "512 tokens" in out
    described = json.loads(run(capsys, "models", "info", "embedded", "--json")[0])
    assert described["order"] == "spm" and described["parameters"] > 1_000_000


def test_info_of_a_file_says_how_it_is_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = run(capsys, "models", "info", str(embedded_gguf(tmp_path / "small.gguf")))
    assert "suture, suffix first" in out and "stored as F32" in out  # as the file itself says, against its tokens


def test_pull_says_what_is_wrong(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub
    from huggingface_hub import errors

    def unreachable(*_: object, **__: object) -> None:
        raise errors.LocalEntryNotFoundError("no connection")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", unreachable)
    _, err = run(capsys, "models", "pull", "qwen2.5-coder-0.5b", code=1)
    assert "988 MB, licence Apache-2.0" in err and "the hub cannot be reached" in err


def test_pull_asks_the_hub_for_the_right_one(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import huggingface_hub

    asked: list[tuple[str, bool]] = []

    def download(name: str, *, local_files_only: bool, **_: object) -> str:
        asked.append((name, local_files_only))
        return str(folder)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", download)
    out, _ = run(capsys, "models", "pull", "qwen2.5-coder-0.5b")
    assert asked[0] == ("Qwen/Qwen2.5-Coder-0.5B", False)
    assert all(local for _, local in asked[1:])
    assert str(folder) in out


def test_doctor_finds_nothing_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = run(capsys, "doctor", "--json")
    findings = {finding["check"]: finding for finding in map(json.loads, out.splitlines())}
    assert {
        "suture",
        "python",
        "torch",
        "llama.cpp",
        "memory",
        "suited",
        "cache folder",
        "grammars",
        "tree-sitter",
        "workspace",
        "types",
        "model",
        "prompt",
        "test",
    } == set(findings)
    assert "error" not in {finding["level"] for finding in findings.values()}
    assert "return " in findings["test"]["found"] and " ms" in findings["test"]["found"]


def test_doctor_says_what_to_do(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setattr("suture.parser.grammar.cache.cache_folder", lambda: tmp_path / "file" / "cache")
    out, _ = run(capsys, "doctor", "--model", str(tmp_path / "nowhere"), code=1)
    assert "there is no such folder" in out and "`suture models` lists some" in out
    assert "look  cache folder" in out and "make the folder writable" in out


def test_doctor_reads_the_workspace_that_it_is_given(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.suture]\nmax_tokns = 3\n", encoding="utf-8")
    given = ["doctor", "--model", str(tmp_path / "nowhere"), "--folder"]
    out, _ = run(capsys, *given, str(tmp_path), code=1)
    assert f"look  workspace     {tmp_path / 'pyproject.toml'} [tool.suture]: there is no setting 'max_tokns'" in out
    out, _ = run(capsys, *given, str(tmp_path.parent), code=1)
    assert f"ok    workspace     {tmp_path.parent}: " in out
    _, err = run(capsys, *given, str(tmp_path / "pyproject.toml"), code=1)
    assert "is not a folder" in err


def test_a_check_that_fails_is_a_finding() -> None:
    def _broken_thing() -> doctor_checks.Finding:
        raise RuntimeError("no way\nmore")

    assert doctor_checks._guarded(_broken_thing) == doctor_checks.Finding(
        "broken thing", "error", "no way", "install Suture again, in a fresh environment"
    )


def test_doctor_compiles_the_grammars_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "own.lark"

    def found(source: str) -> doctor_checks.Finding:
        path.write_text(source, encoding="utf-8")
        return doctor_checks._own_grammar(GrammarSetting("own", str(path)))

    plain = 'start: (NAME "=" WORD)*\nNAME: /[a-z]+/\nWORD: /[A-Z]+/\n%ignore " "\n'
    assert found(plain) == doctor_checks.Finding("grammar own", "ok", str(path))
    # After ")" only the parser's stack tells whether an expression goes on.
    statements = 'start: (stmt ";")*\nstmt: "if" "(" expr ")" WORD | "let" NAME "=" expr | expr\nexpr: term | expr IN term\nterm: NAME | "(" expr ")"\n'
    words = 'WORD: /[a-z]+/\nNAME: /[a-z]+/\nIN: "in"\n%ignore " "\n'
    lost = found("//@ lexer contextual\n" + statements + words)
    assert lost.level == "warning" and "WORD as a whole" in lost.found
    broken = found("start: A\n%declare A\n")
    assert broken.level == "error" and "terminal A is declared without a pattern" in broken.found and broken.advice
