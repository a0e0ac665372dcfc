#!/usr/bin/env bash
# Whether sentencepiece splits `)))` into `)` and `))` or the other way round depends on how the sums of what stands before it were rounded.
#
# Guessed: a unigram model splits a run by the scores of its pieces alone, so a run has one split, which all libraries that read the model find.
# Seen with sentencepiece 0.2.3, for a model that has `)` and `))` but not `)))`: both splits have the same sum, but sentencepiece adds up 32-bit numbers along
# the text, and the last bit of the sum so far decides. Behind four letters the long piece comes last, behind five to seven it comes first, behind eight it
# is last again, and so `f(f(f(a)))` and `f(g(a)))` end in different tokens. tokenizers 0.23.3, with the same scores, adds 64-bit numbers and splits all of
# these in one way. So the tokens of a text are not those of its parts, even where no piece reaches over the cut.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check sentencepiece==0.2.3 tokenizers==0.23.3 protobuf==7.36.2
cat >"$folder/ask.py" <<'PYTHON'
import sentencepiece
from sentencepiece import sentencepiece_model_pb2
from tokenizers import Tokenizer, models

PIECES = {"<unk>": 0.0, ")": -4.1, "))": -5.3, "a": -3.7, "g(": -6.9, "f(": -7.7}
proto = sentencepiece_model_pb2.ModelProto()
proto.trainer_spec.model_type = sentencepiece_model_pb2.TrainerSpec.UNIGRAM
proto.normalizer_spec.add_dummy_prefix = False
proto.normalizer_spec.remove_extra_whitespaces = False
for piece, score in PIECES.items():
    kind = "UNKNOWN" if piece == "<unk>" else "NORMAL"
    proto.pieces.add(piece=piece, score=score, type=sentencepiece_model_pb2.ModelProto.SentencePiece.Type.Value(kind))
processor = sentencepiece.SentencePieceProcessor(model_proto=proto.SerializeToString())
scores = [(piece, processor.get_score(number)) for number, piece in enumerate(PIECES)]
tokenizer = Tokenizer(models.Unigram(scores, unk_id=0))
for text in (")))", "f(g(a)))", "f(f(f(a)))", *("a" * count + ")))" for count in (4, 5, 6, 7, 8))):
    print(text, "sentencepiece:", *processor.encode(text, out_type=str), "tokenizers:", *tokenizer.encode(text).tokens)
PYTHON
cat >"$folder/seen" <<'SEEN'
))) sentencepiece: ) )) tokenizers: ) ))
f(g(a))) sentencepiece: f( g( a ) )) tokenizers: f( g( a ) ))
f(f(f(a))) sentencepiece: f( f( f( a )) ) tokenizers: f( f( f( a ) ))
aaaa))) sentencepiece: a a a a ) )) tokenizers: a a a a ) ))
aaaaa))) sentencepiece: a a a a a )) ) tokenizers: a a a a a ) ))
aaaaaa))) sentencepiece: a a a a a a )) ) tokenizers: a a a a a a ) ))
aaaaaaa))) sentencepiece: a a a a a a a )) ) tokenizers: a a a a a a a ) ))
aaaaaaaa))) sentencepiece: a a a a a a a a ) )) tokenizers: a a a a a a a a ) ))
SEEN
"$folder/venv/bin/python" "$folder/ask.py" | tee "$folder/now"
diff "$folder/seen" "$folder/now" && echo "as it was seen"
