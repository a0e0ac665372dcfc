#!/usr/bin/env bash
# transformers 5 splits text as the tokenizer's class says, whatever `tokenizer.json` says.
#
# Guessed: a `tokenizer.json` is the whole tokenizer, so `AutoTokenizer` makes the same tokens of a text as tokenizers does from that file.
# Seen with transformers 5.24.0 and tokenizers 0.23.3, for a file that takes numbers apart into digits, as those of some code models do: where the class named
# beside it is GPT-2's, CodeGen's, RoBERTa's or GPT-NeoX's, the file gives only the vocabulary and the merges. Its pre-tokenizer is replaced by the class's own
# ("12" becomes one token) and, but for GPT-NeoX, its normalizer is dropped. `PreTrainedTokenizerFast` on the same folder keeps to the file. No warning.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check transformers==5.24.0 tokenizers==0.23.3
cat >"$folder/ask.py" <<'PYTHON'
import json
import pathlib
import sys

from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers
from transformers import AutoTokenizer, PreTrainedTokenizerFast

vocabulary = {sign: number for number, sign in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
vocabulary["12"] = len(vocabulary)
from_file = Tokenizer(models.BPE(vocab=vocabulary, merges=[("1", "2")]))
from_file.normalizer = normalizers.NFC()
digits = pre_tokenizers.Digits(individual_digits=True)
from_file.pre_tokenizer = pre_tokenizers.Sequence([digits, pre_tokenizers.ByteLevel(add_prefix_space=False)])
from_file.decoder = decoders.ByteLevel()
from_file.add_special_tokens(["<|endoftext|>"])
TEXTS = ("x=12", "e\u0301")
print("tokenizers:", *(from_file.encode(text).tokens for text in TEXTS))
for name in ("GPT2Tokenizer", "CodeGenTokenizer", "RobertaTokenizer", "GPTNeoXTokenizer", "PreTrainedTokenizerFast"):
    model = pathlib.Path(sys.argv[1]) / name
    model.mkdir()
    from_file.save(str(model / "tokenizer.json"))
    config = {"tokenizer_class": name, **dict.fromkeys(("bos_token", "eos_token", "unk_token"), "<|endoftext|>")}
    (model / "tokenizer_config.json").write_text(json.dumps(config))
    for loader, loaders_name in ((AutoTokenizer, "AutoTokenizer"), (PreTrainedTokenizerFast, "PreTrainedTokenizerFast")):
        print(name, f"by {loaders_name}:", *(loader.from_pretrained(model).tokenize(text) for text in TEXTS))
PYTHON
cat >"$folder/seen" <<'SEEN'
tokenizers: ['x', '=', '1', '2'] ['Ã', '©']
GPT2Tokenizer by AutoTokenizer: ['x', '=', '12'] ['e', 'Ì', 'ģ']
GPT2Tokenizer by PreTrainedTokenizerFast: ['x', '=', '1', '2'] ['Ã', '©']
CodeGenTokenizer by AutoTokenizer: ['x', '=', '12'] ['e', 'Ì', 'ģ']
CodeGenTokenizer by PreTrainedTokenizerFast: ['x', '=', '1', '2'] ['Ã', '©']
RobertaTokenizer by AutoTokenizer: ['x', '=', '12'] ['e', 'Ì', 'ģ']
RobertaTokenizer by PreTrainedTokenizerFast: ['x', '=', '1', '2'] ['Ã', '©']
GPTNeoXTokenizer by AutoTokenizer: ['x', '=', '12'] ['Ã', '©']
GPTNeoXTokenizer by PreTrainedTokenizerFast: ['x', '=', '1', '2'] ['Ã', '©']
PreTrainedTokenizerFast by AutoTokenizer: ['x', '=', '1', '2'] ['Ã', '©']
PreTrainedTokenizerFast by PreTrainedTokenizerFast: ['x', '=', '1', '2'] ['Ã', '©']
SEEN
"$folder/venv/bin/python" "$folder/ask.py" "$folder" 2>/dev/null | tee "$folder/now"
diff "$folder/seen" "$folder/now" && echo "as it was seen"
