"""A constraint beside the common filters, on one model's texts: `python -m benchmarks.filters --help`."""
