#!/usr/bin/env bash
# The tokenizers of Hugging Face for JavaScript make other tokens of a text than those for Python, from the same `tokenizer.json`, and can lose text.
#
# Guessed: the two libraries have one maker and read one format, so a file makes the same tokens in both, or is refused.
# Seen with @huggingface/tokenizers 0.2.0 and tokenizers 0.23.3: in JavaScript an inverted `Split` throws away all that its pattern does not match, `Split` joins
# no separator to its neighbour (`MergedWithPrevious`, `MergedWithNext`, `Contiguous`), `Metaspace` does not split, `Whitespace` and `Digits` know only
# letters and digits of ASCII, `Punctuation` keeps a run in one piece, a `Replace` by "$&" puts in what it replaced, and `single_word` of an added token is
# not read. Nothing is reported. Byte-level files whose `Split` only isolates what its pattern matches do the same in both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check tokenizers==0.23.3
npm install --silent --no-audit --no-fund --prefix "$folder" @huggingface/tokenizers@0.2.0 >/dev/null
cat >"$folder/ask.py" <<'PYTHON'
import json

from tokenizers import AddedToken, Regex, Tokenizer, models, normalizers
from tokenizers.pre_tokenizers import ByteLevel, Digits, Metaspace, Punctuation, Sequence, Split, Whitespace, WhitespaceSplit


def tokenizer(pre_tokenizer, *merges, normalizer=None, added=None):
    """A tokenizer of single characters and the given merges of two."""
    vocabulary = {sign: number for number, sign in enumerate([*map(chr, range(33, 127)), *" ▁ï²½Ġ", *map("".join, merges)])}
    made = Tokenizer(models.BPE(vocab=vocabulary, merges=merges))
    made.pre_tokenizer = pre_tokenizer
    if normalizer is not None:
        made.normalizer = normalizer
    if added is not None:
        made.add_tokens([added])
    return made


byte_level = Sequence([Split(Regex(r" ?\p{L}+|\p{N}"), "isolated"), ByteLevel(add_prefix_space=False, use_regex=False)])
cases = [
    ("byte-level", tokenizer(byte_level, ("1", "2"), ("Ġ", "b")), "a b12"),
    ("inverted Split", tokenizer(Split(Regex("[a-z]+"), "isolated", invert=True)), "x=1"),
    ("MergedWithPrevious", tokenizer(Split(" ", "merged_with_previous"), ("a", " ")), "a b"),
    ("MergedWithNext", tokenizer(Split(" ", "merged_with_next"), (" ", "b")), "a b"),
    ("Contiguous", tokenizer(Split(Regex(" "), "contiguous"), (" ", " ")), "a  b"),
    ("Metaspace", tokenizer(Metaspace(), ("a", "▁")), "a b"),
    ("Whitespace", tokenizer(Whitespace(), ("a", "ï")), "naïve"),
    ("Digits", tokenizer(Digits(individual_digits=True), ("²", "½")), "²½"),
    ("Punctuation", tokenizer(Punctuation(), ("!", "?")), "!?"),
    ("Replace", tokenizer(WhitespaceSplit(), normalizer=normalizers.Replace("!", "$&")), "a!"),
    ("single_word", tokenizer(WhitespaceSplit(), added=AddedToken("<m>", single_word=True)), "x<m>"),
]
print(json.dumps([[name, made.to_str(), text, made.encode(text).tokens] for name, made, text in cases]))
PYTHON
cat >"$folder/ask.mjs" <<'JAVASCRIPT'
import { readFileSync } from "node:fs";
import { Tokenizer } from "@huggingface/tokenizers";

for (const [name, file, text, inPython] of JSON.parse(readFileSync(0, "utf8"))) {
  const { tokens } = new Tokenizer(JSON.parse(file), {}).encode(text);
  console.log(name, JSON.stringify(text), "Python:", JSON.stringify(inPython), "JavaScript:", JSON.stringify(tokens));
}
JAVASCRIPT
cat >"$folder/seen" <<'SEEN'
byte-level "a b12" Python: ["a","Ġb","1","2"] JavaScript: ["a","Ġb","1","2"]
inverted Split "x=1" Python: ["x","=","1"] JavaScript: ["x"]
MergedWithPrevious "a b" Python: ["a ","b"] JavaScript: ["a"," ","b"]
MergedWithNext "a b" Python: ["a"," b"] JavaScript: ["a"," ","b"]
Contiguous "a  b" Python: ["a","  ","b"] JavaScript: ["a"," "," ","b"]
Metaspace "a b" Python: ["▁","a","▁","b"] JavaScript: ["▁","a▁","b"]
Whitespace "naïve" Python: ["n","aï","v","e"] JavaScript: ["n","a","ï","v","e"]
Digits "²½" Python: ["²","½"] JavaScript: ["²½"]
Punctuation "!?" Python: ["!","?"] JavaScript: ["!?"]
Replace "a!" Python: ["a","$","&"] JavaScript: ["a","!"]
single_word "x<m>" Python: ["x","<","m",">"] JavaScript: ["x","<m>"]
SEEN
"$folder/venv/bin/python" "$folder/ask.py" | node "$folder/ask.mjs" | tee "$folder/now"
diff "$folder/seen" "$folder/now" && echo "as it was seen"
