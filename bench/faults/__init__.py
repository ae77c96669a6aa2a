"""Seeded faults: one fault is put into a green app, and the oracle has to see it where it was put."""
