"""GGUF files of the embedded model: in float32, so that llama.cpp computes the same as we do. A writer, for tests of the reader."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load_file
from suture.model.loading.find import EMBEDDED

ALIGNMENT = 32
_NAMES = {"self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v",
          "self_attn.o_proj": "attn_output", "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up",
          "mlp.down_proj": "ffn_down", "input_layernorm": "attn_norm",
          "post_attention_layernorm": "ffn_norm"}  # fmt: skip
_WHOLE = {"model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output"}


def _text(value: str) -> bytes:
    raw = value.encode()
    return struct.pack("<Q", len(raw)) + raw


def _value(value: Any) -> bytes:
    if isinstance(value, bool):
        return struct.pack("<I?", 7, value)
    if isinstance(value, int):
        return struct.pack("<II", 4, value)
    if isinstance(value, float):
        return struct.pack("<If", 6, value)
    if isinstance(value, str):
        return struct.pack("<I", 8) + _text(value)
    assert isinstance(value, list)
    if isinstance(value[0], str):
        return struct.pack("<IIQ", 9, 8, len(value)) + b"".join(map(_text, value))
    return struct.pack("<IIQ", 9, 5, len(value)) + struct.pack(f"<{len(value)}i", *value)


def write_gguf(path: Path, fields: Mapping[str, Any], tensors: Mapping[str, np.ndarray]) -> Path:
    """Write a file, version 3, all tensors in float32."""
    head = struct.pack("<4sIQQ", b"GGUF", 3, len(tensors), len(fields))
    head += b"".join(_text(name) + _value(value) for name, value in fields.items())
    at = 0
    for name, tensor in tensors.items():
        shape = tensor.shape[::-1]
        head += _text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, 0, at)
        at += -(-tensor.nbytes // ALIGNMENT) * ALIGNMENT
    with path.open("wb") as file:
        file.write(head + b"\0" * (-len(head) % ALIGNMENT))
        for tensor in tensors.values():
            raw = np.ascontiguousarray(tensor, dtype="<f4").tobytes()
            file.write(raw + b"\0" * (-len(raw) % ALIGNMENT))
    return path


def embedded_gguf(path: Path, **more: Any) -> Path:
    """The embedded model as a file; `more`: further fields, or others."""
    fields = embedded_fields()
    heads, groups = fields["llama.attention.head_count"], fields["llama.attention.head_count_kv"]
    tensors = {_name(name): _shaped(name, tensor, heads, groups) for name, tensor in _weights().items()}
    return write_gguf(path, fields | more, tensors)


def embedded_fields() -> dict[str, Any]:
    """The fields in the head of the embedded model's file."""
    config = json.loads((EMBEDDED / "config.json").read_text())
    tokenizer = json.loads((EMBEDDED / "tokenizer.json").read_text())
    heads, groups, width = config["num_attention_heads"], config["num_key_value_heads"], config["head_dim"]
    size = config["vocab_size"]
    pieces, types = [f"[UNUSED{i}]" for i in range(size)], [5] * size
    for piece, token in tokenizer["model"]["vocab"].items():
        pieces[token], types[token] = piece, 1
    for added in tokenizer["added_tokens"]:
        pieces[added["id"]], types[added["id"]] = added["content"], 3
    merges = [merge if isinstance(merge, str) else " ".join(merge) for merge in tokenizer["model"]["merges"]]
    return {
        "general.architecture": "llama",
        "general.name": "embedded",
        "general.file_type": 0,
        "general.license": "apache-2.0",
        "llama.context_length": config["max_position_embeddings"],
        "llama.embedding_length": config["hidden_size"],
        "llama.block_count": config["num_hidden_layers"],
        "llama.feed_forward_length": config["intermediate_size"],
        "llama.attention.head_count": heads,
        "llama.attention.head_count_kv": groups,
        "llama.attention.layer_norm_rms_epsilon": float(config["rms_norm_eps"]),
        "llama.attention.key_length": width,
        "llama.attention.value_length": width,
        "llama.rope.freq_base": float(config["rope_parameters"]["rope_theta"]),
        "llama.rope.dimension_count": width,
        "llama.vocab_size": size,
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "qwen2",  # not its own, unknown to llama.cpp: texts are encoded differently
        "tokenizer.ggml.tokens": pieces,
        "tokenizer.ggml.token_type": types,
        "tokenizer.ggml.merges": merges,
        "tokenizer.ggml.eos_token_id": 0,
        "tokenizer.ggml.bos_token_id": 0,
        "tokenizer.ggml.add_bos_token": False,
        "suture.fim_order": "spm",
        "suture.fim_family": "suture",
    }


