"""Misbehaving servers, and answers in the shapes of vLLM and others, from a small server with a test's answers."""

import ast
import contextlib
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from suture.model import Model, ModelError, Options, complete, load
from suture.model.decoding import api
from suture.model.errors import Cancelled, ServerHangs, ServerUnavailable
from suture.model.loading.find import EMBEDDED
from suture.model.runtime.served import transport
from suture.model.runtime.served.llama_cpp import LlamaCpp
from suture.model.runtime.served.options import ServerOptions
from suture.model.runtime.served.plugin_request import GREETING, PluginRequest, unpacked
from suture.model.runtime.served.runtime import ServedRuntime
from suture.model.runtime.served.transport import Transport
from suture.parser import language

from tests.support.model_server import Fake, Send, serving
from tests.support.work import PATIENCE_S

LEFT, RIGHT = "def area(width, height):\n    return ", "\n\n\nprint(area(2, 3))\n"
OPTIONS = Options(max_tokens=16, copying=False)


@pytest.fixture
def fake() -> Iterator[Fake]:
    with serving() as said:
        yield said


def connected(fake: Fake, **more: Any) -> Model:
    return load(fake.address, server=ServerOptions(tokenizer=str(EMBEDDED), **more))


def fill(model: Model, **more: Any) -> Any:
    state = language("python").hole(LEFT, RIGHT).state
    assert state is not None
    return complete(model, state, LEFT, RIGHT, OPTIONS, **more)


@pytest.mark.parametrize(
    ("name", "plugin", "answers"),
    [("coder-instruct", "", True), ("coder", "", False), ("coder-instruct", GREETING, False)],
)
def test_the_name_of_a_served_model_says_whether_it_answers(fake: Fake, name: str, plugin: str, answers: bool) -> None:
    fake.models = {"data": [{"id": name, "owned_by": "vllm", "max_model_len": 1024}]}
    fake.plugin = plugin
    assert connected(fake).answers is answers


def chunk(steps: list[tuple[str, dict[str, float]]], finish: str | None = None, **more: Any) -> str:
    """A part of a stream as vLLM sends it."""
    logprobs = {
        "tokens": [token for token, _ in steps],
        "token_logprobs": [row[token] for token, row in steps],
        "top_logprobs": [row for _, row in steps],
    }
    choice = {"index": 0, "text": "", "logprobs": logprobs if steps else None, "finish_reason": finish}
    return f"data: {json.dumps({'choices': [choice | more]})}\n\n"


def drafts(model_of: Callable[[], Model], text: str) -> Callable[[dict[str, Any], Send], None]:
    """A vLLM that continues a prompt with the rest of a text and then ends, wherever the prompt stands in it."""

    def answer(body: dict[str, Any], send: Send) -> None:
        vocabulary = model_of().vocabulary
        prompt = body["prompt"]
        middle = vocabulary.ids["<fim_middle>"]
        said = vocabulary.decode(prompt[prompt.index(middle) + 1 :]).decode()
        rest = text[len(said) :] if text.startswith(said) else ""
        ids = [*vocabulary.encode(rest), 0][: body["max_tokens"]]
        for token in ids:
            send(chunk([(f"token_id:{token}", {f"token_id:{token}": -0.1, "token_id:99": -3.0})]))
        send(chunk([], "length"))
        send("data: [DONE]\n\n")

    return answer


def test_a_draft_of_vllm_is_followed_by_its_ids(fake: Fake) -> None:
    model = connected(fake)
    assert model.template.name == "suture"  # as the tokenizer's folder says
    fake.answer = drafts(lambda: model, " width")
    found = fill(model)
    ast.parse(LEFT + found.text + RIGHT)
    assert all(isinstance(token, int) for body in fake.asked for token in body["prompt"])
    assert fake.asked[0]["logprobs"] == 20 and fake.asked[0]["temperature"] == 0


def test_a_stream_that_is_cut_is_asked_for_again_and_then_a_failure(fake: Fake) -> None:
    model = connected(fake)
    whole, cuts = drafts(lambda: model, " width"), [1]

    def cut(body: dict[str, Any], send: Send) -> None:
        if cuts:
            cuts.pop()
            return send(": nothing but a comment\n\n")
        whole(body, send)

    fake.answer = cut
    ast.parse(LEFT + fill(model).text + RIGHT)
    fake.answer = lambda body, send: None
    assert isinstance(model.runtime, ServedRuntime)
    model.runtime._rows.clear()
    with pytest.raises(ServerUnavailable, match="broke off"):
        fill(model)


def test_an_error_in_a_stream_is_no_end_of_the_text(fake: Fake) -> None:
    model = connected(fake)
    fake.answer = lambda body, send: send('data: {"error": {"message": "EngineCore died"}}\n\n')
    with pytest.raises(ServerUnavailable, match="EngineCore died"):
        fill(model)


