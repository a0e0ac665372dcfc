"""Fill holes with transformers' own `generate`, every completion valid: `python examples/generate_with_transformers.py`.

Shown with the embedded model; any causal model with fill-in-the-middle tokens can replace it.
"""

import torch
from suture import model, parser
from suture.model.decoding.progress_bar import progress_bar
from suture.model.loading.find import find_model
from transformers import AutoModelForCausalLM, PreTrainedTokenizerFast

HOLES = [  # (left, right)
    ("import os\n\n\ndef size_of(path):\n    return os.", "\n\n\nprint(size_of('a'))\n"),
    ("values = [", "]\nfor value in values:\n    print(value)\n"),
    ('def greet(name):\n    """Say hello."""\n    print(', ")\n"),
]


def main() -> list[str]:
    """Complete the holes greedily, by sampling, and by beam search; the files."""
    folder = find_model(None)
    network = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    tokenizer = PreTrainedTokenizerFast.from_pretrained(folder)

    # One object for all holes of a vocabulary. The end of text may come exactly if a hole is complete.
    end = tokenizer.eos_token_id
    masks = model.TokenMasks.for_tokenizer(tokenizer.backend_tokenizer, ends=[end], size=network.config.vocab_size)
    python = parser.language("python")
    states = [state for left, right in HOLES if (state := python.hole(left, right).state) is not None]
    masks.prepare(states[0], progress_bar)  # some seconds, once for a vocabulary and a language

    prompts = [f"<fim_prefix><fim_suffix>{right}<fim_middle>{left}" for left, right in HOLES]
    inputs = tokenizer(prompts, padding=True, padding_side="left", return_tensors="pt", return_token_type_ids=False)
    files = []
    for settings in ({}, {"do_sample": True, "temperature": 1.5}, {"num_beams": 2}):
        torch.manual_seed(0)
        processor = model.ConstraintProcessor(masks, states, prompt_length=inputs["input_ids"].shape[1])
        ids = network.generate(  # pyright: ignore[reportAttributeAccessIssue]
            **inputs, logits_processor=[processor], max_new_tokens=16, eos_token_id=end, **settings
        )
        for (left, right), text in zip(HOLES, processor.texts(ids), strict=True):
            assert text is not None, "each hole is completed"
            files.append(left + text + right)
            print(settings or "greedy", repr(text))
    return files


if __name__ == "__main__":
    main()
