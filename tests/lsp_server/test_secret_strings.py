"""Strings that look like secrets are neither read by the model, nor copied, nor shown."""

import base64
import random
import string
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from suture.lsp_server.completion.engine.cursor_context import CursorContext
from suture.lsp_server.completion.engine.pipeline import CompletionEngine
from suture.lsp_server.completion.proposing.shown import Suggestion
from suture.lsp_server.context.cross_file import OtherFile
from suture.lsp_server.context.secret_strings import HIDING, Secrets, is_random, is_secret, spans, without_secrets
from suture.lsp_server.settings.spec import Settings

RNG = random.Random(48)
WORD = string.ascii_letters + string.digits


def some(alphabet: str, length: int) -> str:
    return "".join(RNG.choice(alphabet) for _ in range(length))


# Put together here, so that no scanner takes them for somebody's.
KNOWN = {
    "openai": "sk-" + some(WORD, 40),
    "stripe": "sk_" + "live_" + some(WORD, 24),
    "github": "ghp" + "_" + some(WORD, 36),
    "github_fine": "github" + "_pat_" + some(WORD, 60),
    "gitlab": "glpat" + "-" + some(WORD, 20),
    "slack": "xoxb" + "-" + some(string.digits, 12) + "-" + some(WORD, 24),
    "aws": "AKIA" + some(string.ascii_uppercase + string.digits, 16),
    "google": "AIza" + some(WORD, 35),
    "npm": "npm" + "_" + some(WORD, 36),
    "hub": "hf" + "_" + some(WORD, 34),
    "jwt": "eyJ" + some(WORD, 20) + ".eyJ" + some(WORD, 40) + "." + some(WORD, 40),
    "sendgrid": "SG." + some(WORD, 22) + "." + some(WORD, 43),
}
RANDOM = {
    "hex": lambda: some("0123456789abcdef", 40),
    "base62": lambda: some(WORD, 40),
    "base64": lambda: base64.b64encode(RNG.randbytes(30)).decode(),
    "base32": lambda: base64.b32encode(RNG.randbytes(20)).decode(),
    "aws": lambda: some(WORD + "/+", 40),
}
PLAIN = (
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "Ipv6CidrBlockNetworkBorderGroup",
    "/usr/lib/python3.11/site-packages/numpy/core",
    "BSD-3-Clause-No-Nuclear-License-2014",
    "get_user_by_identifier_and_name_2",
    "2026-11-26T12:00:00.000000+00:00",
    "https://example.com/a/path/to/something/version2",
    "0123456789012345678901234567890",
    "abcdefghijklmnopqrstuvwxyz",
    "suture.lsp_server.completion.engine.pipeline3",
)


@pytest.mark.parametrize("name", KNOWN)
@pytest.mark.parametrize("line", ['key = "{}"', "# {}", "export KEY={}", "headers = {{'Authorization': 'Bearer {}'}}"])
def test_a_secret_with_a_known_beginning_is_hidden_wherever_it_is(name, line):
    text = f"a = 1\n{line.format(KNOWN[name])}\nb = 2\n"
    hidden = without_secrets(text)
    assert len(hidden) == len(text) and KNOWN[name][-12:] not in hidden
    assert hidden.startswith("a = 1\n") and hidden.endswith("\nb = 2\n")


@pytest.mark.parametrize("kind", RANDOM)
def test_random_strings_are_hidden_nearly_always(kind):
    found = sum(bool(spans(f'x = "{RANDOM[kind]()}"')) for _ in range(300))
    assert found >= 270


@pytest.mark.parametrize("text", PLAIN)
def test_names_paths_and_dates_are_no_secrets(text):
    assert not is_random(text) and without_secrets(f'x = "{text}"') == f'x = "{text}"'


