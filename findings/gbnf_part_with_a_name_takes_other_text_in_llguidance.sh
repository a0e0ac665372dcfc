#!/usr/bin/env bash
# In a GBNF grammar that llguidance's own converter has made one of lark, to give a part a name changes the texts, and may leave none.
#
# Guessed: what `gbnf_to_lark` converts without an error has the texts of the grammar that llama.cpp reads, where a rule matches as much or as little as fits.
# Seen with llguidance 1.9.1: a rule of characters alone becomes a terminal, which takes all it can. So `[a-z]+ "s"` takes "cats", and `noun "s"` with
# `noun ::= [a-z]+` takes nothing at all. Two numbers in a row have no text either, but two of two digits each do. Of the calculator below, which ends terms in
# optional white space and lines in "\n", no line ever ends. The converted grammars are valid, without a warning.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check llguidance==1.9.1
cat >"$folder/ask.py" <<'PYTHON'
import re

from llguidance import LLMatcher, LLTokenizer
from llguidance.gbnf_to_lark import gbnf_to_lark

TOKENIZER = LLTokenizer("byte")
CALCULATOR = r"""
root ::= (expr "=" ws term "\n")+
expr ::= term ([-+*/] ws term)*
term ::= ident | num
ident ::= [a-z] [a-z0-9]* ws
num ::= [0-9]+ ws
ws ::= [ \t\n]*
"""
TERM = r"(?:[a-z][a-z0-9]*|[0-9]+)[ \t\n]*"
# A grammar, a regular expression for its language as GBNF means it, and texts.
GRAMMARS = (
    ('root ::= noun "s"\nnoun ::= [a-z]+', r"[a-z]+s", ("cats", "ss", "cat")),
    ('root ::= [a-z]+ "s"', r"[a-z]+s", ("cats", "ss", "cat")),
    ("root ::= num num\nnum ::= [0-9]+", r"[0-9]+[0-9]+", ("12", "123", "1")),
    ("root ::= two two\ntwo ::= [0-9] [0-9]", r"[0-9]{4}", ("1234", "12")),
    ('root ::= word (" " word)* "."\nword ::= [a-z.]+', r"[a-z.]+( [a-z.]+)*\.", ("a b.", "a.b c..", "a")),
    ('root ::= key " in " key\nkey ::= [a-z ]+', r"[a-z ]+ in [a-z ]+", ("a in b", "a b")),
    (CALCULATOR, rf"(?:{TERM}(?:[-+*/][ \t\n]*{TERM})*=[ \t\n]*{TERM}\n)+", ("1=1\n", "a + 2 = 3\n", "1=1\nb=2\n", "1=1")),
)
for grammar, expression, texts in GRAMMARS:
    converted = LLMatcher.grammar_from_lark(gbnf_to_lark(grammar))
    assert LLMatcher.validate_grammar_with_warnings(converted, TOKENIZER) == (False, [])
    for text in texts:
        matcher = LLMatcher(TOKENIZER, converted)
        tokens = TOKENIZER.tokenize_bytes(text.encode())
        taken = matcher.try_consume_tokens(tokens) == len(tokens) and matcher.is_accepting()
        print(grammar.strip().replace("\n", "; "), ascii(text), "GBNF:", re.fullmatch(expression, text) is not None, "converted:", taken)
PYTHON
cat >"$folder/seen" <<'SEEN'
root ::= noun "s"; noun ::= [a-z]+ 'cats' GBNF: True converted: False
root ::= noun "s"; noun ::= [a-z]+ 'ss' GBNF: True converted: False
root ::= noun "s"; noun ::= [a-z]+ 'cat' GBNF: False converted: False
root ::= [a-z]+ "s" 'cats' GBNF: True converted: True
root ::= [a-z]+ "s" 'ss' GBNF: True converted: True
root ::= [a-z]+ "s" 'cat' GBNF: False converted: False
root ::= num num; num ::= [0-9]+ '12' GBNF: True converted: False
root ::= num num; num ::= [0-9]+ '123' GBNF: True converted: False
root ::= num num; num ::= [0-9]+ '1' GBNF: False converted: False
root ::= two two; two ::= [0-9] [0-9] '1234' GBNF: True converted: True
root ::= two two; two ::= [0-9] [0-9] '12' GBNF: False converted: False
root ::= word (" " word)* "."; word ::= [a-z.]+ 'a b.' GBNF: True converted: False
root ::= word (" " word)* "."; word ::= [a-z.]+ 'a.b c..' GBNF: True converted: False
root ::= word (" " word)* "."; word ::= [a-z.]+ 'a' GBNF: False converted: False
root ::= key " in " key; key ::= [a-z ]+ 'a in b' GBNF: True converted: False
root ::= key " in " key; key ::= [a-z ]+ 'a b' GBNF: False converted: False
root ::= (expr "=" ws term "\n")+; expr ::= term ([-+*/] ws term)*; term ::= ident | num; ident ::= [a-z] [a-z0-9]* ws; num ::= [0-9]+ ws; ws ::= [ \t\n]* '1=1\n' GBNF: True converted: False
root ::= (expr "=" ws term "\n")+; expr ::= term ([-+*/] ws term)*; term ::= ident | num; ident ::= [a-z] [a-z0-9]* ws; num ::= [0-9]+ ws; ws ::= [ \t\n]* 'a + 2 = 3\n' GBNF: True converted: False
root ::= (expr "=" ws term "\n")+; expr ::= term ([-+*/] ws term)*; term ::= ident | num; ident ::= [a-z] [a-z0-9]* ws; num ::= [0-9]+ ws; ws ::= [ \t\n]* '1=1\nb=2\n' GBNF: True converted: False
root ::= (expr "=" ws term "\n")+; expr ::= term ([-+*/] ws term)*; term ::= ident | num; ident ::= [a-z] [a-z0-9]* ws; num ::= [0-9]+ ws; ws ::= [ \t\n]* '1=1' GBNF: False converted: False
SEEN
"$folder/venv/bin/python" "$folder/ask.py" | tee "$folder/now"
diff "$folder/seen" "$folder/now" && echo "as it was seen"
