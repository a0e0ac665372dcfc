"""The plugin for vLLM, called as vLLM's two model runners call it; see `tests/support/vllm_interface.py`."""

import ast
import gc
import logging
import random
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from suture.model import MaskedHole, TokenMasks
from suture.model.loading.find import EMBEDDED
from suture.model.prompting.vocabulary import Vocabulary
from suture.model.runtime.served.plugin_request import ARGUMENT, GREETING, QUESTION, PluginRequest, packed
from suture.parser import language, renew_languages
from suture.parser.glr import gc_policy
from tokenizers import Tokenizer

from tests.support import vllm_interface as vllm

TOKENIZER = Tokenizer.from_file(str(EMBEDDED / "tokenizer.json"))
VOCABULARY = Vocabulary(Tokenizer.from_file(str(EMBEDDED / "tokenizer.json")))
PLUGIN = Path(__file__).parents[2] / "plugins" / "vllm"
END, SIZE = 0, len(VOCABULARY)
PLACES = (
    ("def area(width, height):\n    return (", ")\n\n\nprint(area(2, 3))\n"),
    ("import os\nfor name in os.listdir(", "):\n    print(name)\n"),
    ("class A:\n    x = [1, ", "]\n"),
    ("value = {", "}\n"),
)


@pytest.fixture
def processor_class(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    for name, module in vllm.modules().items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setenv("SUTURE_VLLM_LANGUAGES", "")  # nothing is prepared
    monkeypatch.setattr("suture.model.decoding.token_masks.cache_folder", lambda: tmp_path)
    monkeypatch.delitem(sys.modules, "suture_vllm.processor", raising=False)
    from suture_vllm.processor import SutureLogitsProcessor

    return SutureLogitsProcessor


@pytest.fixture
def masks(tmp_path: Path) -> TokenMasks:
    return TokenMasks(VOCABULARY.bytes_of, [END], SIZE, tmp_path)


def v1(processor_class: Any) -> Any:
    return processor_class(vllm.config(TOKENIZER, SIZE, END), torch.device("cpu"), False)


def params(left: str, right: str, **more: Any) -> vllm.SamplingParams:
    return vllm.SamplingParams({ARGUMENT: packed(PluginRequest(left, right, "python", **more))})


def hole(masks: TokenMasks, left: str, right: str) -> MaskedHole:
    state = language("python").hole(left, right).state
    assert state is not None
    return MaskedHole(masks, state)


def logits_of(step: int, rows: int, width: int = SIZE) -> torch.Tensor:
    return torch.from_numpy(np.random.default_rng(step).normal(size=(rows, width)).astype(np.float32))


def left_of(row: torch.Tensor) -> np.ndarray:
    return (row > float("-inf")).numpy()


def best(row: np.ndarray, mask: np.ndarray) -> int:
    return int(np.where(mask, row[: len(mask)], -np.inf).argmax())


def test_v1_holds_each_row_to_its_own_file_while_requests_come_go_and_change_rows(
    processor_class: Any, masks: TokenMasks
) -> None:
    processor, rng = v1(processor_class), random.Random(4)
    holes = [hole(masks, *place) for place in PLACES]
    rows: list[tuple[int | None, list[int]]] = []  # (place or None, output), as vLLM keeps them
    for step in range(40):
        removed: list[int] = []
        added: list[tuple[int, Any, list[int], list[int]]] = []
        moved: list[tuple[int, int, vllm.MoveDirectionality]] = []
        if len(rows) < 4:  # a new request, held or not, in a new row
            place = rng.choice([None, *range(len(PLACES))])
            output: list[int] = []
            given = vllm.SamplingParams() if place is None else params(*PLACES[place])
            added.append((len(rows), given, [1, 2], output))
            rows.append((place, output))
        elif rng.random() < 0.3:  # one ends; the last row takes its place
            gone = rng.randrange(len(rows))
            removed.append(gone)
            if gone != len(rows) - 1:
                moved.append((len(rows) - 1, gone, vllm.MoveDirectionality.UNIDIRECTIONAL))
                rows[gone] = rows[-1]
            rows.pop()
        elif rng.random() < 0.3:
            moved.append((0, 2, vllm.MoveDirectionality.SWAP))
            rows[0], rows[2] = rows[2], rows[0]
        processor.update_state(
            vllm.BatchUpdate(len(rows), removed, added, moved) if removed or added or moved else None
        )
        logits = logits_of(step, len(rows))
        before = logits.clone()
        after = processor.apply(logits)
        for row, (place, output) in enumerate(rows):
            mask = holes[place].mask(output) if place is not None else np.ones(SIZE, dtype=bool)
            assert (left_of(after[row]) == mask).all(), (step, row)
            assert torch.equal(after[row][after[row] > float("-inf")], before[row][torch.from_numpy(mask)])
            output.append(best(before[row].numpy(), mask))
    assert processor._isolation.failures == 0


class Slots:
    """A batch of Model Runner V2: slots that are used again, rows in any order, drafts behind requests."""

    def __init__(self, processor_class: Any, slots: int = 3) -> None:
        self.requests = vllm.Requests(slots, 256)
        self.processor = processor_class(vllm.config(TOKENIZER, SIZE, END), self.requests)
        self.sequences: dict[int, list[int]] = {}
        self.prompts: dict[int, int] = {}

    def begin(self, slot: int, given: vllm.SamplingParams, written: Sequence[int] = ()) -> bool:
        """A request comes in; `written`: after a pause."""
        prompt = [7, 8, 9]
        self.requests.begin(slot, prompt)
        self.sequences[slot], self.prompts[slot] = [*prompt, *written], len(prompt)
        self.requests.append(slot, 0, self.sequences[slot])
        return self.processor.add_request(slot, given)

    def output(self, slot: int) -> list[int]:
        return self.sequences[slot][self.prompts[slot] :]

    def step(self, rows: Sequence[tuple[int, Sequence[int]]], logits: torch.Tensor, cut: int = 0) -> torch.Tensor:
        """`rows`: (slot, what is drafted behind it); `cut`: tokens of each sequence that are not read yet."""
        slots, tokens, places, behind = [], [], [], []
        for slot, draft in rows:
            whole = [*self.sequences[slot], *draft]
            for drafted in range(len(draft) + 1):
                last = len(self.sequences[slot]) - 1 + drafted - cut
                slots.append(slot)
                tokens.append(whole[last])
                places.append(last)
                behind.append(drafted)
        order = [slot for slot, _ in rows]
        context = vllm.LogitsContext(
            torch.tensor(slots, dtype=torch.int32),
            torch.tensor(order, dtype=torch.int32),
            np.array(order, dtype=np.int32),
            torch.tensor(behind, dtype=torch.int32),
            torch.tensor(tokens, dtype=torch.int32),
            torch.tensor(places, dtype=torch.int64),
            np.array(places),
        )
        return self.processor.apply(logits, context)

    def take(self, slot: int, tokens: Sequence[int]) -> None:
        """Tokens that were sampled, or drafted and found right."""
        self.requests.append(slot, len(self.sequences[slot]), tokens)
        self.sequences[slot] += tokens


def test_v2_holds_rows_in_any_order_with_drafts_behind_them(processor_class: Any, masks: TokenMasks) -> None:
    batch, rng = Slots(processor_class), random.Random(5)
    holes = {slot: hole(masks, *PLACES[slot]) for slot in range(3)}
    assert all(batch.begin(slot, params(*PLACES[slot])) for slot in range(3))
    drafts: dict[int, list[int]] = {slot: [] for slot in range(3)}
    accepted = 0

    def row_of(slot: int, ids: Sequence[int]) -> torch.Tensor:
        return logits_of(1000 * slot + len(ids), 1)

    for step in range(12):
        rows = [(slot, drafts[slot]) for slot in rng.sample(range(3), 3)]
        written = {slot: [[*batch.output(slot), *draft[:end]] for end in range(len(draft) + 1)] for slot, draft in rows}
        logits = torch.cat([row_of(slot, ids) for slot, _ in rows for ids in written[slot]])
        before, after = logits.clone().numpy(), batch.step(rows, logits)
        at = 0
        for slot, draft in rows:
            sampled: list[int] = []
            for behind, ids in enumerate(written[slot]):
                if sampled == draft[:behind]:  # behind a draft that was refused nothing counts
                    mask = holes[slot].mask(ids)
                    assert (left_of(after[at]) == mask).all(), (step, slot, behind)
                    sampled.append(best(before[at], mask))
                at += 1
            accepted += len(sampled) - 1
            batch.take(slot, sampled)
            ids = batch.output(slot)
            right = best(row_of(slot, ids).numpy()[0], holes[slot].mask(ids))
            drafts[slot] = rng.choice([[], [right], [rng.randrange(5, SIZE)], [right, rng.randrange(5, SIZE)]])
    assert accepted > 5
    assert batch.processor._isolation.failures == 0


def test_v2_leaves_alone_what_was_not_asked_for_and_parts_of_prompts(processor_class: Any) -> None:
    batch = Slots(processor_class)
    assert not batch.begin(0, vllm.SamplingParams())
    assert not batch.begin(1, vllm.SamplingParams({"another": 1}))
    logits = logits_of(1, 2)
    assert torch.equal(batch.step([(0, []), (1, [])], logits.clone()), logits)
    assert batch.begin(2, params(*PLACES[0]))
    assert torch.equal(batch.step([(2, [])], logits[:1].clone(), cut=1), logits[:1])
    assert not torch.equal(batch.step([(2, [])], logits[:1].clone()), logits[:1])


def test_v2_uses_a_slot_again_and_goes_on_after_a_pause(processor_class: Any, masks: TokenMasks) -> None:
    batch = Slots(processor_class)
    assert batch.begin(0, params(*PLACES[0]))
    batch.step([(0, [])], logits_of(1, 1))
    written = list(VOCABULARY.encode("(1, 2"))
    assert batch.begin(0, params(*PLACES[2]), written)  # of another request, some of which was written before
    after = batch.step([(0, [])], logits_of(2, 1))
    assert (left_of(after[0]) == hole(masks, *PLACES[2]).mask(written)).all()
    assert not batch.begin(0, vllm.SamplingParams())
    assert torch.equal(batch.step([(0, [])], logits_of(3, 1)), logits_of(3, 1))


def test_what_is_written_forced_and_ends(processor_class: Any, masks: TokenMasks) -> None:
    processor, (left, right) = v1(processor_class), PLACES[0]
    whole = hole(masks, left, right)
    written = list(VOCABULARY.encode("width"))
    outputs: list[list[int]] = [[], [], []]
    given = [
        params(left, right, written=tuple(written)),
        params(left[:-2], right, forced=b" ("),  # these two are to be spelled again
        params(left, right, written=tuple(written), ends=(END, 3)),
    ]
    processor.update_state(vllm.BatchUpdate(3, (), [(i, one, [1], outputs[i]) for i, one in enumerate(given)]))
    after = processor.apply(logits_of(1, 3))
    assert (left_of(after[0]) == whole.mask(written)).all() and left_of(after[0])[END]
    begins = np.array([(spelling or b"").startswith(b" (") for spelling in VOCABULARY.bytes_of])
    assert not (left_of(after[1]) & ~begins).any()
    assert left_of(after[2])[[END, 3]].all() and not left_of(after[0])[3]
    for output in outputs:
        output.append(END)
    after = processor.apply(logits_of(2, 3))
    assert left_of(after[0]).nonzero()[0].tolist() == [END]
    assert left_of(after[2]).nonzero()[0].tolist() == [END, 3]


def test_a_request_that_fails_costs_the_others_nothing(
    processor_class: Any, masks: TokenMasks, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    processor, secret = v1(processor_class), "s3cret_name"
    follower = processor._follower
    begin, bitmask = follower.begin, follower.bitmask

    def failing(asked: PluginRequest, stops: Any) -> Any:
        if secret in asked.left:
            raise KeyError(asked.left)
        return begin(asked, stops)

    monkeypatch.setattr(follower, "begin", failing)
    caplog.set_level(logging.DEBUG)
    given = [params(f"{secret} = 1\n", "\n"), params(*PLACES[0]), params(*PLACES[1])]
    given.append(vllm.SamplingParams({ARGUMENT: "no request"}))  # that no front end has checked
    processor.update_state(vllm.BatchUpdate(4, (), [(i, one, [1], []) for i, one in enumerate(given)]))
    logits = logits_of(1, 4)
    after = processor.apply(logits.clone())
    assert torch.equal(after[0], logits[0]) and torch.equal(after[3], logits[3])
    assert (left_of(after[1]) == hole(masks, *PLACES[0]).mask([])).all()
    assert "KeyError at" in caplog.text and secret not in caplog.text
    bad = processor._held[1].now
    monkeypatch.setattr(follower, "bitmask", lambda at: [][0] if at is bad else bitmask(at))
    after = processor.apply(logits.clone())
    assert torch.equal(after[1], logits[1]) and not torch.equal(after[2], logits[2])
    for _ in range(50):
        processor.apply(logits.clone())
    assert len(caplog.records) == 20  # a server's log is not filled


def test_tokens_that_are_not_known_yet_are_waited_for(processor_class: Any, masks: TokenMasks) -> None:
    processor, output = v1(processor_class), [-1]
    processor.update_state(vllm.BatchUpdate(1, (), [(0, params(*PLACES[0]), [1], output)]))
    assert torch.equal(processor.apply(logits_of(1, 1)), logits_of(1, 1))
    output[:] = VOCABULARY.encode("width")
    after = processor.apply(logits_of(2, 1))
    assert (left_of(after[0]) == hole(masks, *PLACES[0]).mask(output)).all()
    output[:] = []  # taken back
    assert (left_of(processor.apply(logits_of(2, 1))[0]) == hole(masks, *PLACES[0]).mask([])).all()


def test_a_text_that_is_lost_is_let_go(processor_class: Any) -> None:
    processor, output = v1(processor_class), list(VOCABULARY.encode(")))"))
    processor.update_state(vllm.BatchUpdate(1, (), [(0, params(*PLACES[0]), [1], output)]))
    assert torch.equal(processor.apply(logits_of(1, 1)), logits_of(1, 1))
    asked = PluginRequest("x = ", "\n", "slua")  # of which nothing can be judged without an API
    processor.update_state(vllm.BatchUpdate(1, (), [(0, vllm.SamplingParams({ARGUMENT: packed(asked)}), [1], [])]))
    assert not processor._held and processor._isolation.failures == 0


@pytest.mark.parametrize("has_kernel", [True, False])
def test_logits_that_stand_for_no_token_are_refused(
    processor_class: Any, has_kernel: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    from suture_vllm.logits import hold

    if not has_kernel:
        monkeypatch.setattr("suture_vllm.logits._kernel", lambda: None)

    size, width = 70, 96
    flags = np.zeros((2, 96), dtype=bool)
    flags[0, [1, 33, 69]], flags[1, [0, 64]] = True, True
    masks = list(np.packbits(flags, axis=1, bitorder="little").view("<i4"))
    logits = torch.zeros((4, width))
    hold(logits, [2, 0], masks, size)
    assert left_of(logits[2]).nonzero()[0].tolist() == [1, 33, 69]
    assert left_of(logits[0]).nonzero()[0].tolist() == [0, 64]
    assert left_of(logits[[1, 3]]).all()
    narrow = torch.zeros((1, 40))  # a model may have fewer logits than its tokenizer has tokens
    hold(narrow, [0], masks[:1], size)
    assert left_of(narrow[0]).nonzero()[0].tolist() == [1, 33]


def test_requests_are_followed_without_pytorch() -> None:
    """Only where masks meet logits is it needed."""
    code = """if True:
        import sys
        import suture_vllm.arguments, suture_vllm.followed, suture_vllm.held, suture_vllm.isolation
        print(sorted({"torch", "transformers", "vllm"} & set(sys.modules)))
    """
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=PLUGIN)
    assert ran.stdout == "[]\n", ran.stdout + ran.stderr


def test_the_distribution_holds_every_module() -> None:
    configuration = tomllib.loads((PLUGIN / "pyproject.toml").read_text())
    found = {".".join(path.relative_to(PLUGIN).parent.parts) for path in PLUGIN.glob("suture_vllm/**/*.py")}
    assert set(configuration["tool"]["setuptools"]["packages"]) == found


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (QUESTION, "^" + GREETING + "$"),
        (3, "has to be a string"),
        ("print(s3cret)", "is not JSON, compressed by zlib and in base64"),
        (packed(PluginRequest("s3cret", "", "klingon")), "unknown language"),
        (packed(PluginRequest("s3cret", "", "python", "2.7")), "no version"),
        (packed(PluginRequest("s3cret", "x" * 300_000, "python")), "longer than 262,144"),
    ],
)
def test_wrong_arguments_are_said_to_their_client(processor_class: Any, value: Any, says: str) -> None:
    with pytest.raises(ValueError, match=says) as refused:
        processor_class.validate_params(vllm.SamplingParams({ARGUMENT: value}))
    assert str(refused.value).startswith(GREETING) and "s3cret" not in str(refused.value)
    processor_class.validate_params(vllm.SamplingParams(None))
    processor_class.validate_params(params(*PLACES[0]))