def test_a_server_that_fails_once_is_asked_again(fake: Fake) -> None:
    model = connected(fake)
    fake.answer = drafts(lambda: model, " width")
    fake.statuses = [500]
    ast.parse(LEFT + fill(model).text + RIGHT)
    assert isinstance(model.runtime, ServedRuntime)
    model.runtime._rows.clear()
    fake.statuses = [503, 503]
    with pytest.raises(ServerUnavailable, match="out of order"):
        fill(model)


@pytest.mark.parametrize(("status", "says"), [(401, "key"), (404, "know this model"), (400, "refuses")])
def test_what_trying_again_does_not_mend_is_said_at_once(fake: Fake, status: int, says: str) -> None:
    model = connected(fake)
    fake.statuses = [status]
    with pytest.raises(ModelError, match=says) as caught:
        fill(model)
    assert not isinstance(caught.value, ServerUnavailable) and len(fake.asked) == 1


def test_a_slow_server_is_not_waited_for_when_nobody_does(fake: Fake) -> None:
    model = connected(fake)
    left = threading.Event()

    def slow(body: dict[str, Any], send: Send) -> None:
        while True:
            time.sleep(0.05)
            try:
                send(": still reading\n\n")
            except OSError:
                left.set()
                raise

    fake.answer = slow
    assert fill(model, cancelled=lambda: bool(fake.asked)).cancelled
    assert left.wait(PATIENCE_S)  # the connection is closed, and a real server stops


