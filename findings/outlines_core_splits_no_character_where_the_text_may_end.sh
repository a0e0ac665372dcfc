#!/usr/bin/env bash
# Where a text may end, outlines-core allows no token that is part of a character: under `.*` every character of two tokens is lost.
#
# Guessed: a token is allowed if some text of the regular expression goes on with it, however the vocabulary splits the text into tokens.
# Seen with outlines-core 0.2.14, for one vocabulary with a token for "é" and one with a token for each of its two bytes, as byte-level vocabularies have for
# all letters that are rare: under `.+` the first "é" of two tokens is taken and a second one is not, under `.*`, `[^"]*` and `aé?` none is, since the text
# before it is a match already. In the quotes of `"[^"]*"` all are taken. The token for the whole letter always is. llguidance 1.9.1 takes every text byte by
# byte. There is no error: such a letter is just never written.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check outlines-core==0.2.14 llguidance==1.9.1
cat >"$folder/ask.py" <<'PYTHON'
import re

from llguidance import LLMatcher, LLTokenizer
from outlines_core import Index, Vocabulary

LETTER = "é".encode()


def outlines_takes(regex, text, split):
    """Whether the text's tokens are taken: one for each byte, or one for each letter."""
    letters = [LETTER[:1], LETTER[1:]] if split else [LETTER]
    tokens = [*letters, b"a", b'"']
    index = Index(regex, Vocabulary(len(tokens), {token: [number] for number, token in enumerate(tokens)}))
    state = index.get_initial_state()
    for character in text:
        for token in letters if character == "é" else [character.encode()]:
            state = index.get_next_state(state, tokens.index(token))
            if state is None:
                return False
    return index.is_final_state(state)


def llguidance_takes(regex, text):
    tokenizer = LLTokenizer("byte")
    matcher = LLMatcher(tokenizer, LLMatcher.grammar_from_regex(regex))
    tokens = tokenizer.tokenize_bytes(text.encode())
    return matcher.try_consume_tokens(tokens) == len(tokens) and matcher.is_accepting()


for regex, text in (
    (".+", "é"),
    (".+", "éé"),
    (".+", "aé"),
    (".*", "é"),
    ('[^"]*', "é"),
    ("(a|é)*", "aé"),
    ("aé?", "aé"),
    ("a?é", "aé"),
    ('"[^"]*"', '"éé"'),
):
    valid = re.fullmatch(regex, text) is not None
    answers = ("one token:", outlines_takes(regex, text, split=False), "two tokens:", outlines_takes(regex, text, split=True))
    print(regex, ascii(text), "valid:", valid, *answers, "llguidance:", llguidance_takes(regex, text))
PYTHON
cat >"$folder/seen" <<'SEEN'
.+ '\xe9' valid: True one token: True two tokens: True llguidance: True
.+ '\xe9\xe9' valid: True one token: True two tokens: False llguidance: True
.+ 'a\xe9' valid: True one token: True two tokens: False llguidance: True
.* '\xe9' valid: True one token: True two tokens: False llguidance: True
[^"]* '\xe9' valid: True one token: True two tokens: False llguidance: True
(a|é)* 'a\xe9' valid: True one token: True two tokens: False llguidance: True
aé? 'a\xe9' valid: True one token: True two tokens: False llguidance: True
a?é 'a\xe9' valid: True one token: True two tokens: True llguidance: True
"[^"]*" '"\xe9\xe9"' valid: True one token: True two tokens: True llguidance: True
SEEN
"$folder/venv/bin/python" "$folder/ask.py" | tee "$folder/now"
diff "$folder/seen" "$folder/now" && echo "as it was seen"