@pytest.fixture
def unfrozen(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Garbage collection is afterwards as it was."""
    monkeypatch.setattr(gc_policy, "freezing", False)
    yield
    gc.unfreeze()


@pytest.mark.usefixtures("unfrozen")
def test_collections_stay_short_once_a_language_is_prepared(
    processor_class: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from suture_vllm import followed, samples

    monkeypatch.setattr(followed.TokenMasks, "prepare", lambda masks, state: None)  # it takes long
    monkeypatch.setattr(samples, "of", lambda name: [])
    follower = followed.Follower(VOCABULARY.bytes_of, SIZE, [END], tmp_path)
    seen = len(gc.get_objects())
    follower.prepare(["python"])
    # What a full collection looks at: hardly anything but what has come since.
    assert gc_policy.freezing and len(gc.get_objects()) < seen / 10


@pytest.mark.usefixtures("unfrozen")
def test_what_is_usual_is_met_before_the_first_request(
    processor_class: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from suture_vllm import followed, samples

    sample = "import os\n\n\nclass A:\n    def size(self, path):\n        return {name: [os.stat(path), 1] for name in self.of(path)}\n"
    monkeypatch.setattr(followed.TokenMasks, "prepare", lambda masks, state: None)  # it takes long
    monkeypatch.setattr(samples, "of", lambda name: [sample])

    def made(prepared: list[str]) -> int:
        """Objects made for the masks of the first request's first tokens."""
        renew_languages()
        follower = followed.Follower(VOCABULARY.bytes_of, SIZE, [END], tmp_path)
        follower.prepare(prepared)
        engine = language("python").runtime().engine  # type: ignore[attr-defined]
        before = engine.size
        at = follower.begin(PluginRequest("def area(width):\n    return [", "]\n", "python"))
        assert at is not None
        for token in VOCABULARY.encode("width, area(3)"):
            assert follower.bitmask(at) is not None
            at = follower.after(at, token)
        return engine.size - before

    cold, warm = made([]), made(["python"])
    assert warm < cold / 4, (warm, cold)


def test_samples_are_valid_files(processor_class: Any) -> None:
    from suture_vllm import samples

    found = list(samples.of("python"))
    assert found and not list(samples.of("a language that nobody knows"))
    for text in found:
        ast.parse(text)
