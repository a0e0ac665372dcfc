"""Foreign text never steers the terminal: hostile text through every command, and through their common print function."""

import contextlib
import importlib
import io
import json
import logging
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from suture.common.terminal import Parser, Styled, hand_over, say, visible
from suture.lsp_server.cli import COMMANDS
from suture.lsp_server.cli.colour import paint, paint_explanation
from suture.lsp_server.cli.main import main
from suture.lsp_server.protocol.pygls_fixes import CodeFreeFormatter

HOSTILE = "\x1b]0;owned\x07\x1b[2J\x9b31m\r\u202e\u2066\u200f\x08\x7f\U000e0041"
MEANT = (r"\x1b", r"\x9b", r"\u202e")
NAME = HOSTILE.replace("/", "")
GRAMMAR = f'start: "a" | "{HOSTILE}\n%import {HOSTILE}\n'


STEERS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff\U000e0001\U000e0020-\U000e007f]"
)
"""C0 and C1, the marks of the direction of text, line ends invisible to people, halves of pairs, tags."""


def steering(text: str) -> set[str]:
    """The characters a terminal would obey."""
    return set(STEERS.findall(text))


def test_every_character_that_steers_is_escaped() -> None:
    everything = "".join(map(chr, range(0x110000)))
    assert len(steering(everything)) > 2000 and steering(visible(everything)) == set()
    for kept in ("a\n\té漢\u200d\U0001f600 ~", "\u00a0\ue0b0"):
        assert visible(kept) == kept
    assert visible("\x1b[31m\u202e\U000e0041\x9b") == r"\x1b[31m\u202e\U000e0041\x9b"


def test_our_own_codes_are_shown_and_nobody_elses(capsys: pytest.CaptureFixture[str]) -> None:
    say(Styled("\033[1mbold\033[0m"), HOSTILE)
    out = capsys.readouterr().out
    assert out.startswith("\033[1mbold\033[0m \\x1b]0;owned") and steering(out) == {"\033"}


