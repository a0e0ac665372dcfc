"""A constraint beside the filters of the field, on one model's texts: `python -m benchmarks.filters --help`."""
