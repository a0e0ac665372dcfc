#!/usr/bin/env bash
# In sentencepiece a user-defined symbol of four blanks is never a piece of a text, yet decides how many blanks the text keeps.
#
# Guessed: a symbol that the user defines comes out as one piece wherever it stands in a text, so four blanks make a piece for an indent.
# Seen with sentencepiece 0.2.3: the symbol is taken out of normalization and then, as all blanks, written with "▁", so it is no longer found in the vocabulary,
# where it stands with blanks. What is left of it: four blanks come back as four, in four pieces or more, while three become one and five become four. Written
# as "▁▁▁▁" it is one piece, but only of blanks that were kept, so it needs `remove_extra_whitespaces=False`. A symbol of a tab or a line end works.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check sentencepiece==0.2.3
cat >"$folder/ask.py" <<'PYTHON'
import io

import sentencepiece

SENTENCES = ["the quick brown fox jumps over the lazy dog", "return self value", "for i in range"] * 40


def trained(symbol, **options):
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(SENTENCES),
        model_writer=model,
        model_type="bpe",
        vocab_size=60,
        user_defined_symbols=[symbol],
        minloglevel=2,
        **options,
    )
    return sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())


for symbol in ("    ", "▁▁▁▁", "\t", "\n"):
    for options in ({}, {"remove_extra_whitespaces": False}):
        processor = trained(symbol, **options)
        for text in ("x   y", "x    y", "x     y") if symbol in ("    ", "▁▁▁▁") else (f"x{symbol}y",):
            numbers = processor.encode(text)
            found = processor.piece_to_id(symbol) in numbers
            print(ascii(symbol), options or "", ascii(text), "symbol found:", found, "decoded:", ascii(processor.decode(numbers)))
PYTHON
cat >"$folder/seen" <<'SEEN'
'    '  'x   y' symbol found: False decoded: 'x y'
'    '  'x    y' symbol found: False decoded: 'x    y'
'    '  'x     y' symbol found: False decoded: 'x    y'
'    ' {'remove_extra_whitespaces': False} 'x   y' symbol found: False decoded: 'x   y'
'    ' {'remove_extra_whitespaces': False} 'x    y' symbol found: False decoded: 'x    y'
'    ' {'remove_extra_whitespaces': False} 'x     y' symbol found: False decoded: 'x     y'
'\u2581\u2581\u2581\u2581'  'x   y' symbol found: False decoded: 'x y'
'\u2581\u2581\u2581\u2581'  'x    y' symbol found: False decoded: 'x y'
'\u2581\u2581\u2581\u2581'  'x     y' symbol found: False decoded: 'x y'
'\u2581\u2581\u2581\u2581' {'remove_extra_whitespaces': False} 'x   y' symbol found: False decoded: 'x   y'
'\u2581\u2581\u2581\u2581' {'remove_extra_whitespaces': False} 'x    y' symbol found: True decoded: 'x    y'
'\u2581\u2581\u2581\u2581' {'remove_extra_whitespaces': False} 'x     y' symbol found: True decoded: 'x     y'
'\t'  'x\ty' symbol found: True decoded: 'x\ty'
'\t' {'remove_extra_whitespaces': False} 'x\ty' symbol found: True decoded: 'x\ty'
'\n'  'x\ny' symbol found: True decoded: 'x\ny'
'\n' {'remove_extra_whitespaces': False} 'x\ny' symbol found: True decoded: 'x\ny'
SEEN
"$folder/venv/bin/python" "$folder/ask.py" | tee "$folder/now"
diff "$folder/seen" "$folder/now" && echo "as it was seen"
