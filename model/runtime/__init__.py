"""Language models that run: prefill, step, crop."""
