#!/usr/bin/env bash
# llguidance refuses JSON strings with escapes that need not be there.
#
# Guessed: a grammar for JSON strings takes each of its escapes.
# Seen with llguidance 1.9.1: `\/` and `\u` of a sign that may stand as it is are refused, in a plain string and in one of an `enum`; `\u` of a control character is
# taken. xgrammar 0.2.9 takes them in plain strings and refuses them in an `enum`. So neither can be asked whether a finished document is valid.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check xgrammar==0.2.9 llguidance==1.9.1
cat >"$folder/ask.py" <<'PYTHON'
import json

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


for schema in ({"type": "string"}, {"enum": ["A", "/", "\t"]}):
    for text in (r'"A"', r'"\u0041"', r'"\/"', r'"\t"', r'"\u0009"'):
        print(json.dumps(schema), text, "llguidance:", llguidance_takes(schema, text), "xgrammar:", xgrammar_takes(schema, text))
PYTHON
cat >"$folder/seen" <<'SEEN'
{"type": "string"} "A" llguidance: True xgrammar: True
{"type": "string"} "\u0041" llguidance: False xgrammar: True
{"type": "string"} "\/" llguidance: False xgrammar: True
{"type": "string"} "\t" llguidance: True xgrammar: True
{"type": "string"} "\u0009" llguidance: True xgrammar: True
{"enum": ["A", "/", "\t"]} "A" llguidance: True xgrammar: True
{"enum": ["A", "/", "\t"]} "\u0041" llguidance: False xgrammar: False
{"enum": ["A", "/", "\t"]} "\/" llguidance: False xgrammar: False
{"enum": ["A", "/", "\t"]} "\t" llguidance: True xgrammar: True
{"enum": ["A", "/", "\t"]} "\u0009" llguidance: True xgrammar: False
SEEN
"$folder/venv/bin/python" "$folder/ask.py" 2>/dev/null | tee "$folder/now"
diff "$folder/seen" "$folder/now" && echo "as it was seen"
