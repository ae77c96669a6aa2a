"""The static rules, one module for each part of an app that they look at (spec: harness 2.2)."""
