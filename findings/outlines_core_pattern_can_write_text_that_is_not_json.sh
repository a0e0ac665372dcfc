#!/usr/bin/env bash
# In outlines-core a schema's `pattern` is matched against the JSON text, not the value: it can demand text that is no JSON.
#
# Guessed: `{"pattern": "^.$"}` stands for strings of one character, so a quote comes escaped.
# Seen with outlines-core 0.2.14: the pattern is put between two quotes as it is. So the regular expression takes three quotes in a row and a string with a
# line end in it, neither of which is JSON, and refuses the escaped quote, which is the only way to write it. llguidance 1.9.1 is right in all four.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check llguidance==1.9.1 outlines-core==0.2.14
cat >"$folder/ask.py" <<'PYTHON'
import json
import re

from llguidance import LLMatcher, LLTokenizer
from outlines_core.json_schema import build_regex_from_schema


def llguidance_takes(schema, text):
    tokenizer = LLTokenizer("byte")
    matcher = LLMatcher(tokenizer, LLMatcher.grammar_from_json_schema(json.dumps(schema)))
    tokens = tokenizer.tokenize_bytes(text.encode())
    return matcher.try_consume_tokens(tokens) == len(tokens) and matcher.is_accepting()


def outlines_takes(schema, text):
    return re.fullmatch(build_regex_from_schema(json.dumps(schema)), text) is not None


def is_json(text):
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


for pattern, text in (("^.$", '"""'), ("^.$", r'"\""'), ("^[^x]*$", '"a\nb"'), ("^[^x]*$", r'"a\\b"')):
    schema = {"type": "string", "pattern": pattern}
    print(pattern, ascii(text), "JSON:", is_json(text), "llguidance:", llguidance_takes(schema, text), "outlines-core:", outlines_takes(schema, text))
PYTHON
cat >"$folder/seen" <<'SEEN'
^.$ '"""' JSON: False llguidance: False outlines-core: True
^.$ '"\\""' JSON: True llguidance: True outlines-core: False
^[^x]*$ '"a\nb"' JSON: False llguidance: False outlines-core: True
^[^x]*$ '"a\\\\b"' JSON: True llguidance: True outlines-core: True
SEEN
"$folder/venv/bin/python" "$folder/ask.py" 2>/dev/null | tee "$folder/now"
diff "$folder/seen" "$folder/now" && echo "as it was seen"
