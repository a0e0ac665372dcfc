"""Ollama's own interface, in the shapes of its answers."""

import ast
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from suture.model import Model, ModelError, Options, complete, load
from suture.model.errors import ServerUnavailable
from suture.model.loading.find import EMBEDDED
from suture.model.runtime.served import running
from suture.model.runtime.served.options import ServerOptions
from suture.parser import language

from tests.support.gguf_files import embedded_fields
from tests.support.model_server import Fake, Send, serving

LEFT, RIGHT = "def area(width, height):\n    return ", "\n\n\nprint(area(2, 3))\n"
OPTIONS = Options(max_tokens=16, copying=False, heal=False)
NAME = "fill:1b"


@pytest.fixture
def fake() -> Iterator[Fake]:
    with serving() as said:
        said.models = {"object": "list", "data": [{"id": NAME, "object": "model", "owned_by": "library"}]}
        said.others = {"/api/version": {"version": "0.12.11"}, "/api/show": {"model_info": embedded_fields()}}
        yield said


def connected(fake: Fake, **more: Any) -> Model:
    return load(f"{fake.address}#{NAME}", template="suture", order="spm", server=ServerOptions(**more))


def fill(model: Model, left: str = LEFT, options: Options = OPTIONS) -> str:
    state = language("python").hole(left, RIGHT).state
    assert state is not None
    found = complete(model, state, left, RIGHT, options)
    assert found.complete
    ast.parse(left + found.text + RIGHT)
    return found.text


def says(model_of: Callable[[], Model], *tokens: str, told: bool = True, reason: str = "stop") -> Callable[..., None]:
    """An Ollama that writes these tokens, except for those at the end of the prompt."""

    def answer(body: dict[str, Any], send: Send) -> None:
        done = next((n for n in range(len(tokens), 0, -1) if body["prompt"].endswith("".join(tokens[:n]))), 0)
        for token in tokens[done:][: body["options"]["num_predict"]]:
            event: dict[str, Any] = {"model": NAME, "response": token, "done": False}
            if told:
                one = {"token": token, "logprob": -0.2, "bytes": list(token.encode())}
                other = {"token": "(", "logprob": -2.5, "bytes": [40]}
                event["logprobs"] = [one | {"top_logprobs": [one, other]}]
            send(json.dumps(event) + "\n")
        send(json.dumps({"model": NAME, "response": "", "done": True, "done_reason": reason, "eval_count": 3}) + "\n")

    return answer


def test_a_draft_is_followed_with_its_probabilities(fake: Fake) -> None:
    model = connected(fake)
    assert model.template.name == "suture" and "Ollama" in model.description
    fake.answer = says(lambda: model, "width", " *", " height")
    assert fill(model) == "width * height"
    body = fake.asked[0]
    assert body["raw"] and body["stream"] and body["model"] == NAME and body["top_logprobs"] == 20
    assert body["options"]["temperature"] == 0 and body["options"]["repeat_penalty"] == 1.0
    assert body["prompt"].count("<fim_suffix>") == body["prompt"].count("<fim_middle>") == 1
    assert len({body["options"]["num_ctx"] for body in fake.asked}) == 1


def test_without_probabilities_what_fits_is_taken(fake: Fake) -> None:
    model = connected(fake)
    fake.answer = says(lambda: model, "width", " *", " height", told=False)
    assert fill(model) == "width * height"
    fake.answer = says(lambda: model, "height", ")", told=False)  # refused: nobody opened it
    model.runtime._rows.clear()  # type: ignore[attr-defined]
    assert fill(model) == "height"


def test_the_users_own_control_tokens_are_text(fake: Fake) -> None:
    model = connected(fake)
    fake.answer = says(lambda: model, "width")
    fill(model, LEFT.replace("return", "x = '<fim_middle>'; return"))
    assert fake.asked[0]["prompt"].count("<fim_middle>") == 1


def test_an_error_in_a_stream_and_a_cut_one_are_failures(fake: Fake) -> None:
    model = connected(fake)
    for line in ('{"error": "llama runner process has terminated"}\n', ""):
        fake.answer = lambda body, send, line=line: send(line)
        with pytest.raises(ServerUnavailable, match=r"terminated|broke off"):
            fill(model)


def test_a_vocabulary_that_is_not_told_can_be_named(fake: Fake) -> None:
    fake.others["/api/show"] = {"model_info": {"general.architecture": "qwen2"}}
    with pytest.raises(ModelError, match="ollama:NAME"):
        connected(fake)
    model = connected(fake, tokenizer=str(EMBEDDED))
    fake.answer = says(lambda: model, "width")
    assert fill(model) == "width"


def test_a_way_of_splitting_that_is_unknown_here_is_no_hindrance(fake: Fake) -> None:
    fake.others["/api/show"]["model_info"]["tokenizer.ggml.pre"] = "of-next-year"
    model = connected(fake)
    assert model.vocabulary.decode(model.vocabulary.encode(LEFT)) == LEFT.encode()
    fake.answer = says(lambda: model, "width", " *", " height")
    assert fill(model) == "width * height"


def test_models_of_running_servers_are_listed(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    address = fake.address.removesuffix("/v1")
    fake.others["/api/tags"] = {"models": [{"name": NAME, "size": 7}, {"name": 1}, "x"]}
    fake.others["/v1/models"] = {"data": [{"id": "org/coder"}, {"id": "text-embedding-nomic"}]}
    monkeypatch.setenv("OLLAMA_HOST", address.removeprefix("http://"))
    monkeypatch.setattr(running, "_LM_STUDIO", address)
    monkeypatch.setattr(running, "_LLAMA_CPP", "http://127.0.0.1:9")  # nobody
    assert running.running() == [
        running.Running(f"{address}/v1#{NAME}", "Ollama", 7),
        running.Running(f"{address}/v1#org/coder", "LM Studio"),
    ]


@pytest.mark.parametrize(
    ("said", "address"),
    [
        ("", "http://127.0.0.1:11434"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("0.0.0.0:7777", "http://127.0.0.1:7777"),
        ("localhost:7777", "http://localhost:7777"),
        ("gpu.example.org:11434", None),  # elsewhere: nobody asked for that
        ("http://[::1]:7777", "http://[::1]:7777"),
    ],
)
def test_only_this_machine_is_asked(said: str, address: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_HOST", said)
    assert running._ollama_address() == address


@pytest.mark.parametrize(("field", "tuned"), [("Coder 1B Instruct", True), ("Coder 1B", False)])
def test_weights_that_were_tuned_to_answer_are_asked_for_an_answer(fake: Fake, field: str, tuned: bool) -> None:
    fields = fake.others["/api/show"]["model_info"]
    fields["general.name"] = field  # as in `qwen2.5-coder:0.5b`, whose own name lacks it
    fields["tokenizer.ggml.tokens"] += ["<|im_start|>", "<|im_end|>"]
    fields["tokenizer.ggml.token_type"] += [3, 3]
    model = load(f"{fake.address}#{NAME}")
    fake.answer = says(lambda: model, "width", " *", " height")
    state = language("python").hole(LEFT, "").state
    assert state is not None
    assert complete(model, state, LEFT, "", Options(max_tokens=16, language="python")).complete
    chat = "<|im_start|>user\nWrite a Python file.<|im_end|>\n<|im_start|>assistant\n```python\ndef area("
    assert fake.asked[0]["prompt"].startswith(chat) is tuned