@pytest.mark.parametrize(
    ("line", "secret"),
    [
        ('PASSWORD = "{}"', "hunter2hunter2"),
        ('db_password: str = "{}"', "Tr0ub4dor"),
        ("'api_key': '{}',", "abc123def456"),
        ("url = 'postgres://user:{}@host/db'", "hunter2"),
        ('config["client_secret"] = "{}"', "s3cr3tvalue"),
    ],
)
def test_what_a_name_calls_a_secret_is_one(line, secret):
    assert secret not in without_secrets(line.format(secret))
    assert without_secrets('password = "please enter one"') == 'password = "please enter one"'
    assert without_secrets("password = get_password(user1)") == "password = get_password(user1)"


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_after_any_edit_the_same_is_hidden_as_in_a_new_text(data):
    pieces = [
        *KNOWN.values(),
        RANDOM["hex"](),
        '"',
        "'",
        "\n",
        " = ",
        "x",
        "password = '",
        "abc12345",
        "# ",
        "://u:p4ss@h",
    ]
    text = "".join(data.draw(st.lists(st.sampled_from(pieces), max_size=20)))
    secrets = Secrets()
    for _ in range(6):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 30)))
        text = text[:start] + data.draw(st.sampled_from(["", *pieces])) + text[end:]
        assert secrets.hidden("a", text) == without_secrets(text)


def test_a_keystroke_in_a_large_file_costs_next_to_nothing():
    text = "".join(f'value_{n} = call("argument {n}", {n})\n' for n in range(20_000))
    secrets = Secrets()
    secrets.hidden("a", text)
    began_s = time.thread_time()
    for n in range(1, 21):
        edited = text[: 500_000 + n] + "x" * n + text[500_000 + n :]
        assert secrets.hidden("a", edited) is edited
    assert (time.thread_time() - began_s) / 20 < 0.005


def place(text: str, others: tuple[OtherFile, ...] = (), language: str = "python") -> CursorContext:
    return CursorContext("file:///a", language, text.replace("|", ""), text.index("|"), others=others)


@pytest.fixture(scope="module")
def engine() -> CompletionEngine:
    return CompletionEngine(Settings(certainty=0), patient=True)


@pytest.mark.parametrize("name", ["openai", "github", "aws", "jwt"])
@pytest.mark.parametrize(
    "marked", ['API_KEY_2 = "|"\n', 'API_KEY_2 = "|\n', "API_KEY_2 = |\n", 'API_KEY_2 = "{start}|"\n', "|\n"]
)
def test_the_key_of_the_line_above_is_not_written_again(engine, name, marked):
    """By copying, by a candidate, by the next line; whole or in part."""
    key = KNOWN[name]
    text = f'import os\n\nAPI_KEY_1 = "{key}"\nAPI_KEY_1B = "{key}"\n' + marked.replace("{start}", key[:5])
    here = place(text)
    found = engine.suggest(here, lambda: False)
    texts = [found.text] if isinstance(found, Suggestion) else []
    texts += [one.text for one in engine.alternatives(here, 3, lambda: False)]
    for said in texts:
        assert key[6:14] not in said and HIDING * 8 not in said


def test_the_model_sees_no_secret_of_this_file_or_another(engine, monkeypatch):
    """Neither in what is around the cursor nor in excerpts."""
    seen: list[str] = []
    key = KNOWN["openai"]

    def complete(model, constraint, left, right, options, **more):
        seen.extend((left, right, *(piece.text for piece in options.snippets)))
        raise AssertionError

    monkeypatch.setattr("suture.model.complete", complete)
    other = OtherFile("/b.py", f'def connect_to(client):\n    token = "{key}"\n    return client\n')
    text = f'API_KEY = "{key}"\n\ndef use(client):\n    connect_to(client)\n    |\n\nOTHER = "{key}"\n'
    with pytest.raises(AssertionError):
        engine.suggest(place(text, (other,)), lambda: False)
    assert seen and not any(key[3:12] in one for one in seen)


def test_a_text_that_goes_on_with_a_secret_is_one():
    key = KNOWN["openai"]
    assert is_secret(f'x = "{key[:20]}', key[20:]) and is_secret('x = "', f'{key}"')
    assert is_secret("", HIDING * 12)
    assert not is_secret(f'x = "{key}"\n', "y = 1") and not is_secret("", "total(prices)")
