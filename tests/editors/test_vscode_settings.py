"""What the VS Code extension tells the server of its settings, with a stand-in for the editor; needs the extension's own packages."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

EXTENSION = Path(__file__).resolve().parents[2] / "editors" / "vscode"
ESBUILD = EXTENSION / "node_modules" / ".bin" / "esbuild"
STAND_IN = """
export let made = {};
export function be(values) { made = values; }
const config = {
  get: (name) => name !== "model" ? undefined : made.workspaceFolderValue ?? made.workspaceValue ?? made.globalValue ?? "",
  inspect: (name) => name === "model" ? made : {},
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
  const given = { model: made.workspaceFolderValue ?? made.workspaceValue ?? made.globalValue };
  told.push([readStartSettings().model, chosenOnly(given, undefined).model ?? ""]);
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


@pytest.mark.skipif(not ESBUILD.exists() or shutil.which("node") is None, reason="needs `npm ci` in editors/vscode")
def test_no_workspace_names_a_server(tmp_path: Path) -> None:
    (tmp_path / "vscode.js").write_text(STAND_IN)
    (tmp_path / "driver.js").write_text(DRIVER)
    alias = [f"--alias:vscode={tmp_path / 'vscode.js'}", f"--alias:settings={EXTENSION / 'src' / 'settings.ts'}"]
    bundle = tmp_path / "bundle.cjs"
    command = [ESBUILD, tmp_path / "driver.js", "--bundle", "--platform=node", f"--outfile={bundle}", *alias]
    subprocess.run(command, check=True, capture_output=True)
    asked = json.dumps([made for made, _ in MODELS])
    environment = {"ADDRESS": EVIL, "PATH": "/usr/bin:/bin:/usr/local/bin"}
    node = shutil.which("node")
    assert node is not None
    ran = subprocess.run([node, bundle, asked], check=True, capture_output=True, text=True, env=environment)
    assert json.loads(ran.stdout) == [[model, model] for _, model in MODELS]