def test_a_server_that_hangs_is_told_from_one_that_computes(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stopped server takes connections, and says nothing."""
    for name, seconds in (("SILENT_S", 0.01), ("AGAIN_S", 0.01), ("ALIVE_S", PATIENCE_S)):
        monkeypatch.setattr(transport, name, seconds)
    model = connected(fake)
    whole = drafts(lambda: model, " width")

    def computes(body: dict[str, Any], send: Send) -> None:
        time.sleep(1.5)
        whole(body, send)

    fake.answer = computes
    ast.parse(LEFT + fill(model).text + RIGHT)
    assert len(fake.asked) == 1
    monkeypatch.setattr(transport, "ALIVE_S", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as stopped:
        hanging = transport.Transport(f"http://127.0.0.1:{stopped.getsockname()[1]}")
        runtime = ServedRuntime(LlamaCpp(hanging), size=10, limit=100)  # type: ignore[arg-type]
        with pytest.raises(ServerHangs):
            runtime.prefill([1, 2, 3])
        assert runtime.counts.drafts == 1  # nothing is tried twice
        with pytest.raises(ServerHangs):
            hanging.post("/v1/completions", {})


def test_the_silence_of_a_server_lasts_over_requests_that_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A typing user gives up each, long before a hanging server can be told from a computing one."""
    monkeypatch.setattr(transport, "SILENT_S", 0.2)
    monkeypatch.setattr(transport, "ALIVE_S", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as stopped:
        hanging = transport.Transport(f"http://127.0.0.1:{stopped.getsockname()[1]}")
        with pytest.raises(ServerHangs):
            for _ in range(1000):
                asked: list[int] = []
                with contextlib.suppress(Cancelled):
                    hanging.stream("/v1/completions", {}).next(
                        lambda asked=asked: bool(asked) or asked.append(1) or False
                    )


def test_answers_that_are_none_end_in_a_line(fake: Fake) -> None:
    model = connected(fake)
    for answer in (
        'data: {"choices": [{"text": "x"}]}\n\n',  # vLLM, without log probabilities
        'data: {"choices": [{}]}\n\ndata: {oops\n\n',
        "data: 7\n\n",
    ):
        fake.answer = lambda body, send, answer=answer: send(answer)
        with pytest.raises(ModelError):
            fill(model)
    for models in ({}, {"data": []}, {"data": [{}]}, []):
        fake.models = models  # type: ignore[assignment]
        with pytest.raises(ModelError, match=r"lists no models|has no model"):
            connected(fake)


def test_of_several_models_one_must_be_named(fake: Fake) -> None:
    fake.models["data"].append({"id": "n", "owned_by": "vllm"})
    with pytest.raises(ModelError, match="several models: write one behind #, one of m, n"):
        connected(fake)
    assert load(f"{fake.address}#n", server=ServerOptions(tokenizer=str(EMBEDDED))).name.endswith("#n")


def test_in_a_prompt_of_text_the_users_own_control_tokens_are_text(fake: Fake) -> None:
    fake.models["data"][0]["owned_by"] = "organization_owner"
    model = connected(fake)
    left = LEFT.replace("return", "x = '<fim_suffix>'; return")
    state = language("python").hole(left, RIGHT).state
    assert state is not None

    def answer(body: dict[str, Any], send: Send) -> None:
        row = {" width": -0.2, " height": -2.0, "<|endoftext|>": -4.0}
        end = {"<|endoftext|>": -0.1, "(": -3.0}
        wanted = " width" if body["prompt"].endswith("return") else "<|endoftext|>"
        send(chunk([(wanted, row if wanted == " width" else end)], "length", text=wanted))

    fake.answer = answer
    found = complete(model, state, left, RIGHT, OPTIONS)
    ast.parse(left + found.text + RIGHT)
    prompt = fake.asked[0]["prompt"]
    assert isinstance(prompt, str) and prompt.count("<fim_suffix>") == 1 and "<\u200bfim_suffix>" in prompt


@pytest.mark.parametrize("form", ["none", "content"])
def test_another_server_may_tell_nothing_or_in_the_newer_form(fake: Fake, form: str) -> None:
    fake.models["data"][0]["owned_by"] = "organization_owner"
    model = connected(fake)

    def answer(body: dict[str, Any], send: Send) -> None:
        rest = [one for one in (" width", " *", " height") if one not in body["prompt"][-18:]]
        for text in rest:
            one = {"token": text, "bytes": list(text.encode()), "logprob": -0.3}
            told = {"content": [one | {"top_logprobs": [one, {"token": "(", "bytes": [40], "logprob": -3.0}]}]}
            choice = {"text": text, "logprobs": told if form == "content" else None, "finish_reason": None}
            send(f"data: {json.dumps({'choices': [choice]})}\n\n")
        send(f"data: {json.dumps({'choices': [{'text': '', 'logprobs': None, 'finish_reason': 'stop'}]})}\n\n")

    fake.answer = answer
    assert fill(model).text.strip() == "width * height"  # it ended by itself, without a row for its end


def test_a_server_that_tells_no_token_among_those_allowed_ends_no_request(fake: Fake) -> None:
    fake.others["/completion"] = {"content": "", "stop": True, "stop_type": "eos"}
    fake.others["/tokenize"] = {"tokens": [120]}
    server = LlamaCpp(Transport(fake.address.removesuffix("/v1")))
    assert server.among([1, 2], [3, 4], lambda: False) == server.among([1, 2], None, lambda: False) == {}
    server.close()


def test_a_vllm_with_our_plugin_is_told_the_file_and_what_is_written(fake: Fake) -> None:
    fake.plugin = GREETING
    model = connected(fake)
    assert "plugin" in model.description
    fake.answer = drafts(lambda: model, " width")
    options = replace(OPTIONS, language="python", language_version="3.12")
    state = language("python", "3.12").hole(LEFT, RIGHT).state
    assert state is not None
    whole = complete(model, state, LEFT, RIGHT, options)
    ast.parse(LEFT + whole.text + RIGHT)
    told = [unpacked(body["vllm_xargs"]["suture"]) for body in fake.asked if "vllm_xargs" in body]
    first = told[0]
    assert first == PluginRequest(first.left, RIGHT, "python", "3.12", (), first.forced, model.template.ends)
    assert first.left + first.forced.decode() == LEFT and first.forced == b" "
    drafted = [body["prompt"] for body in fake.asked if body["stream"]]
    for around, prompt in zip(told, drafted, strict=True):
        assert tuple(prompt) == (*drafted[0], *around.written)
    fake.asked.clear()
    assert isinstance(model.runtime, ServedRuntime)
    model.runtime._rows.clear()
    fill(model)  # of an unnamed language
    assert fake.asked and not any("vllm_xargs" in body for body in fake.asked)


def test_a_plugin_that_refuses_a_language_is_not_asked_about_it_again(fake: Fake) -> None:
    fake.plugin = GREETING
    model = connected(fake)
    whole = drafts(lambda: model, " width")
    fake.answer = whole
    options = replace(OPTIONS, language="python")
    state = language("python").hole(LEFT, RIGHT).state
    assert state is not None and isinstance(model.runtime, ServedRuntime)
    fake.refuses = f"{GREETING}: the argument 'suture' unknown language"
    ast.parse(LEFT + complete(model, state, LEFT, RIGHT, options).text + RIGHT)
    held = ["vllm_xargs" in body for body in fake.asked]
    assert held[0] and len(held) > 1 and not any(held[1:])
    model.runtime._rows.clear()
    complete(model, state, LEFT, RIGHT, options)
    assert not any("vllm_xargs" in body for body in fake.asked[1:])


def test_what_is_drafted_is_not_waited_for_after_a_request() -> None:
    ended: list[bool] = []
    model: Any = SimpleNamespace(served=SimpleNamespace(end=lambda: ended.append(True)))
    with api.request_of(model):
        assert not ended
    with contextlib.suppress(Cancelled), api.request_of(model):
        raise Cancelled
    assert ended == [True, True]
