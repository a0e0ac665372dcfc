"""Tiny models with random weights, saved like the real ones: real architectures, real special tokens, real files."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from os.path import commonprefix
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file
from suture.model import Constraint

STAR = ("<|endoftext|>", "<fim_prefix>", "<fim_middle>", "<fim_suffix>", "<fim_pad>")
PIPE = ("<|endoftext|>", "<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>", "<|fim_pad|>", "<|file_sep|>")

TEXT = (
    """
def area(width, height):
    \"\"\"The area of a rectangle.\"\"\"
    return (width * height)


class Point:
    def __init__(self, x: float, y: float = 0.5) -> None:
        self.values = [x, y, {"x": x, 'y': y}]
        for index in range(len(self.values)):
            print(f"{index}: {self.values[index]}")
"""
    * 3
)


@cache
def bytelevel(special: tuple[str, ...] = STAR, size: int = 400) -> str:
    """The JSON of a byte-level BPE tokenizer with these special tokens."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        special_tokens=list(special),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator([TEXT], trainer)
    return tokenizer.to_str()


@cache
def sentencepiece(special: tuple[str, ...], prepend: bool = True) -> str:
    """The JSON of a Llama-like tokenizer: U+2581 for spaces, bytes as <0x..>."""
    vocab = {"<unk>": 0, "<s>": 1, "</s>": 2} | {f"<0x{b:02X}>": 3 + b for b in range(256)}
    letters = ["▁", *map(chr, range(33, 127)), "é", "ü"]
    merges = [("▁", "▁"), ("▁▁", "▁▁"), ("▁", "x"), ("e", "t"), ("r", "et"), ("▁", "ret")]
    for piece in (*letters, *("".join(pair) for pair in merges)):
        vocab.setdefault(piece, len(vocab))
    first = len(vocab)
    normalizers: list[dict[str, object]] = [{"type": "Prepend", "prepend": "▁"}] if prepend else []
    normalizers.append({"type": "Replace", "pattern": {"String": " "}, "content": "▁"})
    entries = [("<unk>", 0), ("<s>", 1), ("</s>", 2), *((token, first + i) for i, token in enumerate(special))]
    return json.dumps(
        {
            "version": "1.0",
            "truncation": None,
            "padding": None,
            "added_tokens": [
                {"id": i, "content": token, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False,
                 "special": True}
                for token, i in entries
            ],
            "normalizer": {"type": "Sequence", "normalizers": normalizers},
            "pre_tokenizer": None,
            "post_processor": {
                "type": "TemplateProcessing",
                "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
                "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
                "special_tokens": {"<s>": {"id": "<s>", "ids": [1], "tokens": ["<s>"]}},
            },
            "decoder": {"type": "Sequence", "decoders": [
                {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}, {"type": "ByteFallback"},
                {"type": "Fuse"}, {"type": "Strip", "content": " ", "start": 1, "stop": 0}]},
            "model": {"type": "BPE", "dropout": None, "unk_token": "<unk>", "continuing_subword_prefix": None,
                      "end_of_word_suffix": None, "fuse_unk": True, "byte_fallback": True, "ignore_merges": False,
                      "vocab": vocab, "merges": [list(pair) for pair in merges]},
        }
    )  # fmt: skip


_SMALL = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48}

