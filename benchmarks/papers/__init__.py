"""The experiments of the three papers behind Suture, run here by the same procedure: `python -m benchmarks.papers --help`."""
