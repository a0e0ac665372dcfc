#!/usr/bin/env bash
# outlines-core goes by one keyword of a schema and passes over those beside it, so what it writes may be invalid, and what is valid may be refused.
#
# Guessed: keywords of a schema hold together, and one that an engine does not know raises an error, as an unknown `format` does.
# Seen with outlines-core 0.2.14: beside `$ref` and `enum` nothing else counts, `properties` hides `anyOf`, a key that is required but not described is
# not written (and refused, for no key is taken that is not described), and bounds of numbers are passed over. A schema that has nothing but a length is an
# error, however. llguidance 1.9.1 keeps all of them, but wants keys that are not described behind those that are.
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
    if matcher.is_error():
        return "error"
    tokens = tokenizer.tokenize_bytes(text.encode())
    return matcher.try_consume_tokens(tokens) == len(tokens) and matcher.is_accepting()


def outlines_takes(schema, text):
    try:
        return re.fullmatch(build_regex_from_schema(json.dumps(schema)), text) is not None
    except ValueError:
        return "error"


def keyed(key):
    return {"properties": {key: {"type": "integer"}}, "required": [key]}


string = {"$defs": {"s": {"type": "string"}}, "$ref": "#/$defs/s"}
for name, schema, *texts in (
    ("$ref and maxLength", {**string, "maxLength": 1}, '"a"', '"ab"'),
    ("enum and type", {"enum": ["a", 1], "type": "string"}, '"a"', "1"),
    ("enum and maxLength", {"enum": ["a", "ab"], "maxLength": 1}, '"a"', '"ab"'),
    ("anyOf and properties", {"type": "object", "anyOf": [keyed("a"), keyed("b")], **keyed("c")}, '{"c":1}', '{"a":1,"c":1}'),
    ("required alone", {"type": "object", **keyed("a"), "required": ["a", "b"]}, '{"a":1}', '{"a":1,"b":1}', '{"b":1,"a":1}'),
    ("minimum", {"type": "integer", "minimum": 5}, "4", "5"),
    ("multipleOf", {"type": "integer", "multipleOf": 5}, "4", "5"),
    ("minLength alone", {"minLength": 2}, '"a"', '"ab"'),
    ("unknown format", {"type": "string", "format": "colour"}, '"red"'),
):
    for text in texts:
        valid = jsonschema.Draft202012Validator(schema).is_valid(json.loads(text))
        print(f"{name}: {text} valid:", valid, "llguidance:", llguidance_takes(schema, text), "outlines-core:", outlines_takes(schema, text))
PYTHON
cat >"$folder/seen" <<'SEEN'
$ref and maxLength: "a" valid: True llguidance: True outlines-core: True
$ref and maxLength: "ab" valid: False llguidance: False outlines-core: True
enum and type: "a" valid: True llguidance: True outlines-core: True
enum and type: 1 valid: False llguidance: False outlines-core: True
enum and maxLength: "a" valid: True llguidance: True outlines-core: True
enum and maxLength: "ab" valid: False llguidance: False outlines-core: True
anyOf and properties: {"c":1} valid: False llguidance: False outlines-core: True
anyOf and properties: {"a":1,"c":1} valid: True llguidance: True outlines-core: False
required alone: {"a":1} valid: False llguidance: False outlines-core: True
required alone: {"a":1,"b":1} valid: True llguidance: True outlines-core: False
required alone: {"b":1,"a":1} valid: True llguidance: False outlines-core: False
minimum: 4 valid: False llguidance: False outlines-core: True
minimum: 5 valid: True llguidance: True outlines-core: True
multipleOf: 4 valid: False llguidance: False outlines-core: True
multipleOf: 5 valid: True llguidance: True outlines-core: True
minLength alone: "a" valid: False llguidance: False outlines-core: error
minLength alone: "ab" valid: True llguidance: True outlines-core: error
unknown format: "red" valid: True llguidance: error outlines-core: error
SEEN
"$folder/venv/bin/python" "$folder/ask.py" 2>/dev/null | tee "$folder/now"
diff "$folder/seen" "$folder/now" && echo "as it was seen"
