#!/usr/bin/env bash
# The `ESCAPED_STRING` that lark's grammars import may hold a line break in llguidance and xgrammar, so lark's grammar of JSON writes what no JSON parser reads.
#
# Guessed: `%import common.ESCAPED_STRING` is the same terminal to lark and to the engines that read its grammars, and one that is closed in its line.
# Seen with llguidance 1.9.1, xgrammar 0.2.9 and lark 1.3.1: lark's own terminal ends at a line break, since its `.` does not match one. Both engines put
# another pattern in its place, which takes it raw, as no JSON parser does: a string that a model leaves open may swallow the lines behind it. lark's terminal
# as its file has it, with a lookbehind, is refused by both; a class without line breaks is read alike. An escape that JSON does not have all three take.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check xgrammar==0.2.9 lark==1.3.1 llguidance==1.9.1
cat >"$folder/ask.py" <<'PYTHON'
import json
import pathlib

import lark
import xgrammar
from llguidance import LLMatcher, LLTokenizer


def lark_takes(grammar, text):
    try:
        lark.Lark(grammar, parser="lalr").parse(text)
    except lark.UnexpectedInput:
        return False
    return True


def llguidance_takes(grammar, text):
    tokenizer = LLTokenizer("byte")
    matcher = LLMatcher(tokenizer, LLMatcher.grammar_from_lark(grammar))
    if matcher.is_error():
        return "an error"
    tokens = tokenizer.tokenize_bytes(text.encode())
    return matcher.try_consume_tokens(tokens) == len(tokens) and matcher.is_accepting()


def xgrammar_takes(grammar, text):
    byte_tokens = [*(bytes([byte]) for byte in range(256)), b"</s>"]
    info = xgrammar.TokenizerInfo(byte_tokens, xgrammar.VocabType.RAW, stop_token_ids=[256])
    try:
        compiled = xgrammar.GrammarCompiler(info).compile_grammar(xgrammar.Grammar.from_lark(grammar))
    except RuntimeError:
        return "an error"
    matcher = xgrammar.GrammarMatcher(compiled)
    return matcher.accept_string(text) and matcher.accept_token(256)


def json_takes(text):
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


GRAMMAR = """
?start: object | array | STRING | NUMBER | "true" | "false" | "null"
array: "[" [start ("," start)*] "]"
object: "{" [pair ("," pair)*] "}"
pair: STRING ":" start
%import common.NUMBER
%ignore / /
"""
own = pathlib.Path(lark.__file__).with_name("grammars").joinpath("common.lark").read_text()
inner = "\n".join(line for line in own.splitlines() if line.startswith(("_STRING", "ESCAPED_STRING")))
STRINGS = {
    "imported": "%import common.ESCAPED_STRING -> STRING",
    "as in lark's file": inner.replace("ESCAPED_STRING", "STRING"),
    "a class": r'STRING: /"([^"\\\n]|\\[^\n])*"/',
}
for name, string in STRINGS.items():
    for text in ('{"a": "b"}', '{"a": "b\n"}', '{"a": "b}\n{"}', r'{"a": "\n"}', r'{"a": "\q"}'):
        answers = [takes(GRAMMAR + string + "\n", text) for takes in (lark_takes, llguidance_takes, xgrammar_takes)]
        print(f"{name}: {ascii(text)} lark, llguidance, xgrammar:", *answers, "JSON:", json_takes(text))
PYTHON
cat >"$folder/seen" <<'SEEN'
imported: '{"a": "b"}' lark, llguidance, xgrammar: True True True JSON: True
imported: '{"a": "b\n"}' lark, llguidance, xgrammar: False True True JSON: False
imported: '{"a": "b}\n{"}' lark, llguidance, xgrammar: False True True JSON: False
imported: '{"a": "\\n"}' lark, llguidance, xgrammar: True True True JSON: True
imported: '{"a": "\\q"}' lark, llguidance, xgrammar: True True True JSON: False
as in lark's file: '{"a": "b"}' lark, llguidance, xgrammar: True an error an error JSON: True
as in lark's file: '{"a": "b\n"}' lark, llguidance, xgrammar: False an error an error JSON: False
as in lark's file: '{"a": "b}\n{"}' lark, llguidance, xgrammar: False an error an error JSON: False
as in lark's file: '{"a": "\\n"}' lark, llguidance, xgrammar: True an error an error JSON: True
as in lark's file: '{"a": "\\q"}' lark, llguidance, xgrammar: True an error an error JSON: False
a class: '{"a": "b"}' lark, llguidance, xgrammar: True True True JSON: True
a class: '{"a": "b\n"}' lark, llguidance, xgrammar: False False False JSON: False
a class: '{"a": "b}\n{"}' lark, llguidance, xgrammar: False False False JSON: False
a class: '{"a": "\\n"}' lark, llguidance, xgrammar: True True True JSON: True
a class: '{"a": "\\q"}' lark, llguidance, xgrammar: True True True JSON: False
SEEN
"$folder/venv/bin/python" "$folder/ask.py" 2>/dev/null | tee "$folder/now"
diff "$folder/seen" "$folder/now" && echo "as it was seen"
