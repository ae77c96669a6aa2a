"""Small pieces of Python in a graph: what is wrong with them before they run, and running them apart (decision 0017)."""
