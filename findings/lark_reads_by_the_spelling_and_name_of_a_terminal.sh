#!/usr/bin/env bash
# In lark a terminal's language is not all that matters: how long its pattern is written, and its name, decide which texts are read.
#
# Guessed: of two terminals that both match, the longer match wins, and to rewrite a pattern as an equal one, or to rename a terminal, changes nothing.
# Seen with lark 1.3.1: the lexer of LALR takes the first terminal that matches; of two that match text of any length, the one whose pattern is written with
# more characters comes first, then the one whose name sorts first. So "1.5" is read beside an integer of `\d+` and refused beside one of `[0-9][0-9]*`, and
# where the patterns are equally long, read if the terminals swap their names. Within a pattern the first alternative wins: `a|ab` never matches "ab". Under
# Earley only the last holds; llguidance 1.9.1, which reads the same grammars, takes the text under every spelling.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check lark==1.3.1 llguidance==1.9.1
cat >"$folder/ask.py" <<'PYTHON'
import lark
from llguidance import LLMatcher, LLTokenizer


def lark_takes(grammar, text, parser):
    try:
        lark.Lark(grammar, parser=parser).parse(text)
    except lark.UnexpectedInput:
        return False
    return True


def llguidance_takes(grammar, text):
    tokenizer = LLTokenizer("byte")
    matcher = LLMatcher(tokenizer, LLMatcher.grammar_from_lark(grammar))
    tokens = tokenizer.tokenize_bytes(text.encode())
    return matcher.try_consume_tokens(tokens) == len(tokens) and matcher.is_accepting()


for integer, fraction in (
    (r"A: /\d+/", r"B: /\d+\.\d/"),
    ("A: /[0-9][0-9]*/", r"B: /\d+\.\d/"),
    ("A: /(?:[0-9])+/", r"B: /[0-9]+\.\d/"),
    ("B: /(?:[0-9])+/", r"A: /[0-9]+\.\d/"),
):
    grammar = f"start: A | B\n{integer}\n{fraction}"
    answers = (lark_takes(grammar, "1.5", "lalr"), lark_takes(grammar, "1.5", "earley"), llguidance_takes(grammar, "1.5"))
    print(f"{integer}  {fraction}  1.5  LALR, Earley, llguidance:", *answers)
for pattern in ("a|ab", "ab|a"):
    grammar = f"start: A\nA: /{pattern}/"
    answers = (lark_takes(grammar, "ab", "lalr"), lark_takes(grammar, "ab", "earley"), llguidance_takes(grammar, "ab"))
    print(f"A: /{pattern}/  ab  LALR, Earley, llguidance:", *answers)
PYTHON
cat >"$folder/seen" <<'SEEN'
A: /\d+/  B: /\d+\.\d/  1.5  LALR, Earley, llguidance: True True True
A: /[0-9][0-9]*/  B: /\d+\.\d/  1.5  LALR, Earley, llguidance: False True True
A: /(?:[0-9])+/  B: /[0-9]+\.\d/  1.5  LALR, Earley, llguidance: False True True
B: /(?:[0-9])+/  A: /[0-9]+\.\d/  1.5  LALR, Earley, llguidance: True True True
A: /a|ab/  ab  LALR, Earley, llguidance: False False True
A: /ab|a/  ab  LALR, Earley, llguidance: True True True
SEEN
"$folder/venv/bin/python" "$folder/ask.py" | tee "$folder/now"
diff "$folder/seen" "$folder/now" && echo "as it was seen"
