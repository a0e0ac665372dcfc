#!/usr/bin/env bash
# xgrammar never asks for a required key that is not among the properties, and may refuse the object that has it.
#
# Guessed: `required` means what it says, whether or not `properties` describes the key; an engine that cannot do that raises an error, as for `minProperties`.
# Seen with xgrammar 0.2.9, without an error or warning: with `a` described and `b` required, `{"a": 1}` is taken, which lacks `b`, and so is `{}` where
# nothing is described, so what a model writes may break the schema every time. With `strict_mode=False` `b` may be written as any other key, but only behind
# `a`: an object of `b` alone is refused, as is the empty one. Where `additionalProperties` describes `b` it is the same. llguidance takes no object without `b`.
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


def xgrammar_takes(schema, text, strict):
    byte_tokens = [*(bytes([byte]) for byte in range(256)), b"</s>"]
    info = xgrammar.TokenizerInfo(byte_tokens, xgrammar.VocabType.RAW, stop_token_ids=[256])
    compiled = xgrammar.GrammarCompiler(info).compile_json_schema(json.dumps(schema), strict_mode=strict)
    matcher = xgrammar.GrammarMatcher(compiled)
    return matcher.accept_string(text) and matcher.accept_token(256)


def llguidance_takes(schema, text):
    tokenizer = LLTokenizer("byte")
    matcher = LLMatcher(tokenizer, LLMatcher.grammar_from_json_schema(json.dumps(schema)))
    tokens = tokenizer.tokenize_bytes(text.encode())
    return matcher.try_consume_tokens(tokens) == len(tokens) and matcher.is_accepting()


INTEGER = {"type": "integer"}
for parts in ({"properties": {"a": INTEGER}}, {"properties": {"a": INTEGER}, "additionalProperties": INTEGER}, {}):
    schema = {"type": "object", **parts, "required": ["b"]}
    for text in ("{}", '{"a": 1}', '{"b": 1}', '{"a": 1, "b": 1}'):
        valid = jsonschema.Draft202012Validator(schema).is_valid(json.loads(text))
        answers = llguidance_takes(schema, text), xgrammar_takes(schema, text, True), xgrammar_takes(schema, text, False)
        print(*parts, text, "valid:", valid, "llguidance, xgrammar, not strict:", *answers)
PYTHON
cat >"$folder/seen" <<'SEEN'
properties {} valid: False llguidance, xgrammar, not strict: False False False
properties {"a": 1} valid: False llguidance, xgrammar, not strict: False True True
properties {"b": 1} valid: True llguidance, xgrammar, not strict: True False False
properties {"a": 1, "b": 1} valid: True llguidance, xgrammar, not strict: True False True
properties additionalProperties {} valid: False llguidance, xgrammar, not strict: False False False
properties additionalProperties {"a": 1} valid: False llguidance, xgrammar, not strict: False True True
properties additionalProperties {"b": 1} valid: True llguidance, xgrammar, not strict: True False False
properties additionalProperties {"a": 1, "b": 1} valid: True llguidance, xgrammar, not strict: True True True
{} valid: False llguidance, xgrammar, not strict: False True True
{"a": 1} valid: False llguidance, xgrammar, not strict: False False True
{"b": 1} valid: True llguidance, xgrammar, not strict: True False True
{"a": 1, "b": 1} valid: True llguidance, xgrammar, not strict: False False True
SEEN
"$folder/venv/bin/python" "$folder/ask.py" 2>/dev/null | tee "$folder/now"
diff "$folder/seen" "$folder/now" && echo "as it was seen"
