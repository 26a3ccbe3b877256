"""The reference engine beside ours, in one run on the same data: `python -m bench.reference --help`."""