def chain_gguf(path: Path, text: bytes) -> Path:
    """A model that writes the distinct bytes of a text in order, and then the first again: its tokens are bytes, so characters are split over
    several."""
    assert len(set(text)) == len(text)
    width, size = 64, 260
    following = dict(zip(text, text[1:] + text[:1], strict=True))
    embeddings, output = np.zeros((size, width)), np.zeros((size, width))
    for at, byte in enumerate(text):
        embeddings[byte, at] = 1.0
        output[following[byte], at] = 2.0
    embeddings[[token for token in range(size) if token not in following], -1] = 1.0
    tensors: dict[str, np.ndarray] = {
        "token_embd.weight": embeddings,
        "output.weight": output,
        "output_norm.weight": np.ones(width),
    }
    for name in ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"):
        tensors[f"blk.0.{name}.weight"] = np.zeros((width, width))
    tensors |= {f"blk.0.{name}_norm.weight": np.ones(width) for name in ("attn", "ffn")}
    fields = embedded_fields() | {
        "llama.context_length": 512,
        "llama.embedding_length": width,
        "llama.block_count": 1,
        "llama.feed_forward_length": width,
        "llama.attention.head_count": 1,
        "llama.attention.head_count_kv": 1,
        "llama.attention.key_length": width,
        "llama.attention.value_length": width,
        "llama.rope.dimension_count": width,
        "llama.vocab_size": size,
        "tokenizer.ggml.tokens": [
            *bytes_in_vocabulary(),
            *(f"<|{name}|>" for name in ("end", "prefix", "suffix", "middle")),
        ],
        "tokenizer.ggml.token_type": [1] * 256 + [3] * 4,
        "tokenizer.ggml.merges": ["\u0120 \u0120"],
        "tokenizer.ggml.eos_token_id": 256,
        "tokenizer.ggml.bos_token_id": 256,
    }
    return write_gguf(path, fields, {name: tensor.astype(np.float32) for name, tensor in tensors.items()})


def bytes_in_vocabulary() -> list[str]:
    """The spelling of each byte in byte-level BPE vocabularies."""
    plain = [*range(ord("!"), ord("~") + 1), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = iter(range(0x100, 0x200))
    return [chr(byte) if byte in plain else chr(next(others)) for byte in range(256)]


def _weights() -> dict[str, np.ndarray]:
    raw = (EMBEDDED / "model.safetensors").read_bytes()
    length = struct.unpack("<Q", raw[:8])[0]
    head = json.loads(raw[8 : 8 + length])
    if all(entry.get("dtype") != "BF16" for entry in head.values()):
        return load_file(EMBEDDED / "model.safetensors")
    found: dict[str, np.ndarray] = {}
    for name, entry in head.items():
        if name != "__metadata__":
            start, end = (8 + length + at for at in entry["data_offsets"])
            data = raw[start:end]
            if entry["dtype"] == "BF16":
                array = (np.frombuffer(data, "<u2").astype("<u4") << 16).view("<f4")
            else:
                array = np.frombuffer(data, {"F32": "<f4", "F16": "<f2"}[entry["dtype"]]).astype("<f4")
            found[name] = array.reshape(entry["shape"])
    return found


def _name(name: str) -> str:
    name = name.removesuffix(".weight")
    if name in _WHOLE:
        return f"{_WHOLE[name]}.weight"
    _, _, layer, rest = name.split(".", 3)
    return f"blk.{layer}.{_NAMES[rest]}.weight"


def _shaped(name: str, tensor: np.ndarray, heads: int, groups: int) -> np.ndarray:
    """The tensor permuted for rotary embedding: llama.cpp rotates neighbouring pairs, transformers halves."""
    if "q_proj" not in name and "k_proj" not in name:
        return tensor
    count = heads if "q_proj" in name else groups
    return tensor.reshape(count, 2, len(tensor) // count // 2, *tensor.shape[1:]).swapaxes(1, 2).reshape(tensor.shape)
