"""Where nothing is suggested, and which files are never looked at."""

import shutil
import subprocess
from pathlib import Path

import pytest
from suture.lsp_server.context.gitignore import is_ignored
from suture.lsp_server.context.globs import any_matches
from suture.lsp_server.context.secrets import in_word, leads_to_secret, looks_secret, respects_word


@pytest.mark.parametrize(
    "path",
    [
        ".env", "/home/me/app/.env", "a/.env.local", "a/prod.env", ".envrc", "server.PEM", "tls/server.key", "id_rsa", "id_ed25519",
        "/home/me/.ssh/config", "/home/me/.aws/config", "C:/Users/me/.aws/credentials", "credentials", "credentials.json", "secrets.yaml",
        "secret.toml", ".netrc", ".pypirc", ".npmrc", "client_secret_1.json", "terraform.tfstate", "prod.tfvars", "tokens.txt",
        "keys.kdbx", ".git-credentials", "key.p12", ".env~", ".env.swp", "#.env#", "secrets.json.bak", ".secrets.yaml.swp",
        "/home/me/.docker/config.json", "/home/me/.config/gh/hosts.yml", ".config/gcloud/access_tokens.db", ".bash_history",
        "/home/me/.python_history", ".zsh_history", ".secrets", ".secrets/any.txt", ".histfile", ".viminfo", ".m2/settings.xml",
    ],
)  # fmt: skip
def test_files_that_look_secret(path):
    assert looks_secret(path)


@pytest.mark.parametrize(
    "path",
    [
        "app.py", "secrets.py", "/lib/secrets.py", "environment.py", "keyboard.py", "env/app.py", "credentials.py", "tokens.py",
        "history.py", "shell_history.py", "docker/config.json", ".docker/app.py", "gh/hosts.yml", "config.json", "secrets.py.bak",
        "id_rsa.pub", "settings.json", "package.json", "test_env.py", "monkey.py", "tokenizer.json",
    ],
)  # fmt: skip
def test_files_that_do_not(path):
    assert not looks_secret(path)


@pytest.mark.parametrize(
    ("marked", "suggestion", "inside", "shown"),
    [
        ("x = fo|o", "o_ba", True, True),  # one word still
        ("x = fo|o", "o(a).", True, False),
        ("x = |foo", "bar + ", False, True),
        ("x = |foo", "bar", False, False),  # would become another word
        ("x = fo|", "o", False, True),
        ("x = fo|)", "o", False, True),
        ("é|é", "a", True, True),
        ("a|1", ".b", True, False),
        ("|x", "", False, True),
    ],
)
def test_words(marked, suggestion, inside, shown):
    text, offset = marked.replace("|", ""), marked.index("|")
    assert in_word(text, offset) is inside
    assert respects_word(text, offset, suggestion) is shown


PATTERNS = {
    ".gitignore": "# a comment\n*.log\n!keep.log\nbuild/\n/only_here.py\ndocs/*.txt\n**/deep\na/**/z.py\nspace\\ \n\\#x\n[ab].c\n!\n/\n"
    "trailing   \nq?.py\nfoo/**\n\\!bang\nx[!a-c].h\n",
    "sub/.gitignore": "*.tmp\n!important.log\n/rooted\n",
    ".git/info/exclude": "excluded.py\n",
}
PATHS = [
    "a.log", "keep.log", "sub/keep.log", "sub/important.log", "build/x.py", "sub/build/y.py", "build.py", "only_here.py",
    "sub/only_here.py", "docs/a.txt", "docs/b/a.txt", "sub/docs/a.txt", "x/deep/y.py", "deep/y", "a/z.py", "a/b/c/z.py", "b/a/z.py",
    "space ", "#x", "a.c", "c.c", "sub/a.tmp", "a.tmp", "sub/rooted", "sub/x/rooted", "excluded.py", "sub/excluded.py", "trailing",
    "q1.py", "q12.py", "foo/a/b", "foo.py", "!bang", "xd.h", "xa.h", "build/keep.log", "plain.py", ".gitignore",
]  # fmt: skip


def test_ignored_files_are_those_that_git_ignores(tmp_path: Path):
    git = shutil.which("git")
    if git is None:
        pytest.skip("needs git as the oracle")
    env = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    subprocess.run([git, "init", "-q", str(tmp_path)], check=True, env=env)
    for name, text in PATTERNS.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    for name in PATHS:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            path.write_text("")
    command = [git, "-C", str(tmp_path), "check-ignore", "--no-index", "--stdin", "-z"]
    asked = "\0".join(PATHS) + "\0"
    told = subprocess.run(command, input=asked, capture_output=True, text=True, env=env).stdout
    expected = set(told.split("\0")) - {""}
    assert len(expected) > 15
    assert {name for name in PATHS if is_ignored(tmp_path / name)} == expected
    assert is_ignored(tmp_path / ".git" / "config")


def test_a_file_in_no_repository_is_not_ignored_and_changed_patterns_count(tmp_path: Path):
    (tmp_path / ".gitignore").write_text("*.py\n")
    assert not is_ignored(tmp_path / "a.py")
    (tmp_path / ".git").mkdir()
    assert is_ignored(tmp_path / "a.py")
    (tmp_path / ".gitignore").write_text("*.pyx\n")
    assert not is_ignored(tmp_path / "a.py")
    (tmp_path / ".gitignore").write_bytes(b"\xff\xfe[z-a]\n*.py")
    assert is_ignored(tmp_path / "a.py")


@pytest.mark.timeout(5)
@pytest.mark.parametrize("pattern", ["*a" * 60 + "b", "**/a/" * 60 + "b", "[a" * 500, "**" * 500])
def test_no_pattern_takes_long(tmp_path: Path, pattern: str):
    """Patterns come with a workspace that may not be trusted."""
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text(f"{pattern}\n")
    is_ignored(tmp_path.joinpath(*"a" * 60, "a" * 250))
    assert not any_matches((pattern[:100] + "c",), "/".join("a" * 60) + "/" + "a" * 250)


def test_a_link_to_a_secret_file_is_one(tmp_path):
    (tmp_path / ".env").write_text("KEY=1")
    (tmp_path / "plain.py").symlink_to(tmp_path / ".env")
    assert not looks_secret(str(tmp_path / "plain.py")) and leads_to_secret(str(tmp_path / "plain.py"))
    assert not leads_to_secret(str(tmp_path / "other.py"))
