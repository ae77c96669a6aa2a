"""Measurements: speed of check and simulate, and how many seeded faults the oracle catches."""
