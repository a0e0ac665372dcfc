"""Running language models: prefill, step, crop."""
