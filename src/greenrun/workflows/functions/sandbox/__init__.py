"""Where and under what a worker runs: what it can see, its environment, its own folder, and which tier works here.

`tier` decides between bubblewrap and a plain process, `bubblewrap` probes and writes the command, `mounts` says what is
visible, `interpreter` asks a Python where its parts are, `environment` what it is told, `scratch` holds its files.
"""