def test_what_is_painted_is_made_visible(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("suture.lsp_server.cli.colour.is_coloured", lambda stream: True)
    for part in (paint(HOSTILE, "red"), *paint_explanation(f"{NAME}:1:2 (x): y"), *paint_explanation("Open: x")):
        shown = visible(part) if not isinstance(part, Styled) else part
        assert steering(re.sub(r"\033\[\d+m", "", shown)) == set()


def test_a_result_is_handed_over_as_it_is_but_to_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    hand_over(HOSTILE)
    assert capsys.readouterr().out == HOSTILE + "\n"
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    hand_over(HOSTILE)
    assert steering(capsys.readouterr().out) == set()


def test_messages_of_parsers_and_of_logs_are_visible(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        Parser(prog="x").parse_args([HOSTILE])
    assert steering(capsys.readouterr().err) == set()
    record = logging.LogRecord("suture.x", logging.WARNING, "", 1, "the file %s", (HOSTILE,), None)
    assert steering(CodeFreeFormatter().format(record)) == set()


def _slua(folder: Path) -> list[str]:
    (folder / "host.slua-api").write_text(f"record R {{ a: {HOSTILE} }}\n")
    (folder / f"{NAME}.slua").write_text("x")
    return ["slua", "check", str(folder / f"{NAME}.slua")]


def _slua_api(folder: Path) -> list[str]:
    (folder / "x.slua").write_text("x")
    return ["slua", "check", "--api", str(folder / NAME), "x.slua"]


def _explain(folder: Path) -> list[str]:
    path = folder / f"{NAME}.py"
    path.write_text(f"x = '{HOSTILE.replace(chr(13), '')}' + \n# {HOSTILE}\ny = f(\n")
    return ["check", "--explain", str(path), "--at", "1:4"]


def _grammar_of(folder: Path) -> list[str]:
    (folder / "a.cfg").write_text(HOSTILE)
    (folder / f"{NAME}.lark").write_text(GRAMMAR)
    return ["check", "--explain", str(folder / "a.cfg"), "--at", "1:0", "--grammar", str(folder / f"{NAME}.lark")]


def _config(folder: Path) -> list[str]:
    key = json.dumps(HOSTILE)  # TOML has the same escapes, but for the last
    key = key.replace("\\udb40\\udc41", "")
    (folder / "pyproject.toml").write_text(f"[tool.suture]\n{key} = 1\nmodel = {key}\nlanguages = {{{key} = true}}\n")
    return ["config", "--folder", str(folder), "--trusted"]


def _model(folder: Path) -> str:
    place = folder / f"model{NAME}"
    place.mkdir()
    (place / "config.json").write_text(json.dumps({"model_type": HOSTILE, "architectures": [HOSTILE]}))
    (place / "model.safetensors").write_bytes(b"\x08\0\0\0\0\0\0\0{}      ")
    return str(place)


CASES = {
    "serve": [lambda folder: ["serve", "--tcp", NAME]],
    "complete": [
        lambda folder: ["complete", str(folder / f"{NAME}.py"), "--at", "1:0"],
        lambda folder: ["complete", __file__, "--at", "1:0", "--model", NAME],
        lambda folder: ["complete", __file__, "--at", NAME],
    ],
    "check": [
        _explain,
        lambda folder: [*_explain(folder), "--middle", f"){HOSTILE}"],
        lambda folder: [*_explain(folder), "--quotient"],
        lambda folder: [*_explain(folder), "--language", NAME],
        _grammar_of,
        lambda folder: ["check", "--explain", str(folder / NAME), "--at", "1:0"],
    ],
    "models": [
        lambda folder: ["models"],
        lambda folder: ["models", "use", NAME],
        lambda folder: ["models", "use", _model(folder)],
        lambda folder: ["models", "use", f"http://127.0.0.1:9/{NAME}"],
        lambda folder: ["models", "info", _model(folder)],
        lambda folder: ["models", "pull", NAME],
        lambda folder: ["models", NAME],
    ],
    "config": [_config, lambda folder: ["config", "--folder", str(folder / NAME)]],
    "doctor": [lambda folder: ["doctor", "--model", NAME]],
    "stats": [lambda folder: ["stats", "--days", NAME]],
    "bench": [lambda folder: ["bench", "decoding", "--model", NAME]],
    "playground": [lambda folder: ["playground", "--port", NAME]],
    "slua": [_slua, _slua_api],
    "train": [
        lambda folder: ["train", str(folder / f"{NAME}.toml")],
        lambda folder: ["train", "--steps", NAME],
    ],
}


def test_each_command_is_tried() -> None:
    assert set(CASES) == {module.__name__.rpartition(".")[2] for module in COMMANDS} | {"train"}


@pytest.mark.parametrize(
    "case", [pytest.param(case, id=f"{name}-{n}") for name, cases in CASES.items() for n, case in enumerate(cases)]
)
def test_no_command_lets_others_steer_the_terminal(
    case, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("XDG_CONFIG_HOME", "HOME", "SUTURE_STATE_DIR", "HF_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    with contextlib.suppress(ImportError):
        importlib.import_module("huggingface_hub.constants")  # which reads the variable once, for all later tests
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_bytes(HOSTILE.encode())
    arguments = case(tmp_path)
    if arguments[0] in ("models", "doctor") and len(arguments) in (1, 3):
        monkeypatch.setenv("SUTURE_MODEL", f"other{NAME}")
    try:
        main(arguments)
    except SystemExit:
        pass
    out, err = capfd.readouterr()
    assert steering(out + err) == set()
    assert any(one in out + err for one in MEANT), (out, err)  # it was on its way


def test_a_person_at_a_terminal_sees_nothing_else(tmp_path: Path) -> None:
    """With a terminal of its own, in colour: only the codes of `paint` come."""
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    path = tmp_path / f"{NAME}.py"
    path.write_text("x = (\n")
    command = [sys.executable, "-m", "suture.lsp_server", "check", "--explain", str(path), "--at", "1:5"]
    environment = {**os.environ, "TERM": "xterm", "NO_COLOR": ""}
    process = subprocess.Popen(command, stdout=theirs, stderr=theirs, stdin=theirs, env=environment)
    os.close(theirs)
    shown = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:
            break
        if not piece:
            break
        shown += piece
    os.close(ours)
    assert process.wait() == 0
    text = shown.decode().replace("\r\n", "\n")
    assert "\033[1m" in text and r"\x1b" in text
    assert steering(re.sub(r"\033\[\d{1,2}m", "", text)) == set()
