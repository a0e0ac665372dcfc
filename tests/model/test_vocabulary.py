"""Token ids and bytes: each tokenizer kind, the real vocabularies, and tokens that may never be text."""

import base64
import gzip
import json
import random
from pathlib import Path

import pytest
from suture import model
from suture.model.errors import ModelError
from suture.model.loading.checkpoint import read_vocabulary
from suture.model.prompting.vocabulary import Vocabulary
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from ..support.modelzoo import PIPE, STAR, bytelevel, sentencepiece
from ..support.oracle_python import stdlib_sources

REAL = Path(__file__).resolve().parents[3] / "shared" / "tokenizers"
TEXTS = [
    "",
    "x",
    " x",
    "def f(x):\n\treturn  x\r\n\r\n",
    "    \n  \t  \n",
    "naïve 漢字 \U0001f600 e\u0301 \u00e9 \ufeff\u2028\x00\x7f",
    "<fim_prefix><|endoftext|>a<|fim_suffix|> <s></s>▁▁ <0x0A>",
]


def made(tokenizer: str) -> Vocabulary:
    return Vocabulary(Tokenizer.from_str(tokenizer))


def check(vocabulary: Vocabulary, text: str) -> None:
    """`text` becomes ids of text tokens, and comes back."""
    ids = vocabulary.encode(text)
    assert all(vocabulary.bytes_of[i] for i in ids)
    assert vocabulary.decode(ids) == text.encode()


@pytest.mark.parametrize("text", TEXTS)
def test_bytelevel_gives_back_each_text(text: str) -> None:
    check(made(bytelevel()), text)


def ranks_file(path: Path) -> dict[bytes, int]:
    """Write tokens and their ranks as tiktoken does: base64 of the bytes, a space, the rank; tokens end within characters."""
    merged = ["  ", "    ", "re", "ret", "漢", " x", "\r\n"]
    tokens = [bytes([n]) for n in range(256)]
    tokens += [token for token in dict.fromkeys(text.encode() for text in merged) if token not in tokens]
    tokens += ["漢".encode()[:2], "\U0001f600".encode()[:3]]
    ranks = {token: rank for rank, token in enumerate(dict.fromkeys(tokens))}
    path.write_text("".join(f"{base64.b64encode(token).decode()} {rank}\n" for token, rank in ranks.items()))
    return ranks


@pytest.mark.filterwarnings("ignore")
def test_a_tiktoken_file_converted_by_transformers_keeps_ids_and_bytes(tmp_path: Path) -> None:
    from transformers.convert_slow_tokenizer import TikTokenConverter

    class Converter(TikTokenConverter):
        @staticmethod
        def load_tiktoken_bpe(tiktoken_url: str) -> dict[bytes, int]:  # like the package tiktoken
            lines = Path(tiktoken_url).read_text().splitlines()
            return {base64.b64decode(token): int(rank) for token, rank in map(str.split, lines)}

    ranks = ranks_file(tmp_path / "small.tiktoken")
    converted = Converter(str(tmp_path / "small.tiktoken"), extra_special_tokens=["<|endoftext|>"]).converted()
    converted.save(str(tmp_path / "tokenizer.json"))
    vocabulary = Vocabulary(Tokenizer.from_file(str(tmp_path / "tokenizer.json")))
    assert {spelling: i for i, spelling in enumerate(vocabulary.bytes_of) if spelling} == ranks
    assert vocabulary.bytes_of[vocabulary.ids["<|endoftext|>"]] is None
    for text in TEXTS:
        check(vocabulary, text)


@pytest.mark.parametrize("prepend", [True, False])
@pytest.mark.parametrize("text", TEXTS[:-1])
def test_sentencepiece_gives_back_each_text(text: str, prepend: bool) -> None:
    check(made(sentencepiece(("▁<PRE>",), prepend)), text)


def test_sentencepiece_spells_its_space_and_bytes() -> None:
    vocabulary = made(sentencepiece(("▁<PRE>",)))
    assert vocabulary.bytes_of[vocabulary.ids["▁ret"]] == b" ret"
    assert vocabulary.bytes_of[vocabulary.ids["<0x0A>"]] == b"\n"
    assert vocabulary.bytes_of[vocabulary.ids["<0xE6>"]] == b"\xe6"
    assert [vocabulary.bytes_of[vocabulary.ids[t]] for t in ("<unk>", "<s>", "</s>", "▁<PRE>")] == [None] * 4


def test_begin_of_text_is_what_the_tokenizer_itself_puts_in_front() -> None:
    assert made(sentencepiece(("▁<PRE>",))).opening == (1,)
    assert made(bytelevel()).opening == ()


def test_no_text_is_encoded_as_a_special_token() -> None:
    """The user's file may contain the spelling of a special token: it is ordinary text."""
    vocabulary = made(bytelevel())
    text = "".join(STAR) + " x <fim_prefix>"
    assert not {vocabulary.ids[token] for token in STAR} & set(vocabulary.encode(text))
    check(vocabulary, text)


def test_added_tokens_are_banned_though_not_special_but_white_space_is_text() -> None:
    tokenizer = Tokenizer.from_str(bytelevel())
    tokenizer.add_tokens(["<|fim_prefix|>", "         "])
    vocabulary = Vocabulary(tokenizer)
    assert vocabulary.bytes_of[vocabulary.ids["<|fim_prefix|>"]] is None
    assert vocabulary.bytes_of[vocabulary.ids["         "]] == b" " * 9
    check(vocabulary, "<|fim_prefix|>" + " " * 9)


