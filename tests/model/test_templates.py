"""Fill-in-the-middle prompts, told by the vocabulary alone."""

import pytest
from suture.model.errors import ModelError
from suture.model.prompting.fim_template import P, S, detect

STARCODER1 = ["<fim_prefix>", "<fim_suffix>", "<fim_middle>", "<filename>", "<gh_stars>", "<issue_start>", "<reponame>"]
PIPE = ["<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>"]


def check(tokens: list[str], prompt: str, *, name: str, stops: str = "", **options: object) -> None:
    """A model with these special tokens is asked with `prompt`, with P and S for the contexts."""
    ids = {token: 10 + i for i, token in enumerate(tokens)}
    spelled = {i: token for token, i in ids.items()}
    template = detect(ids, **options)  # type: ignore[arg-type]
    filled = template.fill(["P"], ["S"], ["PATH\n"])  # type: ignore[list-item]
    assert "".join(spelled.get(part, str(part)) for part in filled) == prompt
    assert template.name == name
    for stop in stops.split():
        assert ids[stop] in template.ends
    assert set(filled) - {"P", "S", "PATH\n"} <= {*template.ends, *options.get("opening", ())}  # type: ignore[operator]


def test_santacoder() -> None:
    tokens = ["<fim-prefix>", "<fim-suffix>", "<fim-middle>", "<|endoftext|>"]
    check(tokens, "<fim-prefix>P<fim-suffix>S<fim-middle>", name="santacoder", stops="<|endoftext|>")


def test_starcoder_though_it_has_a_filename_token() -> None:
    check(STARCODER1, "<fim_prefix>P<fim_suffix>S<fim_middle>", name="starcoder", stops="<filename> <reponame>")


def test_starcoder2_stops_at_the_next_file() -> None:
    tokens = [*STARCODER1[:3], "<file_sep>", "<repo_name>"]
    check(tokens, "<fim_prefix>P<fim_suffix>S<fim_middle>", name="starcoder", stops="<file_sep> <repo_name>")


def test_starcoder_in_suffix_first_order() -> None:
    check(STARCODER1[:3], "<fim_prefix><fim_suffix>S<fim_middle>P", name="starcoder", order="spm")


def test_mellum_is_told_by_its_filename_token() -> None:
    tokens = ["<fim_prefix>", "<fim_suffix>", "<fim_middle>", "<filename>"]
    check(tokens, "<filename>PATH\n<fim_suffix>S<fim_prefix>P<fim_middle>", name="mellum")


def test_codellama_has_spaces_in_its_tokens() -> None:
    tokens = ["▁<PRE>", "▁<SUF>", "▁<MID>", "▁<EOT>", "<s>"]
    check(tokens, "<s>▁<PRE>▁<SUF>S▁<MID>P", name="codellama", stops="▁<EOT>", opening=(14,))
    check(tokens, "▁<PRE>P▁<SUF>S▁<MID>", name="codellama", order="psm")


def test_deepseek() -> None:
    tokens = ["<｜fim▁begin｜>", "<｜fim▁hole｜>", "<｜fim▁end｜>", "<｜end▁of▁sentence｜>"]
    prompt = "<｜fim▁begin｜>P<｜fim▁hole｜>S<｜fim▁end｜>"
    check(tokens, prompt, name="deepseek", stops="<｜end▁of▁sentence｜>")


def test_qwen_and_granite4() -> None:
    prompt = "<|fim_prefix|>P<|fim_suffix|>S<|fim_middle|>"
    check(
        [*PIPE, "<|file_sep|>", "<|repo_name|>", "<|endoftext|>"],
        prompt,
        name="qwen",
        stops="<|file_sep|> <|endoftext|>",
    )
    check([*PIPE, "<|end_of_text|>"], prompt, name="qwen", stops="<|end_of_text|>")


def test_codegemma() -> None:
    prompt = "<bos><|fim_prefix|>P<|fim_suffix|>S<|fim_middle|>"
    tokens = [*PIPE, "<|file_separator|>", "<bos>", "<eos>"]
    check(tokens, prompt, name="codegemma", stops="<|file_separator|> <eos>", opening=(14,))


def test_codestral_has_its_begin_of_text_once() -> None:
    check(
        ["<s>", "[SUFFIX]", "[PREFIX]", "</s>"], "<s>[SUFFIX]S[PREFIX]P", name="codestral", opening=(10,), stops="</s>"
    )


def test_seed_coder() -> None:
    prompt = "<[fim-suffix]>S<[fim-prefix]>P<[fim-middle]>"
    check(["<[fim-suffix]>", "<[fim-prefix]>", "<[fim-middle]>"], prompt, name="seed")


def test_a_model_may_say_that_it_is_asked_in_our_own_way() -> None:
    tokens = STARCODER1[:3]
    check(tokens, "<fim_suffix>S<fim_prefix>P<fim_middle>", name="suture", family="suture")
    check(tokens, "<fim_prefix>P<fim_suffix>S<fim_middle>", name="suture", family="suture", order="psm")


def test_the_models_own_end_tokens_end() -> None:
    assert {7, 8} <= set(detect({token: i for i, token in enumerate(PIPE)}, ends=[7, 8]).ends)


@pytest.mark.parametrize(
    ("tokens", "options", "message"),
    [
        (["<|endoftext|>", "<fim_prefix>"], {}, "no fill-in-the-middle tokens"),
        (PIPE, {"family": "starcoder"}, "lacks the tokens of the starcoder prompt"),
        (PIPE, {"family": "nonsense"}, "no prompt 'nonsense': use one of santacoder, "),
        (PIPE, {"order": "pms"}, "its prompt order is 'pms'"),
    ],
)
def test_errors_say_what_to_do(tokens: list[str], options: dict, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        detect({token: i for i, token in enumerate(tokens)}, **options)


def test_places_are_not_tokens() -> None:
    assert detect({token: i for i, token in enumerate(PIPE)}).parts == (0, P, 1, S, 2)


def test_a_model_without_a_middle_is_asked_of_the_left_context_when_that_is_said() -> None:
    ids = {"<|endoftext|>": 7, "def": 1}
    with pytest.raises(ModelError, match="--template left"):
        detect(ids)
    template = detect(ids, family="left", ends=[9], opening=[3])
    assert template.fill([1, 1], [5]) == [3, 1, 1]
    assert template.ends == (9, 7)
