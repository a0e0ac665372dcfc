"""SynCode's own program, asked token by token: run by a Python with `syncode`, which pins libraries incompatible with ours.

    python syncode_worker.py TOKENIZER.json GRAMMAR

The first line out has the time to build its masks. Then each line in is JSON: the ids of a text and the number of them before the first
question; each line out has the milliseconds of processor time for the mask at each place, and whether the mask keeps the next token.
"""

import json
import resource
import sys
import time
from importlib.metadata import version

ANSWERS, sys.stdout = sys.stdout, sys.stderr  # SynCode logs to the standard output of its import time

import torch  # noqa: E402
from syncode.grammar_mask.logits_processor import (  # noqa: E402  # pyright: ignore[reportMissingImports]
    SyncodeLogitsProcessor,
)
from syncode.parsers.grammars import Grammar  # noqa: E402  # pyright: ignore[reportMissingImports]
from transformers import PreTrainedTokenizerFast  # noqa: E402


def main(tokenizer_file: str, grammar: str) -> None:
    """Answer until the input ends."""
    torch.set_num_threads(1)
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=tokenizer_file, eos_token="<|endoftext|>")
    before = time.process_time()
    processor = SyncodeLogitsProcessor(Grammar(grammar), tokenizer, use_cache=False, parse_output_only=False)
    built = time.process_time() - before
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"build_s": built, "peak_mb": peak, "version": version("syncode")}), file=ANSWERS, flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        ids, size = asked["ids"], len(tokenizer)
        processor.reset()
        taken, kept, failed = [], [], False
        for place in range(asked["before"], len(ids)):
            row = torch.zeros((1, size))
            before = time.process_time()
            row = processor(torch.tensor([ids[:place]]), row)
            taken.append((time.process_time() - before) * 1e3)
            failed = failed or processor.grammar_engine.parse_failed
            kept.append(bool(torch.isfinite(row[0, ids[place]])))
        print(json.dumps({"ms": taken, "kept": kept, "failed": failed}), file=ANSWERS, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