def test_normalisation_and_prefix_space_are_taken_off() -> None:
    tokenizer = Tokenizer.from_str(bytelevel())
    tokenizer.normalizer = normalizers.NFC()  # type: ignore[assignment]
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)  # type: ignore[assignment]
    check(Vocabulary(tokenizer), "e\u0301x")


def test_silent_ids_are_the_special_ones_and_those_beyond() -> None:
    vocabulary = made(bytelevel())
    assert set(vocabulary.silent(len(vocabulary) + 2).tolist()) == {0, 1, 2, 3, 4, len(vocabulary), len(vocabulary) + 1}


def test_lookup_by_prefix_equals_a_search_through_all() -> None:
    vocabulary = made(bytelevel())
    for prefix in (b" ", b"r", b"re", b" return", b"\xc3", b"\xff", b"    ", b"no such token"):
        every = [(i, spelled) for i, spelled in enumerate(vocabulary.bytes_of) if spelled]
        assert sorted(vocabulary.starting_with(prefix)) == [i for i, s in every if s.startswith(prefix)]


def test_tokenizers_that_lose_text_are_refused() -> None:
    lossy = Tokenizer(models.WordLevel({"a": 0, "[UNK]": 1}, unk_token="[UNK]"))
    with pytest.raises(ModelError, match="neither byte-level"):
        Vocabulary(lossy)
    gap = json.loads(bytelevel())
    del gap["model"]["vocab"]["x"]
    gap["model"]["merges"] = [pair for pair in gap["model"]["merges"] if "x" not in "".join(pair)]
    gap["model"]["vocab"] = {k: v for k, v in gap["model"]["vocab"].items() if "x" not in k}
    with pytest.raises(ModelError, match="does not reproduce"):
        Vocabulary(Tokenizer.from_str(json.dumps(gap)))


def real(name: str, tmp_path: Path) -> Tokenizer:
    folder = REAL / name
    if not folder.is_dir():
        pytest.skip("the real vocabularies are not on this machine")
    if name != "qwen2":
        return Tokenizer.from_str(gzip.decompress((folder / "tokenizer.json.gz").read_bytes()).decode())
    vocab = json.loads(gzip.decompress((folder / "qwen2_vocab.json.gz").read_bytes()))
    lines = gzip.decompress((folder / "qwen2_merges.txt.gz").read_bytes()).decode().splitlines()
    merges = [tuple(line.split(" ")) for line in lines if line and not line.startswith("#version")]
    tokenizer = Tokenizer(models.BPE(vocab, merges))  # type: ignore[arg-type]
    tokenizer.normalizer = normalizers.NFC()  # type: ignore[assignment]
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)  # type: ignore[assignment]
    tokenizer.add_special_tokens(list(PIPE))
    return tokenizer


@pytest.mark.parametrize(("name", "count"), [("gpt2", 50_257), ("starcoder", 49_153), ("qwen2", 151_643 + len(PIPE))])
def test_real_vocabularies(name: str, count: int, tmp_path: Path) -> None:
    tokenizer = real(name, tmp_path)
    special = {entry.content for entry in tokenizer.get_added_tokens_decoder().values()}
    vocabulary = Vocabulary(tokenizer)
    assert len(vocabulary) == count
    assert vocabulary.silent(count).tolist() == sorted(vocabulary.ids[token] for token in special)
    spelled = [spelling for spelling in vocabulary.bytes_of if spelling is not None]
    assert len(set(spelled)) == len(spelled)
    assert {bytes([b]) for b in range(256) if b not in (0xC0, 0xC1) and b < 0xF1} <= set(spelled)  # text bytes
    for text in (*TEXTS, Path(__file__).read_text(encoding="utf-8")):
        check(vocabulary, text)


@pytest.fixture(scope="module")
def own() -> Vocabulary:
    return read_vocabulary(Path(str(model.__file__)).parent / "embedded")


def test_the_parts_of_a_text_are_encoded_as_the_whole(own: Vocabulary) -> None:
    rng = random.Random(3)
    for text in stdlib_sources(rng, 25, 20_000):
        for _ in range(4):
            start, end = sorted(rng.sample(range(len(text) + 1), 2))
            ends = rng.choice(("\n", "\r\n", "\r", "\n\n \t", "<fim_suffix>\n", "\u2028\n"))
            part = text[start:end].replace("\n", ends)
            assert own.encode(part) == tuple(own._at_once(part)), part[:80]


def test_of_a_text_typed_at_its_end_only_the_end_is_encoded_again(
    own: Vocabulary, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "".join(f"    self.count_{number} = {number}\n" for number in range(400))
    own.encode(text)
    encoded: list[str] = []
    at_once = own._at_once
    monkeypatch.setattr(own, "_at_once", lambda part: encoded.append(part) or at_once(part))
    own.encode(text + "    s")
    assert sum(map(len, encoded)) < 1_000


def test_a_tokenizer_whose_pieces_may_cross_line_ends_encodes_a_text_as_a_whole() -> None:
    crossing = json.loads(bytelevel())
    crossing["pre_tokenizer"]["use_regex"] = False
    assert not made(json.dumps(crossing))._has_parts
