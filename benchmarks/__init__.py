"""Measurements: ratios taken in one run with a peer or a floor. `python -m benchmarks` runs all and writes README.md."""
