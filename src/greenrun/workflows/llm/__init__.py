"""What nodes that ask a language model have in common: asking, structured answers, tools, histories, limits, costs.

Modules that import pydantic-ai (`calls`, `contents`, `conversation`) are imported when a model is asked, never before.
"""
