"""The VS Code extension's manifest agrees with the server, and everything shown and installed is there."""

import json
import re
import struct
from pathlib import Path
from typing import Any

import pytest
from suture.lsp_server.settings.spec import SPECS, Settings, read_layer
from suture.parser.languages.registry import BUILT_IN

EXTENSION = Path(__file__).resolve().parents[2] / "editors" / "vscode"
MANIFEST = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))
PROPERTIES: dict[str, dict[str, Any]] = MANIFEST["contributes"]["configuration"]["properties"]


def camel_case(name: str) -> str:
    return re.sub("_([a-z])", lambda match: match[1].upper(), name)


@pytest.mark.parametrize("name", SPECS)
def test_each_setting_of_the_server_is_on_the_page_with_its_default(name):
    shown = PROPERTIES[f"suture.{camel_case(name)}"]
    assert shown["markdownDescription"]
    default = getattr(Settings(), name)
    if default is None:
        assert shown["default"] in (None, "")
    else:
        assert shown["default"] == (
            dict(default) if hasattr(default, "items") else list(default) if default == () else default
        )


def test_the_server_knows_each_setting_on_the_page():
    """The editor's own ones are passed over in silence, not reported as unknown."""
    told = {name.removeprefix("suture.").split(".")[0]: shown["default"] for name, shown in PROPERTIES.items()}
    assert read_layer(told, "the editor")[1] == []


def test_what_a_workspace_may_not_choose_is_restricted():
    restricted = MANIFEST["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"]
    chosen = {f"suture.{camel_case(name)}" for name, spec in SPECS.items() if spec.trusted_only}
    assert chosen | {"suture.path", "suture.interpreter", "suture.enable"} <= set(restricted)
    # Packages, and the arguments of `suture serve` (possibly a model's address), are the user's choice alone.
    own = {f"suture.{camel_case(name)}" for name, spec in SPECS.items() if spec.user_only}
    for name in ("suture.torch", "suture.torchIndex", "suture.args", *own):
        assert PROPERTIES[name]["scope"] == "machine"


def test_the_extension_has_the_same_settings_as_the_server_made_only_stricter():
    settings = (EXTENSION / "src" / "settings.ts").read_text(encoding="utf-8")
    listed = re.search(r"const STRICTER[^=]*= \[(.*?)\]", settings, re.DOTALL)
    assert listed is not None
    # Whether suggestions are on at all, a user may say in each workspace; an untrusted one's own word does not count.
    wanted = {camel_case(name) for name, spec in SPECS.items() if spec.tighten and not spec.user_only} - {"enable"}
    assert set(re.findall(r'"(\w+)"', listed[1])) == wanted


def test_the_icon_is_a_png_of_a_size_that_is_shown():
    data = (EXTENSION / MANIFEST["icon"]).read_bytes()
    assert data.startswith(b"\x89PNG\r\n")
    width, height = struct.unpack(">II", data[16:24])
    assert width == height >= 128


def test_the_walkthrough_starts_the_extension_whose_server_ticks_its_first_step():
    (walkthrough,) = MANIFEST["contributes"]["walkthroughs"]
    assert f"onWalkthrough:{walkthrough['id']}" in MANIFEST["activationEvents"]
    extension = (EXTENSION / "src" / "extension.ts").read_text(encoding="utf-8")
    assert '"setContext", "suture.serverRuns"' in extension
    assert walkthrough["steps"][0]["completionEvents"] == ["onContext:suture.serverRuns"]


def test_the_extension_brings_the_pins_and_the_script_that_installs_along():
    makefile = (EXTENSION.parents[1] / "Makefile").read_text(encoding="utf-8")
    rule = makefile.split("\nvsix:")[1].split("\n\n")[0]
    assert all(each in rule for each in ("constraints.txt", "hashes.txt", "scripts/setup_environment.py"))
    assert "!bundled/**" in (EXTENSION / ".vscodeignore").read_text(encoding="utf-8").splitlines()
    install = (EXTENSION / "src" / "install.ts").read_text(encoding="utf-8")
    assert '"constraints.txt", "setup_environment.py"' in install


def test_the_extension_starts_for_each_language_of_the_server():
    settings = (EXTENSION / "src" / "settings.ts").read_text(encoding="utf-8")
    (listed,) = re.findall(r"EXACT: readonly string\[\] = (\[.*?\]);", settings)
    assert set(json.loads(listed)) == set(BUILT_IN)
    started = {event.removeprefix("onLanguage:") for event in MANIFEST["activationEvents"] if ":" in event}
    (checked,) = re.findall(r"CHECKED: readonly string\[\] = \[([^\]]*)\]", settings)
    assert {*json.loads(listed), *re.findall(r'"(\w+)"', checked)} <= started


def test_the_editors_suggest_in_each_language_by_default_and_readme_says_so():
    from suture.parser import checked_names

    served = set(BUILT_IN)
    names = checked_names()
    settings = (EXTENSION / "src" / "settings.ts").read_text(encoding="utf-8")
    listed = re.search(r"CHECKED: readonly string\[\] = \[([^\]]*)\]", settings)
    assert listed is not None
    assert {names[name] for name in re.findall(r'"(\w+)"', listed[1])} == set(names.values())
    assert "configurationDefaults" not in MANIFEST["contributes"]  # these switched JSON off
    plugin = EXTENSION.parent / "neovim"
    in_code, in_help, in_readme = (
        re.search(pattern, (plugin / file).read_text(encoding="utf-8"))
        for file, pattern in [
            ("lua/suture/config.lua", r"\n  filetypes = \{\s*('[^}]*'),?\s*\},"),
            ("doc/suture.txt", r"filetypes\tList: [^{}]*\{ ('.*') \}"),
            ("README.md", r"\| `filetypes` \| `\{ ('.*?') \}` \|"),
        ]
    )
    for listed in (in_code, in_help, in_readme):
        assert listed is not None
        filetypes = {name.strip("'") for name in re.split(r",\s*", listed[1])}
        assert filetypes & served == served
        assert {names[name] for name in filetypes - served} == set(names.values())
    first_screen = (EXTENSION.parents[1] / "README.md").read_text(encoding="utf-8").split("\n## ")[0].lower()
    assert all(name.removesuffix("react") in first_screen for name in served)


def test_what_the_manifest_names_is_there_and_packed():
    declared = MANIFEST["contributes"]
    paths = [one["configuration"] for one in declared["languages"]] + [one["path"] for one in declared["grammars"]]
    packed = (EXTENSION / ".vscodeignore").read_text(encoding="utf-8").splitlines()
    for path in paths:
        json.loads((EXTENSION / path).read_text(encoding="utf-8"))
        assert f"!{Path(path).parts[0]}/**" in packed
