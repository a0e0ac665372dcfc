"""Characters split over tokens, as told by each kind of server: each row belongs to its own token."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from suture.common.constraint import never
from suture.model import Model, load
from suture.model.loading.find import EMBEDDED
from suture.model.runtime.served.llama_cpp import LlamaCpp
from suture.model.runtime.served.options import ServerOptions
from suture.model.runtime.served.runtime import ServedRuntime
from suture.model.runtime.served.transport import Transport

from tests.support.gguf_files import embedded_fields
from tests.support.model_server import Fake, Send, serving

LEFT = 'print("Loading ✅")\nprint("Saving'
TEXTS = (' ✅")', '🚀 to ∞")', "ñ", '─═ß") # अ ÷ √')


@pytest.fixture
def fake() -> Iterator[Fake]:
    with serving() as said:
        yield said


def written(model: Model, ids: Sequence[int], most: int) -> bytes:
    """The bytes of the best tokens of each row."""
    runtime = model.runtime
    assert isinstance(runtime, ServedRuntime)
    runtime.begin(never, most)
    row, told = runtime.prefill(ids), list[int]()
    while len(told) < most and (best := int(row.argmax())) not in model.template.ends:
        told.append(best)
        row = runtime.step(best)
    runtime.end()
    return model.vocabulary.decode(told)


def pieces(model: Model, text: str) -> Iterator[tuple[bytes, bytes]]:
    """For each token of a text: its bytes, and those held back by a server until a character is whole."""
    held = b""
    for token in model.vocabulary.encode(text):
        raw = model.vocabulary.bytes_of[token] or b""
        held += raw
        try:
            held.decode()
        except ValueError:
            yield raw, b""
        else:
            yield raw, held
            held = b""


def told(raw: bytes, whole: bytes, form: str) -> list[dict[str, Any]]:
    """The tokens of an event in the newer form of OpenAI's interface, and Ollama's."""
    if form == "joined":  # as llama.cpp tells them
        if not whole:
            return []
        spelled = {"token": whole.decode(), "bytes": list(whole), "logprob": -0.1}
        own = {"token": raw.decode(errors="replace"), "bytes": list(raw), "logprob": -0.1}
        return [spelled | {"top_logprobs": [own]}]
    one: dict[str, Any] = {"token": raw.decode(errors="replace"), "logprob": -0.1}
    one |= {"bytes": list(raw)} if form == "bytes" else {}
    return [one | {"top_logprobs": [one]}]


def rest_of(prompt: str, text: str) -> str:
    """The rest of a text behind a prompt ending with its beginning."""
    return text[next(n for n in range(len(text), -1, -1) if prompt.endswith(LEFT + text[:n])) :]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("form", ["joined", "bytes", "unknown", "older", "older unknown", "text", "text unknown"])
def test_openai_tells_each_row_of_its_own_token(fake: Fake, form: str, text: str) -> None:
    fake.models["data"][0]["owned_by"] = "organization_owner"
    model = load(fake.address, server=ServerOptions(tokenizer=str(EMBEDDED)))

    def answer(body: dict[str, Any], send: Send) -> None:
        rest = rest_of(body["prompt"], text)
        if not body["stream"]:
            return send(json.dumps({"choices": [{"text": rest, "finish_reason": "stop"}]}))
        for raw, whole in pieces(model, rest):
            logprobs: dict[str, Any] | None = {"content": told(raw, whole, form)}
            if form.startswith("older"):
                by_bytes = "bytes:" + "".join(f"\\x{byte:02x}" for byte in raw)
                spelling = raw.decode(errors="replace")
                spelling = by_bytes if "\ufffd" in spelling and form == "older" else spelling
                logprobs = {"tokens": [spelling], "token_logprobs": [-0.1], "top_logprobs": [{spelling: -0.1}]}
            said = raw.decode(errors="replace") if form == "text unknown" else whole.decode()
            choice = {"text": said, "logprobs": None if form.startswith("text") else logprobs, "finish_reason": None}
            send(f"data: {json.dumps({'choices': [choice]})}\n\n")
        send(f"data: {json.dumps({'choices': [{'text': '', 'logprobs': None, 'finish_reason': 'stop'}]})}\n\n")

    fake.answer = answer
    assert written(model, model.vocabulary.encode(LEFT), 32).decode() == text


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("form", ["joined", "bytes", "unknown", "text", "text unknown"])
def test_ollama_tells_each_row_of_its_own_token(fake: Fake, form: str, text: str) -> None:
    fake.models = {"object": "list", "data": [{"id": "m:1b", "object": "model", "owned_by": "library"}]}
    fake.others = {"/api/version": {"version": "0.12.11"}, "/api/show": {"model_info": embedded_fields()}}
    model = load(f"{fake.address}#m:1b", template="suture", order="spm", server=ServerOptions())

    def answer(body: dict[str, Any], send: Send) -> None:
        rest = rest_of(body["prompt"], text)
        if not body["stream"]:
            return send(json.dumps({"response": rest, "done": True, "done_reason": "stop"}))
        for raw, whole in pieces(model, rest):
            event: dict[str, Any] = {"response": whole.decode(), "done": False}
            if form == "text unknown":
                event["response"] = raw.decode(errors="replace")
            if not form.startswith("text"):
                event["logprobs"] = told(raw, whole, form)
            send(json.dumps(event) + "\n")
        send(json.dumps({"response": "", "done": True, "done_reason": "stop"}) + "\n")

    fake.answer = answer
    assert written(model, model.vocabulary.encode(LEFT), 32).decode() == text


def recorded(ids: list[int], body: dict[str, Any], at_once: int) -> Iterator[dict[str, Any]]:
    """The events of llama.cpp behind a prompt of bytes; none for tokens ending within a character."""
    done, held = len(body["prompt"]) - 1, b""
    tokens = ids[done:][: body["n_predict"]]
    for count, token in enumerate(tokens, 1):
        held += bytes([token])
        try:
            spelled = held.decode()
        except ValueError:
            continue
        own = {"id": token, "token": bytes([token]).decode(errors="replace"), "bytes": [token], "prob": 1.0}
        chosen = {"id": token, "token": spelled, "bytes": list(held), "prob": 1.0, "top_probs": [own]}
        # A server with its own drafts counts several tokens at once.
        counted = min(len(tokens), -(-count // at_once) * at_once)
        yield {"content": spelled, "stop": False, "tokens_predicted": counted, "completion_probabilities": [chosen]}
        held = b""
    yield {"content": "", "stop": True, "stop_type": "limit", "tokens_predicted": len(tokens)}


@pytest.mark.parametrize("at_once", [1, 3])
@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("most", [1, 2, 5, 64])
def test_llama_cpp_tells_each_row_of_its_own_token(fake: Fake, text: str, most: int, at_once: int) -> None:
    raw = list(text.encode())
    fake.others = {"/tokenize": {"tokens": [ord("x")]}}

    def answer(body: dict[str, Any], send: Send) -> None:
        done = len(body["prompt"]) - 1
        if body.get("stream"):
            for event in recorded(raw, body, at_once):
                send(f"data: {json.dumps(event)}\n\n")
        elif body.get("logit_bias") == [[ord("x"), 200.0]]:
            tops = [{"id": raw[done], "logprob": -0.1}, {"id": ord("x"), "logprob": -9.0}]
            said = {"id": ord("x"), "logprob": -9.0, "top_logprobs": tops}
            send(json.dumps({"content": "x", "tokens": [ord("x")], "completion_probabilities": [said]}))

    fake.answer = answer
    runtime = ServedRuntime(LlamaCpp(Transport(fake.address.removesuffix("/v1"))), size=256, limit=512)
    runtime.begin(never, most)
    row, found = runtime.prefill([0]), list[int]()
    for _ in raw:
        found.append(int(row.argmax()))
        if len(found) < len(raw):
            row = runtime.step(found[-1])
    assert bytes(found).decode() == text
