"""What an operation runs: graphs, their node types and engine, and Python functions in worker processes."""
