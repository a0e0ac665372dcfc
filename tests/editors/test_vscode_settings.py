"""The settings sent by the VS Code extension to the server, with a stand-in for the editor; needs the extension's own packages."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

EXTENSION = Path(__file__).resolve().parents[2] / "editors" / "vscode"
ESBUILD = EXTENSION / "node_modules" / ".bin" / "esbuild"
STAND_IN = """
export let made = {};
export function be(values) { made = values; }
const config = {
  get: (name) => name !== made.name ? undefined : made.workspaceFolderValue ?? made.workspaceValue ?? made.globalValue ?? "",
  inspect: (name) => name === made.name ? made : {},
};
export const workspace = { getConfiguration: () => config, workspaceFolders: [{ uri: { fsPath: "/work space" } }] };
export const Uri = { parse: (text) => text };
"""
DRIVER = """
import { be } from "vscode";
import { chosenOnly, readStartSettings } from "settings";
const told = [];
for (const made of JSON.parse(process.argv[2])) {
  be(made);
  const given = { [made.name]: made.workspaceFolderValue ?? made.workspaceValue ?? made.globalValue };
  told.push([readStartSettings()[made.name] ?? null, chosenOnly(given, undefined)[made.name] ?? ""]);
}
console.log(JSON.stringify(told));
"""
OWN, EVIL = "http://mine:8000/v1", "https://evil.example/v1#m"
MODELS = [
    ({}, ""),
    ({"globalValue": OWN}, OWN),
    ({"workspaceValue": EVIL}, ""),
    ({"workspaceFolderValue": EVIL}, ""),
    ({"workspaceValue": "HTTP://evil"}, ""),
    ({"workspaceValue": " http://evil"}, ""),
    ({"workspaceValue": "${env:ADDRESS}"}, ""),
    ({"globalValue": "./mine", "workspaceValue": EVIL}, "./mine"),
    ({"globalValue": OWN, "workspaceFolderValue": EVIL}, OWN),
    ({"globalValue": OWN, "workspaceValue": "qwen", "workspaceFolderValue": EVIL}, "qwen"),
    ({"globalValue": OWN, "workspaceValue": "${workspaceFolder}/m"}, "/work space/m"),
]


STRICTER = [
    ("contextFiles", False, True, False),
    ("contextFiles", True, False, False),
    ("contextFiles", None, False, False),
    ("contextFiles", False, None, False),
    ("offline", True, False, True),
    ("offline", None, False, False),
    ("streaming", False, True, False),
    ("disabledGlobs", ["mine/**"], ["*.py", "mine/**"], ["mine/**", "*.py"]),
    ("disabledGlobs", ["mine/**"], [], ["mine/**"]),
    (
        "languages",
        {"json": False},
        {"json": True, "go": False, "rust": True},
        {"json": False, "go": False, "rust": True},
    ),
    ("maxTokens", 9, 90, 90),
]
ARGS = [
    (["--threads", "2"], ["--model", EVIL], ["--threads", "2"]),
    (None, ["--model", EVIL], []),
    ("--verbose", None, ["--verbose"]),
]


def told(tmp_path: Path, cases: list[dict]) -> list[list]:
    """The start settings and the settings for the server, for values set in several places."""
    (tmp_path / "vscode.js").write_text(STAND_IN)
    (tmp_path / "driver.js").write_text(DRIVER)
    alias = [f"--alias:vscode={tmp_path / 'vscode.js'}", f"--alias:settings={EXTENSION / 'src' / 'settings.ts'}"]
    bundle = tmp_path / "bundle.cjs"
    command = [ESBUILD, tmp_path / "driver.js", "--bundle", "--platform=node", f"--outfile={bundle}", *alias]
    subprocess.run(command, check=True, capture_output=True)
    environment = {"ADDRESS": EVIL, "PATH": "/usr/bin:/bin:/usr/local/bin"}
    node = shutil.which("node")
    assert node is not None
    ran = subprocess.run([node, bundle, json.dumps(cases)], check=True, capture_output=True, text=True, env=environment)
    return json.loads(ran.stdout)


def made(name: str, ours: Any, theirs: Any) -> dict[str, Any]:
    both = {"globalValue": ours, "workspaceValue": theirs}
    return {"name": name, **{where: value for where, value in both.items() if value is not None}}


NEEDS_NODE = pytest.mark.skipif(
    not ESBUILD.exists() or shutil.which("node") is None, reason="needs `npm ci` in editors/vscode"
)


@NEEDS_NODE
def test_no_workspace_names_a_server(tmp_path: Path) -> None:
    said = told(tmp_path, [{"name": "model", **values} for values, _ in MODELS])
    assert said == [[model, model] for _, model in MODELS]


@NEEDS_NODE
def test_a_workspace_makes_settings_only_stricter(tmp_path: Path) -> None:
    said = told(tmp_path, [made(name, ours, theirs) for name, ours, theirs, _ in STRICTER])
    assert [value for _, value in said] == [held for *_, held in STRICTER]


@NEEDS_NODE
def test_the_arguments_of_the_server_are_the_users_alone(tmp_path: Path) -> None:
    said = told(tmp_path, [made("args", ours, theirs) for ours, theirs, _ in ARGS])
    assert [arguments for arguments, _ in said] == [held for *_, held in ARGS]
