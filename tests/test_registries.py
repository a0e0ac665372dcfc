"""The entries for other people's registries name the command, the licence, the version and all languages."""

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from suture.parser import languages

ROOT = Path(__file__).resolve().parent.parent
REGISTRIES = ROOT / "editors/registries"
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
SERVED = set(languages()) - {"slua"}  # scripts of sLua are edited beside the program running them


def test_mason_installs_this_version_with_its_command() -> None:
    package = yaml.safe_load((REGISTRIES / "mason/package.yaml").read_text("utf-8"))
    source = re.fullmatch(r"pkg:pypi/([\w-]+)@([\w.]+)\?extra=(\w+)", package["source"]["id"])
    assert source is not None
    assert source.groups() == (PROJECT["name"], PROJECT["version"], "gguf")
    assert "gguf" in PROJECT["optional-dependencies"]
    assert set(package["bin"]) <= set(PROJECT["scripts"]) and package["bin"] == {"suture": "pypi:suture"}
    assert package["licenses"] == [PROJECT["license"]]
    assert {name.lower() for name in package["languages"]} == {name.removesuffix("react") for name in SERVED}


def test_lsp4ij_starts_the_server_for_files_of_each_language() -> None:
    template = json.loads((REGISTRIES / "lsp4ij/template.json").read_text("utf-8"))
    installer = json.loads((REGISTRIES / "lsp4ij/installer.json").read_text("utf-8"))
    assert template["id"] == installer["id"] == PROJECT["name"]
    assert template["programArgs"]["default"] == "suture serve"
    assert {one["languageId"] for one in template["fileTypeMappings"]} == SERVED


@pytest.mark.parametrize(
    "value", ["cmd = { 'suture', 'serve' }", f"filetypes = {{ {', '.join(map(repr, sorted(SERVED)))} }}"]
)
def test_lspconfig_starts_the_server_for_each_language(value: str) -> None:
    assert value in (REGISTRIES / "nvim-lspconfig/lsp/suture.lua").read_text("utf-8")


def test_the_extension_has_this_version_and_an_identifier_of_its_own() -> None:
    manifest = json.loads((ROOT / "editors/vscode/package.json").read_text("utf-8"))
    assert manifest["version"] == PROJECT["version"]
    assert f"{manifest['publisher']}.{manifest['name']}" == "suture-completion.suture"