# architecture: its config's own settings beside the shared ones
ARCHITECTURES = {
    "llama": {**_SMALL, "num_key_value_heads": 2},
    "gpt_bigcode": {"n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 512, "multi_query": True},
    "starcoder2": {**_SMALL, "num_key_value_heads": 2, "sliding_window": 24},
    "qwen2": {**_SMALL, "num_key_value_heads": 2},
    "gemma": {**_SMALL, "num_key_value_heads": 1, "head_dim": 8},
    "mistral": {**_SMALL, "num_key_value_heads": 2, "sliding_window": 24},
    "granitemoehybrid": {
        **_SMALL, "num_key_value_heads": 2, "layer_types": ["mamba", "attention"], "num_local_experts": 0,
        "shared_intermediate_size": 48, "mamba_n_heads": 4, "mamba_d_head": 16, "mamba_d_state": 8, "mamba_n_groups": 1,
    },
}  # fmt: skip


def save_model(folder: Path, tokenizer: str, architecture: str = "llama", *, seed: int = 0, **settings: object) -> Path:
    """Write a tiny model with random weights into `folder`, as `save_pretrained` does, with this tokenizer.

    All architectures but "llama" need PyTorch: without it, the calling test is skipped.
    """
    from tokenizers import Tokenizer

    size = Tokenizer.from_str(tokenizer).get_vocab_size(with_added_tokens=True)
    shared = {"vocab_size": size, "max_position_embeddings": 512, "bos_token_id": None, "eos_token_id": 0}
    shared |= {"pad_token_id": None, "tie_word_embeddings": True}
    config = shared | ARCHITECTURES[architecture] | settings
    (_save_llama if architecture == "llama" else _save_with_transformers)(folder, architecture, config, seed)
    (folder / "tokenizer.json").write_text(tokenizer, encoding="utf-8")
    (folder / "tokenizer_config.json").write_text("{}", encoding="utf-8")
    return folder


_STD = 0.4  # of weights; wide enough that probabilities differ


def _save_with_transformers(folder: Path, architecture: str, settings: dict[str, object], seed: int) -> None:
    pytest.importorskip("torch")
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM

    with torch.random.fork_rng():
        torch.manual_seed(seed)
        module = AutoModelForCausalLM.from_config(AutoConfig.for_model(architecture, **settings))
        for parameter in module.parameters():
            torch.nn.init.normal_(parameter, std=_STD)
    module.save_pretrained(folder)


def _save_llama(folder: Path, architecture: str, settings: dict[str, object], seed: int) -> None:
    shared = {"model_type": architecture, "architectures": ["LlamaForCausalLM"], "dtype": "float32"}
    config: dict = shared | {"rms_norm_eps": 1e-6, "rope_theta": 10000.0, "hidden_act": "silu"} | settings
    width, inner, size = config["hidden_size"], config["intermediate_size"], config["vocab_size"]
    head = config.setdefault("head_dim", width // config["num_attention_heads"])
    queries, keys = head * config["num_attention_heads"], head * config["num_key_value_heads"]
    layer = {
        "input_layernorm": (width,), "post_attention_layernorm": (width,),
        "self_attn.q_proj": (queries, width), "self_attn.k_proj": (keys, width),
        "self_attn.v_proj": (keys, width), "self_attn.o_proj": (width, queries),
        "mlp.gate_proj": (inner, width), "mlp.up_proj": (inner, width), "mlp.down_proj": (width, inner),
    }  # fmt: skip
    shapes = {"model.embed_tokens": (size, width), "model.norm": (width,)}
    for at in range(config["num_hidden_layers"]):
        shapes |= {f"model.layers.{at}.{name}": shape for name, shape in layer.items()}
    if not config["tie_word_embeddings"]:
        shapes["lm_head"] = (size, width)
    chance = np.random.default_rng(seed)
    arrays = {
        f"{name}.weight": chance.normal(0, _STD, shape).astype(np.float32) for name, shape in sorted(shapes.items())
    }
    folder.mkdir(parents=True, exist_ok=True)
    save_file(arrays, folder / "model.safetensors", {"format": "pt"})
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")


PAIRS = {"(": ")", "[": "]", "{": "}"}


@dataclass(frozen=True)
class Brackets(Constraint):
    """A toy language with the Constraint protocol: balanced brackets between letters; no digit, little of Unicode. A state is the stack of
    open brackets, and those closed by the right context."""

    stack: str
    needed: str  # the stack needed to balance the right context
    kept: int = 0  # brackets open before the hole, closed by the right context
    stays_in_hole: bool = True  # none of them was closed
    missing = 0.0  # pyright: ignore[reportAssignmentType]

    @classmethod
    def hole(cls, left: str, right: str) -> "Brackets":
        start = cls("", "").advance(left)
        assert start is not None
        needed = ""
        for letter in right:
            if letter in ")]}":
                needed += {close: open for open, close in PAIRS.items()}[letter]
        return cls(start.stack, needed[::-1], len(commonprefix([start.stack, needed[::-1]])))  # noqa: RUF071 (of letters)

    def advance(self, text: str) -> "Brackets | None":
        stack, stays = self.stack, self.stays_in_hole
        for letter in text:
            if letter in PAIRS:
                stack += letter
            elif letter in PAIRS.values():
                if not stack or PAIRS[stack[-1]] != letter:
                    return None
                stack = stack[:-1]
                stays = stays and len(stack) >= self.kept
            elif letter.isdigit() or not (letter.isascii() or "\u00c0" <= letter <= "\u00ff"):
                return None
        return replace(self, stack=stack, stays_in_hole=stays)

    def admits(self, partial: bytes) -> bool:
        return partial == b"\xc3"

    @property
    def complete(self) -> bool:
        return self.stack == self.needed

    def bridges(self, stop: Callable[[], bool] = lambda: False) -> Sequence[str]:
        shared = len(commonprefix([self.stack, self.needed]))  # noqa: RUF071 (of letters)
        closing = "".join(PAIRS[letter] for letter in reversed(self.stack[shared:]))
        return (closing + self.needed[shared:],)
