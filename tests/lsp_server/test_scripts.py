"""Scripts of sLua over the protocol: suggestions with the right context, and diagnostics."""

import re
import shutil
from pathlib import Path

import pytest
from suture import slua

from ..support.raw_client import SERVER, Raw, running
from ..support.slua_scripts import DELVE, delve_api

DIAGNOSTICS = {"textDocument": {"publishDiagnostics": {}, "inlineCompletion": {}}}


@pytest.fixture(scope="module")
def client():
    with running(SERVER) as raw:
        raw.initialize(DIAGNOSTICS, statusNotification=True)
        while not any(status["state"] == "ready" for status in raw.said("suture/status")):
            raw.read()
        yield raw
        raw.end()


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "delve" / ".git").mkdir(parents=True)  # folders above a script are read up to its repository
    return shutil.copytree(DELVE, tmp_path / "delve", dirs_exist_ok=True)


def told(client: Raw, uri: str, version: int) -> list[dict]:
    """The problems of a version of a document."""
    while True:
        for params in client.said("textDocument/publishDiagnostics"):
            if params["uri"] == uri and params["version"] == version:
                return params["diagnostics"]
        client.read()


def items_at(client: Raw, path: Path, left: str, gone: str) -> list[str]:
    """The suggestions in the place of a part of a script; each of them leaves a script."""
    text = path.read_text()
    offset = text.index(left + gone) + len(left)
    before, after = text[:offset], text[offset + len(gone) :]
    client.open(path.as_uri(), before + after, "slua")
    items = client.items(path.as_uri(), before.count("\n"), len(before.rpartition("\n")[2]), kind=1)
    client.send("textDocument/didClose", {"textDocument": {"uri": path.as_uri()}})
    texts = [item["insertText"] for item in items]
    for shown in texts:
        assert slua.Api(delve_api()).check(before + shown + after) is None
    return texts


@pytest.mark.parametrize(("left", "gone"), [("target.Pus", "h"), ("g_str.FromNumb", "er"), ("NewTalen", "t")])
def test_names_are_ended_as_the_api_has_them(client, folder, left, gone):
    assert items_at(client, folder / "scripts" / "fireball.slua", left, gone) == [gone]


@pytest.mark.parametrize(
    ("left", "gone"),
    [
        ("g_level.Distance(at, ", "target.GetCoord()"),
        ("target.", "Damage((user.GetAttack() + 6) / (1 + far), user);"),
        ("        if far > 0 ", "and target.IsEnemyOf(user) "),
        ("Do = function(user, at)\n", ""),
    ],
)
def test_suggestions_leave_a_script_with_what_follows(client, folder, left, gone):
    items_at(client, folder / "scripts" / "fireball.slua", left, gone)


def test_what_is_wrong_is_told_and_taken_back(client, folder):
    path = folder / "scripts" / "venom_dart.slua"  # it uses a registration of another script of the folder
    uri, text = path.as_uri(), path.read_text()
    wrong = text.replace("g_effects.venom.Apply", "g_effects.venom.Applied")
    client.open(uri, wrong, "slua")
    (found,) = told(client, uri, 1)
    place = wrong[: wrong.index("Applied")]
    assert found["range"]["start"] == {
        "line": place.count("\n"),
        "character": len(place) - place.rindex("\n") - 1,
    }
    assert re.match("found 'Applied', expected a field of g_effects.venom", found["message"])
    change = {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"text": text}]}
    client.send("textDocument/didChange", change)
    assert told(client, uri, 2) == []


def test_a_missing_api_is_told(client, tmp_path):
    uri = (tmp_path / "lonely.slua").as_uri()
    client.open(uri, "do end", "slua")
    (found,) = told(client, uri, 1)
    assert "no *.slua-api file lies above" in found["message"]
    assert client.items(uri, 0, 3, kind=1) == []
