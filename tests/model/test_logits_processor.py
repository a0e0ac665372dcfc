"""The constraint in transformers' `generate`, with real architectures and random weights: the holes are always filled."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from suture.model import ConstraintProcessor, MaskedHole, TokenMasks
from suture.model.decoding import logits_processor
from suture.model.prompting.vocabulary import Vocabulary
from suture.parser import language
from suture.parser.hole import HoleState
from tokenizers import Tokenizer

from ..support.modelzoo import STAR, bytelevel, save_model
from ..support.oracle_python import parses

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "generate_with_transformers.py"
END, PAD = 0, 4
HOLES = [("x = [1, ", "]\n"), ("def f(a):\n    if a:\n        ", "\n    return 2\n"), ("print('é", "')\n"), ("", "")]
VOCABULARY = Vocabulary(Tokenizer.from_str(bytelevel()))


@pytest.fixture(scope="module")
def masks(tmp_path_factory: pytest.TempPathFactory) -> TokenMasks:
    return TokenMasks(VOCABULARY.bytes_of, [END], folder=tmp_path_factory.mktemp("masks"))


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory):
    from transformers import AutoModelForCausalLM

    return AutoModelForCausalLM.from_pretrained(save_model(tmp_path_factory.mktemp("model"), bytelevel()))


def state_of(left: str, right: str) -> HoleState:
    state = language("python").hole(left, right).state
    assert state is not None
    return state


def test_few_positions_are_kept(masks: TokenMasks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logits_processor, "_KEPT_POSITIONS", 4)
    hole = MaskedHole(masks, state_of("x = [1, ", "]\n"))
    for text in ("1", "2", "3, 4", "5, 6, 7, 8, 9", "10", "11"):
        ids = VOCABULARY.encode(text)
        assert hole.position(ids) is not None
        assert len(hole._positions) <= max(4, len(ids))


def check(network, masks: TokenMasks, tokens: int = 12, **settings: object) -> list[list[int]]:
    """All holes in one batch, padded on the left: every token is allowed, ended rows are complete, all can be completed."""
    import torch

    states = [state_of(*hole) for hole in HOLES]
    prompts = [VOCABULARY.encode(left)[-20:] or [PAD] for left, _ in HOLES]
    longest = max(map(len, prompts))
    ids = torch.tensor([[PAD] * (longest - len(p)) + list(p) for p in prompts])
    torch.manual_seed(3)
    processor = ConstraintProcessor(masks, states, prompt_length=longest)
    generated = network.generate(
        ids, attention_mask=(ids != PAD).long(), logits_processor=[processor], max_new_tokens=tokens,
        eos_token_id=END, pad_token_id=PAD, **settings,
    )  # fmt: skip
    each = len(generated) // len(HOLES)
    texts = processor.texts(generated)
    rows = generated[:, longest:].tolist()
    for row, (new, text) in enumerate(zip(rows, texts, strict=True)):
        left, right = HOLES[row // each]
        start = states[row // each]
        if END in new:
            new = new[: new.index(END)]
            spelled = VOCABULARY.decode(new).decode()
            after = start.advance(spelled)
            assert after is not None and after.complete and text == spelled
        assert not set(new) & {VOCABULARY.ids[token] for token in STAR}
        assert text is not None and parses(left + text + right), (left, text, right)
    return rows


def test_greedy(network, masks: TokenMasks) -> None:
    check(network, masks)


def test_sampling_several_for_each_row(network, masks: TokenMasks) -> None:
    rows = check(network, masks, do_sample=True, temperature=2.0, num_return_sequences=3)
    assert rows[0] != rows[1]


def test_beams(network, masks: TokenMasks) -> None:
    check(network, masks, num_beams=4, num_return_sequences=2)


def test_greedy_takes_the_best_allowed_token(network, masks: TokenMasks) -> None:
    """The same as the lazy way: from the best token down, the first possible one."""
    import torch

    hole = MaskedHole(masks, state_of("x = [1, ", "]\n"))
    prompt = VOCABULARY.encode("x = [1, ")
    ids: list[int] = []
    with torch.no_grad():
        for _ in range(8):
            logits = network(torch.tensor([[*prompt, *ids]])).logits[0, -1]
            position = hole.position(ids)
            assert position is not None
            ids.append(next(i for i in logits.argsort(descending=True).tolist() if masks.allowed(position)[i]))
            if ids[-1] == END:
                break
    processor = ConstraintProcessor(masks, state_of("x = [1, ", "]\n"), prompt_length=len(prompt))
    generated = network.generate(
        torch.tensor([prompt]), attention_mask=torch.ones(1, len(prompt), dtype=torch.long), max_new_tokens=8,
        logits_processor=[processor], eos_token_id=END, pad_token_id=PAD,
    )  # fmt: skip
    assert generated[0, len(prompt) :].tolist() == ids


# -- token ids so far -> mask


def spelled(mask: np.ndarray) -> set[bytes]:
    return {VOCABULARY.bytes_of[i] or b"<end>" for i in np.flatnonzero(mask)}


def test_masks_by_token_ids(masks: TokenMasks) -> None:
    hole = MaskedHole(masks, state_of("x = (1", ")\n"))
    first = hole.mask([])
    assert {b"<end>", b",", b" ", b"2", b")"} <= spelled(first) and b"'" not in spelled(first)
    comma = hole.mask(VOCABULARY.encode(", "))
    assert {b"<end>", b"'", b"x"} <= spelled(comma)
    assert hole.mask([]).tolist() == first.tolist()  # in any order
    packed = hole.bitmask(VOCABULARY.encode(", "))
    assert np.unpackbits(packed.view(np.uint8), bitorder="little")[: masks.size].astype(bool).tolist() == comma.tolist()


def test_after_the_end_only_the_end(masks: TokenMasks) -> None:
    hole = MaskedHole(masks, state_of("x", "\n"))
    for ids in ([END], [END, END], [END, PAD], [VOCABULARY.ids["("], END], [PAD]):
        assert spelled(hole.mask(ids)) == {b"<end>"}
        packed = hole.bitmask(ids)
        assert packed[0] == 1 << END and not packed[1:].any()


def test_within_a_character(masks: TokenMasks) -> None:
    hole = MaskedHole(masks, state_of("x = '", "'\n"))
    head = [VOCABULARY.bytes_of.index(b"\xe6")]
    assert spelled(hole.mask(head)) == {bytes([byte]) for byte in range(0x80, 0xC0)}
    assert hole.text(head, bridged=False) == "" and hole.text(head) == ""


def test_what_the_prompt_left_out_is_spelled_first(masks: TokenMasks) -> None:
    hole = MaskedHole(masks, state_of("x = re", "\n"), forced=b" re")
    assert all(s.startswith(b" re") or b" re".startswith(s) for s in spelled(hole.mask([])))
    ids = VOCABULARY.encode(" return")
    assert hole.text(ids, bridged=False) == "turn" and hole.text(ids) == "turnx"  # `return` is no expression
    assert hole.text(ids[:0], bridged=False) == ""


def test_a_text_that_is_not_complete_is_bridged(masks: TokenMasks) -> None:
    hole = MaskedHole(masks, state_of("x = [", "]\n"))
    ids = VOCABULARY.encode("(1, {")
    assert hole.text(ids, bridged=False) == "(1, {"
    text = hole.text(ids)
    assert text is not None and parses(f"x = [{text}]\n")
    assert hole.text(VOCABULARY.encode("*/")) is None


def test_rows_that_fit_no_holes_are_refused(masks: TokenMasks) -> None:
    import torch

    processor = ConstraintProcessor(masks, [state_of("", ""), state_of("x", "")], prompt_length=1)
    with pytest.raises(ValueError, match="3 rows for 2 holes"):
        processor(torch.zeros(3, 1, dtype=torch.long), torch.zeros(3, masks.size))


def test_logits_beyond_the_vocabulary_and_small_number_types(masks: TokenMasks) -> None:
    import torch

    processor = ConstraintProcessor(masks, state_of("x = ", "\n"), prompt_length=1)
    scores = processor(torch.zeros(1, 1, dtype=torch.long), torch.zeros(1, masks.size + 64, dtype=torch.bfloat16))
    assert scores.dtype == torch.bfloat16 and not torch.isfinite(scores[0, masks.size :]).any()
    assert torch.isfinite(scores[0, VOCABULARY.ids["x"]]) and not torch.isfinite(scores[0, VOCABULARY.ids[")"]])


@pytest.mark.filterwarnings("ignore")
def test_the_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("suture.model.decoding.token_masks.cache_folder", lambda: tmp_path)
    spec = importlib.util.spec_from_file_location("example", EXAMPLE)
    assert spec is not None and spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    files = example.main()
    assert len(files) == 9 and all(map(parses, files))
