"""From an address to a running model: the kind of server, its vocabulary, its prompt template.

An address is `http://127.0.0.1:8000/v1#name`: the part behind # is the model's name there, optional if the server has one model. Code is sent
unencrypted only to this machine, unless the user allows it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ....common.json_types import is_array, is_object
from ...errors import ModelError, ServerUnavailable
from ...prompting import fim_template
from ...prompting.chat import is_tuned
from ..base import Model
from .llama_cpp import LlamaCpp
from .options import NO_OPTIONS, Address, ServerOptions, parse_address
from .runtime import ServedRuntime
from .transport import Transport
from .vocabulary import ServedVocabulary, check_size, own_vocabulary, template_of

_CONTEXT = 2048  # tokens of left and right context together


def connect(name: str, options: ServerOptions = NO_OPTIONS, *, context: int | None = None) -> Model:
    """The model at an address; raises ModelError, or ServerUnavailable if trying again may help."""
    address = parse_address(name)
    if address.url.startswith("http:") and not address.loopback and not options.plain_http:
        raise ModelError(
            "your code would cross the network unencrypted: use https, or set model_plain_http = true if the network is yours"
        )
    transport = Transport(address.url, key=_key(options), ca=_certificates(options))
    try:
        listed = _listed(transport)
        chosen = _chosen(listed, address)
        if _kind(chosen) == "llama.cpp":
            return connect_llama_cpp(name, transport, chosen, options, context=context)
        if _kind(chosen) != "vllm" and _is_ollama(transport):
            from .ollama import connect_ollama

            return connect_ollama(name, transport, chosen, options, context=context)
        from .openai import connect_openai

        return connect_openai(name, transport, chosen, options, context=context)
    except BaseException:
        transport.close()
        raise


def connect_llama_cpp(
    name: str,
    transport: Transport,
    entry: Mapping[str, Any],
    options: ServerOptions = NO_OPTIONS,
    *,
    context: int | None = None,
) -> Model:
    """A model of llama.cpp's server; entry: the model's in /v1/models."""
    server = LlamaCpp(transport)
    meta = _meta(entry)
    size = meta.get("n_vocab")
    if not isinstance(size, int) or not 0 < size < 10_000_000:
        raise ModelError("the server does not say how large its vocabulary is: update it")
    limit = _limit(transport, meta)
    vocabulary = own_vocabulary(options) or asked_vocabulary(server, size)
    template = template_of(vocabulary, options)
    runtime = ServedRuntime(server, size=size, limit=limit)
    parameters = meta.get("n_params")
    what = [f"{parameters / 1e6:,.1f} M parameters"] if isinstance(parameters, int) else []
    what += [str(meta["ftype"])] if meta.get("ftype") else []
    described = ", ".join([f"llama.cpp at {transport.address}", *what])
    chosen = min(context or _CONTEXT, limit)
    answers = options.template is None and is_tuned(name.partition("#")[2], str(entry["id"]))
    return Model(name, runtime, vocabulary, template, chosen, described, served=runtime, answers=answers)


def asked_vocabulary(server: LlamaCpp, size: int) -> ServedVocabulary:
    """The vocabulary of a llama.cpp server: its log probabilities of all tokens include their bytes."""
    transport = server.transport
    body = {"prompt": "x", "n_predict": 1, "temperature": 0, "n_probs": size, "cache_prompt": True}
    reply = transport.post("/completion", body)
    bytes_of: list[bytes | None] = [None] * size
    try:
        for token in reply["completion_probabilities"][0]["top_logprobs"]:
            bytes_of[token["id"]] = bytes(token["bytes"]) or None
    except (KeyError, IndexError, TypeError, ValueError):
        raise ModelError("the server does not report its vocabulary: update it") from None
    check_size(bytes_of)
    controls: dict[str, int] = {}
    for spelling in fim_template.control_tokens():
        ids = tokenized(transport, spelling, special=True)
        if len(ids) == 1 and bytes_of[ids[0]] is None:
            controls[spelling] = ids[0]
    opening = transport.post("/tokenize", {"content": "", "add_special": True}).get("tokens", [])
    return ServedVocabulary(bytes_of, controls, lambda text: tokenized(transport, text, special=False), opening)


def tokenized(transport: Transport, text: str, *, special: bool) -> list[int]:
    """The ids of a text by llama.cpp; `special`: whether text that looks like a control token is one."""
    body = {"content": text, "add_special": False, "parse_special": special}
    ids = transport.post("/tokenize", body).get("tokens")
    if not is_array(ids):
        raise ModelError("the server does not encode texts: update it")
    return list(ids)


def _limit(transport: Transport, meta: Mapping[str, Any]) -> int:
    """Tokens in a sequence: those of a slot, possibly fewer than in the model's training."""
    configured = transport.get("/props").get("default_generation_settings", {}).get("n_ctx")
    for limit in (configured, meta.get("n_ctx"), meta.get("n_ctx_train")):
        if isinstance(limit, int) and limit > 0:
            return limit
    return 2048


def _listed(transport: Transport) -> Sequence[Mapping[str, Any]]:
    reply = transport.get("/v1/models")
    data = reply.get("data") if is_object(reply) else None
    objects = filter(is_object, data) if is_array(data) else ()
    entries = [entry for entry in objects if isinstance(entry.get("id"), str)]
    if not is_array(data) or len(entries) < len(data):
        raise ModelError(f"{transport.address} lists no models: is it the address of a model server?")
    if not entries:
        raise ModelError(f"{transport.address} has no model: load one there")
    return entries


def _chosen(listed: Sequence[Mapping[str, Any]], address: Address) -> Mapping[str, Any]:
    names = ", ".join(str(entry["id"]) for entry in listed[:8])
    if address.model is None:
        if len(listed) > 1:
            raise ModelError(f"the server has several models: write one behind #, one of {names}")
        return listed[0]
    for entry in listed:
        if address.model in (entry["id"], *(entry.get("aliases") or ())):
            return entry
    raise ModelError(f"the server has no model {address.model!r}: use one of {names}")


def _meta(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """Llama.cpp's entry of a model in its list."""
    meta = entry.get("meta")
    return meta if is_object(meta) else {}


def _kind(entry: Mapping[str, Any]) -> str:
    owner = str(entry.get("owned_by", "")).lower()
    return "llama.cpp" if owner == "llamacpp" or "n_vocab" in _meta(entry) else owner


def _is_ollama(transport: Transport) -> bool:
    """Whether the server has Ollama's own API, which tells more than the OpenAI-compatible one."""
    try:
        reply = transport.get("/api/version")
    except ServerUnavailable:
        raise
    except ModelError:
        return False
    return is_object(reply) and isinstance(reply.get("version"), str)


def _key(options: ServerOptions) -> str | None:
    if not options.key_env:
        return None
    key = os.environ.get(options.key_env, "").strip()
    if not key:
        raise ModelError(f"the environment variable {options.key_env} is not set: put the server's key in it")
    return key


def _certificates(options: ServerOptions) -> Path | None:
    if not options.ca:
        return None
    path = Path(options.ca).expanduser()
    if not path.is_file():
        raise ModelError(f"there is no file {path}: correct model_ca")
    return path
