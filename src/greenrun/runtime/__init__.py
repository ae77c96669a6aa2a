"""What an open app does, without a clock and without a network: state, events, runs' messages, parameters, views.

A message of a run becomes events (`fold`), an event becomes a state (`reduce`), a state becomes views (`evaluator`,
`view`). `policy`, `parameters`, `starts` and `actions` say what a run is given and when it starts. Nothing here waits or
changes its arguments; `resources` alone keeps something, the seeded collections of one app.
"""
