#!/usr/bin/env bash
# `pattern` is searched for by llguidance alone; xgrammar and outlines-core want it to match the whole string.
#
# Guessed: engines that write JSON by a schema read `pattern` as validators do: it is found somewhere in the string unless `^` and `$` say more.
# Seen with xgrammar 0.2.9, llguidance 1.9.1, outlines-core 0.2.14: for `{"pattern": "a"}` jsonschema 4.26.0 and llguidance take "cat", the other two only "a".
# With an alternative, `^a|b$`, all but llguidance refuse "ax", and outlines-core refuses even "b".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check xgrammar==0.2.9 llguidance==1.9.1 outlines-core==0.2.14 jsonschema==4.26.0
cat >"$folder/ask.py" <<'PYTHON'
import json
import re

import jsonschema
import xgrammar
from llguidance import LLMatcher, LLTokenizer
from outlines_core.json_schema import build_regex_from_schema


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


def outlines_takes(schema, text):
    return re.fullmatch(build_regex_from_schema(json.dumps(schema)), text) is not None


for pattern, text in (("a", '"a"'), ("a", '"cat"'), ("^a", '"abc"'), ("a$", '"cba"'), ("^a|b$", '"ax"'), ("^a|b$", '"b"')):
    schema = {"type": "string", "pattern": pattern}
    valid = jsonschema.Draft202012Validator(schema).is_valid(json.loads(text))
    others = [takes(schema, text) for takes in (llguidance_takes, xgrammar_takes, outlines_takes)]
    print(pattern, text, "valid:", valid, "llguidance, xgrammar, outlines-core:", *others)
PYTHON
cat >"$folder/seen" <<'SEEN'
a "a" valid: True llguidance, xgrammar, outlines-core: True True True
a "cat" valid: True llguidance, xgrammar, outlines-core: True False False
^a "abc" valid: True llguidance, xgrammar, outlines-core: True False False
a$ "cba" valid: True llguidance, xgrammar, outlines-core: True False False
^a|b$ "ax" valid: True llguidance, xgrammar, outlines-core: True False False
^a|b$ "b" valid: True llguidance, xgrammar, outlines-core: True True False
SEEN
"$folder/venv/bin/python" "$folder/ask.py" 2>/dev/null | tee "$folder/now"
diff "$folder/seen" "$folder/now" && echo "as it was seen"
