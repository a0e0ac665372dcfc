#!/usr/bin/env bash
# In outlines-core `allOf` joins its parts one after another, as if a value had to be followed by the next.
#
# Guessed: `allOf` means that one value keeps all parts, or is refused where an engine cannot do that.
# Seen with outlines-core 0.2.14: the regular expression is the first part's and then the second's. Two objects that are each to have a key give two objects
# in a row, which is no JSON, and the object that has both keys is refused. With two integers what comes may even be JSON: a number of one digit is refused,
# and what is taken is any two integers side by side. Only an `allOf` of a single part is read as it is meant. llguidance 1.9.1 is right in all of them.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check llguidance==1.9.1 outlines-core==0.2.14 jsonschema==4.26.0
cat >"$folder/ask.py" <<'PYTHON'
import json
import re

import jsonschema
from llguidance import LLMatcher, LLTokenizer
from outlines_core.json_schema import build_regex_from_schema


def llguidance_takes(schema, text):
    tokenizer = LLTokenizer("byte")
    matcher = LLMatcher(tokenizer, LLMatcher.grammar_from_json_schema(json.dumps(schema)))
    tokens = tokenizer.tokenize_bytes(text.encode())
    return matcher.try_consume_tokens(tokens) == len(tokens) and matcher.is_accepting()


def outlines_takes(schema, text):
    return re.fullmatch(build_regex_from_schema(json.dumps(schema)), text) is not None


def is_valid(schema, text):
    try:
        return jsonschema.Draft202012Validator(schema).is_valid(json.loads(text))
    except json.JSONDecodeError:
        return "no JSON"


def keyed(key):
    return {"type": "object", "properties": {key: {"type": "integer"}}, "required": [key]}


integer = {"type": "integer"}
both = {"allOf": [keyed("a"), keyed("b")]}
numbers = {"allOf": [integer, {"title": "Port", **integer}]}
for name, schema, text in (
    ("one part", {"allOf": [keyed("a")]}, '{"a":1}'),
    ("two objects", both, '{"a":1,"b":2}'),
    ("two objects", both, '{"a":1}{"b":2}'),
    ("two integers", numbers, "7"),
    ("two integers", numbers, "77"),
    ("two integers", numbers, "1-3"),
):
    print(name, text, "valid:", is_valid(schema, text), "llguidance:", llguidance_takes(schema, text), "outlines-core:", outlines_takes(schema, text))
PYTHON
cat >"$folder/seen" <<'SEEN'
one part {"a":1} valid: True llguidance: True outlines-core: True
two objects {"a":1,"b":2} valid: True llguidance: True outlines-core: False
two objects {"a":1}{"b":2} valid: no JSON llguidance: False outlines-core: True
two integers 7 valid: True llguidance: True outlines-core: False
two integers 77 valid: True llguidance: True outlines-core: True
two integers 1-3 valid: no JSON llguidance: False outlines-core: True
SEEN
"$folder/venv/bin/python" "$folder/ask.py" 2>/dev/null | tee "$folder/now"
diff "$folder/seen" "$folder/now" && echo "as it was seen"
