"""`suture slua`."""

import json
import shutil
from importlib.util import find_spec

import pytest
from suture.lsp_server.cli.main import main

from tests.support.slua_scripts import DELVE, SCRIPTS

runs_scripts = pytest.mark.skipif(find_spec("lupa") is None, reason="needs the extra `slua`")


def test_scripts_are_checked_in_order_with_the_nearest_api(tmp_path, capsys):
    folder = shutil.copytree(DELVE, tmp_path / "delve")
    paths = [str(folder / "scripts" / f"{name}.slua") for name in SCRIPTS]
    assert main(["slua", "check", *paths]) == 0
    assert capsys.readouterr().out.splitlines()[:3] == [
        f"{paths[0]}: a correct effect",
        f"{paths[1]}: a correct effect",
        f"{paths[2]}: a correct talent",
    ]


def test_other_scripts_of_the_folder_count_as_in_an_editor(tmp_path, capsys):
    folder = shutil.copytree(DELVE, tmp_path / "delve") / "scripts"
    assert main(["slua", "check", str(folder / "venom_dart.slua")]) == 0
    for name in SCRIPTS:
        if name != "venom_dart":
            (folder / f"{name}.slua").unlink()
    (folder / "broken.slua").write_text("do end")
    assert main(["slua", "check", str(folder / "venom_dart.slua")]) == 1


def test_errors_name_the_place(tmp_path, capsys):
    api = DELVE / "delve.slua-api"
    path = tmp_path / "x.slua"
    path.write_text('do\n  NewTalent({ id = "x", Do = function(user, at) user.Fly(); end });\nend\n')
    assert main(["slua", "check", str(path), "--api", str(api)]) == 1
    assert capsys.readouterr().out.startswith(f"{path}:2:53: found 'Fly', expected a field of Actor")
    assert main(["slua", "check", "--json", str(path), "--api", str(api)]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert (answer["ok"], answer["line"], answer["column"], answer["offset"]) == (False, 2, 53, 57)
    assert main(["slua", "translate", str(path), "--api", str(api)]) == 1
    assert capsys.readouterr().err.startswith(f"suture: {path}:2:53: found 'Fly'")


def test_scripts_are_translated(capsys):
    assert main(["slua", "translate", str(DELVE / "scripts" / "fireball.slua")]) == 0
    assert "target:Damage((user:GetAttack() + 6.0) / (1.0 + far), user)" in capsys.readouterr().out


def test_what_is_missing_is_said(tmp_path, capsys):
    path = tmp_path / "x.slua"
    for action in ("check", "translate", "run"):
        assert main(["slua", action, str(path)]) == 1
        assert capsys.readouterr().err == f"suture: {path}: cannot be read: No such file or directory\n"
    path.write_text("do end")
    assert main(["slua", "check", str(path)]) == 1
    assert "no *.slua-api file lies above" in capsys.readouterr().err
    assert main(["slua", "check", str(path), "--api", str(tmp_path / "no.slua-api")]) == 1
    assert "cannot read" in capsys.readouterr().err
    (tmp_path / "a.slua-api").write_text("record {")
    assert main(["slua", "check", str(path)]) == 1
    assert "a.slua-api:1: expected the name of a record, found '{'" in capsys.readouterr().err
    assert main(["slua", "check", str(path), "--api", str(DELVE / "delve.slua-api"), "--kind", "spell"]) == 1
    assert "the API has no kind 'spell'; it has: effect, talent" in capsys.readouterr().err


@runs_scripts
def test_scripts_are_run_with_a_host_made_from_the_api(tmp_path, capsys):
    folder = shutil.copytree(DELVE, tmp_path / "delve") / "scripts"
    paths = [str(folder / f"{name}.slua") for name in SCRIPTS]
    assert main(["slua", "run", *paths]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[:2] == [f"{paths[0]}: a effect".replace("a effect", "an effect"), "  the script done"]
    assert any(line.startswith("    Effects.") or line.startswith("    g_effects.venom.Apply(") for line in shown)
    assert main(["slua", "run", *paths]) == 0
    assert capsys.readouterr().out.splitlines() == shown  # the same seed, the same answers


@runs_scripts
def test_what_uses_up_its_budget_is_said(tmp_path, capsys):
    path = tmp_path / "x.slua"
    loops = "for i = 0, 9999 do for j = 0, 9999 do end end"
    path.write_text(f"""do
  NewTalent({{ id = "x", name = "x", cooldown = 1, range = 1,
    GetDescription = function(user) {loops} return "a"; end,
    Do = function(user, at) user.Say("hello"); end }});
end""")
    arguments = ["slua", "run", str(path), "--api", str(DELVE / "delve.slua-api"), "--json"]
    assert main([*arguments, "--instructions", "100000"]) == 1
    lines = list(map(json.loads, capsys.readouterr().out.splitlines()))
    outcomes = [line["outcome"] for line in lines if "ran" in line]
    assert outcomes == ["done", "instructions", "done"]
    assert {"call": "Actor.Say", "arguments": ['"hello"'], "result": None} in lines
    path.write_text("do")
    assert main(arguments) == 1
    assert "the text ends too early" in capsys.readouterr().err
