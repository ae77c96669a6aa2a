"""The way out to the web for nodes: a client that reaches public addresses only, within limits."""
