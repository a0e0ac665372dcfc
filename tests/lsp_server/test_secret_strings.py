"""Apparent secrets in strings are neither read by the model, nor copied, nor shown."""

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

from ..support.oracle_python import stdlib_sources

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


# Each form, with a secret at {}; "" in a form stands for quotes of any kind.
QUOTED = (
    'password = "{}"',
    'password: Final[str] = "{}"',
    'password: str | None = "{}"',
    'password = (\n    "{}"\n)',
    'password = \\\n    "{}"',
    'password = os.environ.get("PW", "{}")',
    'value = os.getenv("DB_PASSWORD", "{}")',
    'pair = ("password", "{}")',
    'user, password = "me", "{}"',
    'password, user = "{}", "me"',
    'login("me", "{}")',
    'db = connect("db1.example.com", "me", "{}")',
    'requests.get(address, auth=("me", "{}"))',
    'requests.get(address, auth=HTTPBasicAuth("me", "{}"))',
    'set_password("{}")',
    'settings["password"] = "{}"',
    'data = {{"db": {{"password": "{}"}}}}',
    'if password == "{}":\n    pass',
    'call(1, api_key="{}", b=2)',
    'headers = {{"Authorization": "Bearer {}"}}',
    'address = "https://example.com/api?access_token={}&page=1"',
    'address = "postgres://me:{}@db/name"',
)
SPLIT = ('password = "{0}" + "{1}"', 'password = "{0}" "{1}"', 'password = (\n    "{0}"\n    "{1}"\n)')
BARE = (
    "# password: {}",
    "x = 1  # the password is {}",
    "    # token={}",
    '"""\n    password: {}\n"""',
    "export DB_PASSWORD={}",
    "API_TOKEN={}",
    "$ curl -u me:{} https://example.com",
    "mysql --password {} name",
    "tool --api-key={}",
    "docker run -e DB_PASSWORD={} image",
    "// secret = {}",
    "password: {}",
    "- password: {}",
    "curl -H 'Authorization: Bearer {}'",
)
PASSWORDS = ("hunter2x9", "Tr0ub4dor", "p4ss-w0rt", "abc123def456")
QUOTES = ('"', "'", '"""', "'''", "`", 'f"', 'rb"', 'b"', 'F"""')


def in_quotes(form: str, quote: str) -> str:
    """A form with other quotes around its secret."""
    return form.replace('"{}"', f"{quote}{{}}{quote.lstrip('frbF')}")


@pytest.mark.parametrize("form", QUOTED)
@pytest.mark.parametrize("quote", QUOTES)
@pytest.mark.parametrize("secret", PASSWORDS)
def test_a_secret_of_each_form_is_hidden_in_any_quotes(form: str, quote: str, secret: str) -> None:
    text = "import os\n\n" + in_quotes(form, quote).format(secret) + "\nx = 1\n"
    hidden = without_secrets(text)
    assert secret not in hidden and len(hidden) == len(text)
    assert hidden.endswith("\nx = 1\n") and hidden.startswith("import os\n")


@pytest.mark.parametrize("form", [*BARE, *(form.replace("{}", "{0}{1}") for form in BARE)])
@pytest.mark.parametrize("secret", PASSWORDS)
def test_a_secret_without_quotes_is_hidden_in_comments_documents_and_shells(form: str, secret: str) -> None:
    assert secret not in without_secrets(f"a\n{form.format(secret, '')}\nb\n")


@pytest.mark.parametrize("form", SPLIT)
@pytest.mark.parametrize("secret", PASSWORDS)
def test_a_secret_is_hidden_in_pieces(form: str, secret: str) -> None:
    first, last = secret[:5], secret[5:]
    hidden = without_secrets(form.format(first, last))
    assert first not in hidden and last not in hidden
    key = KNOWN["github"]
    hidden = without_secrets(f'x = "{key[:4]}" + "{key[4:]}"')
    assert key[4:] not in hidden


