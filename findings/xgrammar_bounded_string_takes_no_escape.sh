#!/usr/bin/env bash
# In xgrammar a string with a length or a pattern takes no escape.
#
# Guessed: `minLength`, `maxLength` and `pattern` count the characters of the value, as JSON Schema says, however each is written.
# Seen with xgrammar 0.2.9: a plain string takes "a\nb" (with an escaped line end); with any of the three it is refused, since the rule for such strings
# knows no backslash. So a bounded string can hold no line end and no quote, and a bound that everything keeps (`minLength` 1) still changes the language.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check xgrammar==0.2.9 jsonschema==4.26.0
cat >"$folder/ask.py" <<'PYTHON'
import json

import jsonschema
import xgrammar


def xgrammar_takes(schema, text):
    byte_tokens = [*(bytes([byte]) for byte in range(256)), b"</s>"]
    info = xgrammar.TokenizerInfo(byte_tokens, xgrammar.VocabType.RAW, stop_token_ids=[256])
    compiled = xgrammar.GrammarCompiler(info).compile_json_schema(json.dumps(schema))
    matcher = xgrammar.GrammarMatcher(compiled)
    return matcher.accept_string(text) and matcher.accept_token(256)


for schema in (
    {"type": "string"},
    {"type": "string", "minLength": 1},
    {"type": "string", "maxLength": 9},
    {"type": "string", "pattern": "^[^x]*$"},
):
    for text in (r'"ab"', r'"a\nb"', r'"say \"no\""'):
        valid = jsonschema.Draft202012Validator(schema).is_valid(json.loads(text))
        print(json.dumps(schema), text, "valid:", valid, "xgrammar:", xgrammar_takes(schema, text))
PYTHON
cat >"$folder/seen" <<'SEEN'
{"type": "string"} "ab" valid: True xgrammar: True
{"type": "string"} "a\nb" valid: True xgrammar: True
{"type": "string"} "say \"no\"" valid: True xgrammar: True
{"type": "string", "minLength": 1} "ab" valid: True xgrammar: True
{"type": "string", "minLength": 1} "a\nb" valid: True xgrammar: False
{"type": "string", "minLength": 1} "say \"no\"" valid: True xgrammar: False
{"type": "string", "maxLength": 9} "ab" valid: True xgrammar: True
{"type": "string", "maxLength": 9} "a\nb" valid: True xgrammar: False
{"type": "string", "maxLength": 9} "say \"no\"" valid: True xgrammar: False
{"type": "string", "pattern": "^[^x]*$"} "ab" valid: True xgrammar: True
{"type": "string", "pattern": "^[^x]*$"} "a\nb" valid: True xgrammar: False
{"type": "string", "pattern": "^[^x]*$"} "say \"no\"" valid: True xgrammar: False
SEEN
"$folder/venv/bin/python" "$folder/ask.py" 2>/dev/null | tee "$folder/now"
diff "$folder/seen" "$folder/now" && echo "as it was seen"
