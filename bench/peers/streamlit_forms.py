"""The form as a Streamlit script, driven by Streamlit's own ``AppTest``.

A click counts from the first input to the parsed elements: ``AppTest`` runs the whole script in a thread of its own, as the
server does, and looks once a millisecond whether it has ended.
"""

# pyright: reportMissingImports=false

from __future__ import annotations

import logging
from typing import Any

# Without a server Streamlit warns, once a run, that there is none.
logging.disable(logging.WARNING)

from streamlit.testing.v1 import AppTest  # noqa: E402

PATIENCE = 60
"""Seconds for one run of the script; the first one with a table imports pandas."""

SCRIPT = """
import streamlit as st
from bench.peers.quotes import quote, table

item = st.text_input("Item", key="item")
count = st.number_input("Count", step=1, key="count")
if st.button("Go"):
    st.markdown({text})
"""
WITH_TABLE = """
    st.dataframe(made["rows"])
"""


class StreamlitForm:
    def __init__(self, with_table: bool) -> None:
        text = '(made := table(item, int(count)))["text"]' if with_table else "quote(item, int(count))"
        self._script = SCRIPT.format(text=text) + (WITH_TABLE if with_table else "")
        self._test: Any = None

    async def start(self) -> None:
        pass

    async def open(self) -> None:
        self._test = AppTest.from_string(self._script, default_timeout=PATIENCE).run()
        assert not self._test.exception
        assert self._test.button[0].label == "Go"

    async def click(self, item: str, count: int) -> str:
        test = self._test
        test.text_input(key="item").set_value(item)
        test.number_input(key="count").set_value(count)
        test.button[0].click()
        test.run()
        assert not test.exception
        return test.markdown[0].value

    def rows(self) -> int:
        return len(self._test.dataframe[0].value)

    async def close(self) -> None:
        self._test = None

    async def stop(self) -> None:
        pass