def test_a_key_in_pem_is_hidden_far_down() -> None:
    body = "\n".join(some(WORD + "+/", 64) for _ in range(20)) + "\nabcd1234=="
    key = f"-----BEGIN {'RSA PRIVATE'} KEY-----\n{body}\n-----END {'RSA PRIVATE'} KEY-----"
    for text in ("x = 1\n" * 3000 + f'KEY = """{key}"""\n', "# " + key.replace("\n", "\n# "), repr(key)):
        hidden = without_secrets(text)
        assert not any(line in hidden for line in body.split("\n")[:-1]), text[-200:]
        assert len(hidden) == len(text)


@pytest.mark.parametrize(
    "line",
    [
        "password = get_password(user1)",
        "def check(token: Token2 = None) -> None:",
        "token = tokens[1]",
        'connect("server01.example.com", 80)',
        'token_url = "https://example.com/oauth2/token"',
        "x = password1",
        'print("the password of user 2 is wrong")',
        "# tokens: see parser2.py(1)",
        "assert token == token2",
        "call(token=token2, b=3)",
        "token=token2, b=3",
        "self.token2: Token3 = x",
        'secret = "${SECRET_1}"',
        'password = f"{user1}{host2}"',
        "for token in tokens2:",
        'tokens = ["if", "else"]',
    ],
)
def test_code_beside_such_a_name_is_shown(line: str) -> None:
    assert without_secrets(line) == line


def test_real_code_is_still_valid_with_its_secrets_hidden() -> None:
    """And little of it is hidden: 127 strings in 400 files, random ones among them."""
    hidden = 0
    for text in stdlib_sources(random.Random(5), 150, 60_000):
        without = without_secrets(text)
        hidden += len(spans(text))
        assert len(without) == len(text)
        compile(without, "a.py", "exec", dont_inherit=True)
    assert hidden <= 100


def test_escapes_in_a_secret_stay_valid() -> None:
    text = 'password = "ab1\\x41\\u0041\\n\\N{BULLET}c2"\n'
    hidden = without_secrets(text)
    assert "ab1" not in hidden and "c2" not in hidden and "\\x41\\u0041\\n\\N{BULLET}" in hidden
    compile(hidden, "a.py", "exec")


PIECES = [in_quotes(form, quote).format("hunter2x9") for form in QUOTED for quote in ('"', "'", '"""')]
PIECES += [form.format("hunter2", "x9") for form in (*SPLIT, *BARE)]
PIECES += [
    '"',
    "'",
    '"""',
    "\n",
    ",",
    "(",
    ")",
    "=",
    ":",
    " ",
    "#",
    "\\",
    "f",
    "x" * 30,
    "a/b+" * 700,
    "-----BEGIN EC PRIVATE KEY-----\n",
]
PIECES += [f'"{RANDOM["base62"]()}"', RANDOM["hex"](), "İK", "Bearer ", "password", "tok", "en", " + "]


@pytest.mark.parametrize("seed", range(20))
def test_an_edited_text_hides_what_a_new_one_hides(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(20):
        text = "".join(rng.choice(PIECES) + rng.choice(("\n", "\n", " ", "")) for _ in range(rng.randint(1, 30)))
        secrets = Secrets()
        secrets.hidden("a", text)
        for _ in range(8):
            start = rng.randrange(len(text) + 1)
            end = min(len(text), start + rng.choice((0, 0, 1, 5, 60, 3000)))
            before, text = text, text[:start] + rng.choice(["", *PIECES])[: rng.choice((1, 4, 5000))] + text[end:]
            assert secrets.hidden("a", text) == without_secrets(text), (before, start, end, text)


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


def _took_s(text: str) -> float:
    began_s = time.thread_time()
    spans(text)
    return time.thread_time() - began_s


@pytest.mark.parametrize("unit", ["token=", 'token="a1b2c3d4', "password=\n", "token: a[", "token = " + "a " * 40])
def test_a_text_of_hints_alone_is_read_in_linear_time(unit: str) -> None:
    short, long = (min(_took_s(unit * (size // len(unit))) for _ in range(3)) for size in (20_000, 160_000))
    assert long < 16 * short, (short, long)


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
    """Neither around the cursor nor in excerpts."""
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
