"""The recipes for Emacs, as the page has them, in a real Emacs without a window and with the real server."""

import ast
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

EMACS = shutil.which("emacs")
PAGE = Path(__file__).parents[2] / "editors" / "README.md"
LSP_MODE = Path(os.environ.get("SUTURE_TEST_CLIENTS", "")) / "lsp-mode"

pytestmark = pytest.mark.skipif(EMACS is None, reason="emacs is not installed (Debian: emacs-nox, elpa-eglot)")

LEFT, RIGHT = "def total(prices):\n    result = sum(prices)\n    return r", "\n"
OPEN = """
(switch-to-buffer (find-file "demo.py"))
(goto-char (point-max)) (forward-line -1) (end-of-line)
(defun wait (ready) (let ((n 0)) (while (and (< n 200) (not (funcall ready))) (setq n (1+ n)) (accept-process-output nil 0.2))))
"""
BY_EGLOT = """
(apply #'eglot (eglot--guess-contact))
(wait #'eglot-managed-p)
(defun entries ()
  (let ((table (run-hook-with-args-until-success 'completion-at-point-functions)))
    (and (listp table) (all-completions (buffer-substring (nth 0 table) (nth 1 table)) (nth 2 table)))))
(wait #'entries)
(completion-at-point)
"""
BY_LSP_MODE = """
(setq lsp-enabled-clients '(suture) lsp-auto-guess-root t lsp-enable-suggest-server-download nil lsp-lens-enable nil)
(lsp-workspace-folders-add default-directory)
(lsp)
(wait (lambda () (and (lsp-workspaces) (eq 'initialized (lsp--workspace-status (car (lsp-workspaces)))))))
(wait (lambda () (lsp-inline-completion-display) (accept-process-output nil 1) (lsp-inline-completion--active-p)))
(lsp-inline-completion-accept)
(unless (eolp) (error "the cursor stands before the accepted text"))
"""


def typed(recipe: str, before: str, script: str, folder: Path, server: list[str], *options: str) -> str:
    """The text of demo.py after a script has accepted a suggestion in it."""
    program = folder / "bin" / "suture"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\nSUTURE_CERTAINTY=0 exec {shlex.join(server)}\n", encoding="utf-8")
    program.chmod(0o755)
    (folder / "pyproject.toml").touch()
    (folder / "demo.py").write_text(LEFT + RIGHT, encoding="utf-8")
    page = PAGE.read_text(encoding="utf-8")
    found = re.search(rf"\*\*Emacs, {recipe}\.\*\*.*?```elisp\n(.*?)```", page, re.DOTALL)
    assert found is not None
    (folder / "run.el").write_text(f"{before}\n{found[1]}\n{OPEN}\n{script}\n(save-buffer)\n", encoding="utf-8")
    assert EMACS is not None
    run = subprocess.run(
        [EMACS, "-q", "--batch", "--eval", "(package-initialize)", *options, "-l", "run.el"],
        cwd=folder,
        env={"PATH": f"{program.parent}:/usr/bin:/bin", "HOME": str(folder)},
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-3000:]
    return (folder / "demo.py").read_text(encoding="utf-8")


def test_eglot_inserts_the_entry(tmp_path: Path, real_server: list[str]) -> None:
    text = typed("eglot", "(require 'eglot)", BY_EGLOT, tmp_path, real_server)
    assert text.startswith(LEFT) and len(text) > len(LEFT + RIGHT)
    ast.parse(text)


@pytest.mark.skipif(not LSP_MODE.is_dir(), reason="SUTURE_TEST_CLIENTS has no checkout of lsp-mode")
def test_lsp_mode_draws_and_inserts_the_suggestion(tmp_path: Path, real_server: list[str]) -> None:
    before = "(require 'cl-lib) (require 'lsp-mode) (require 'lsp-inline-completion)"
    text = typed("lsp-mode", before, BY_LSP_MODE, tmp_path, real_server, "-L", str(LSP_MODE))
    assert text.startswith(LEFT) and len(text) > len(LEFT + RIGHT)
    ast.parse(text)
