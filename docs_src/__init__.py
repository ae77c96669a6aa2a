"""The documentation's runnable parts: snippets, the app they use, and what writes the generated pages."""
