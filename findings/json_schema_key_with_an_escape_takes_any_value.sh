#!/usr/bin/env bash
# A key of a schema that is written once more with an escape takes any value in llguidance and xgrammar: what a parser reads then breaks the schema.
#
# Guessed: both engines keep a declared key from being written twice, so what they write has a declared key's type however its reader treats keys.
# Seen with llguidance 1.9.1 and xgrammar 0.2.9: behind `"a": 1` neither takes another `"a"`, so keys are compared. They are compared as they are
# written: `"\u0061"` is an additional key for both, of any value or of the type of `additionalProperties`, and JSON's parsers keep the last of two
# equal keys, so `a` is then a string. Where no additional key is allowed there is no such key either. An additional key may come twice as it is.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check xgrammar==0.2.9 llguidance==1.9.1 jsonschema==4.26.0
cat >"$folder/ask.py" <<'PYTHON'
import json

import jsonschema
import xgrammar
from llguidance import LLMatcher, LLTokenizer


def xgrammar_takes(schema, text):
    byte_tokens = [*(bytes([byte]) for byte in range(256)), b"</s>"]
    info = xgrammar.TokenizerInfo(byte_tokens, xgrammar.VocabType.RAW, stop_token_ids=[256])
    compiled = xgrammar.GrammarCompiler(info).compile_json_schema(json.dumps(schema))
    matcher = xgrammar.GrammarMatcher(compiled)
    return matcher.accept_string(text) and matcher.accept_token(256)


def llguidance_takes(schema, text):
    tokenizer = LLTokenizer("byte")
    matcher = LLMatcher(tokenizer, LLMatcher.grammar_from_json_schema(json.dumps(schema)))
    tokens = tokenizer.tokenize_bytes(text.encode())
    return matcher.try_consume_tokens(tokens) == len(tokens) and matcher.is_accepting()


TEXTS = ('{"a": 1}', '{"a": "x"}', '{"a": 1, "a": "x"}', r'{"a": 1, "\u0061": "x"}', r'{"\u0061": "x", "a": 1}', '{"a": 1, "b": "x", "b": "y"}')
for additional in (True, {"type": "string"}, False):
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": additional}
    for text in TEXTS:
        value = json.loads(text)
        valid = jsonschema.Draft202012Validator(schema).is_valid(value)
        answers = llguidance_takes(schema, text), xgrammar_takes(schema, text)
        print("additional:", additional, text, "read as", value, "valid:", valid, "llguidance, xgrammar:", *answers)
PYTHON
cat >"$folder/seen" <<'SEEN'
additional: True {"a": 1} read as {'a': 1} valid: True llguidance, xgrammar: True True
additional: True {"a": "x"} read as {'a': 'x'} valid: False llguidance, xgrammar: False False
additional: True {"a": 1, "a": "x"} read as {'a': 'x'} valid: False llguidance, xgrammar: False False
additional: True {"a": 1, "\u0061": "x"} read as {'a': 'x'} valid: False llguidance, xgrammar: True True
additional: True {"\u0061": "x", "a": 1} read as {'a': 1} valid: True llguidance, xgrammar: False False
additional: True {"a": 1, "b": "x", "b": "y"} read as {'a': 1, 'b': 'y'} valid: True llguidance, xgrammar: True True
additional: {'type': 'string'} {"a": 1} read as {'a': 1} valid: True llguidance, xgrammar: True True
additional: {'type': 'string'} {"a": "x"} read as {'a': 'x'} valid: False llguidance, xgrammar: False False
additional: {'type': 'string'} {"a": 1, "a": "x"} read as {'a': 'x'} valid: False llguidance, xgrammar: False False
additional: {'type': 'string'} {"a": 1, "\u0061": "x"} read as {'a': 'x'} valid: False llguidance, xgrammar: True True
additional: {'type': 'string'} {"\u0061": "x", "a": 1} read as {'a': 1} valid: True llguidance, xgrammar: False False
additional: {'type': 'string'} {"a": 1, "b": "x", "b": "y"} read as {'a': 1, 'b': 'y'} valid: True llguidance, xgrammar: True True
additional: False {"a": 1} read as {'a': 1} valid: True llguidance, xgrammar: True True
additional: False {"a": "x"} read as {'a': 'x'} valid: False llguidance, xgrammar: False False
additional: False {"a": 1, "a": "x"} read as {'a': 'x'} valid: False llguidance, xgrammar: False False
additional: False {"a": 1, "\u0061": "x"} read as {'a': 'x'} valid: False llguidance, xgrammar: False False
additional: False {"\u0061": "x", "a": 1} read as {'a': 1} valid: True llguidance, xgrammar: False False
additional: False {"a": 1, "b": "x", "b": "y"} read as {'a': 1, 'b': 'y'} valid: False llguidance, xgrammar: False False
SEEN
"$folder/venv/bin/python" "$folder/ask.py" 2>/dev/null | tee "$folder/now"
diff "$folder/seen" "$folder/now" && echo "as it was seen"
