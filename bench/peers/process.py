"""The other end of `bench.peers.worker`: a side of the comparison that answers one command at a time."""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Any

ROOT = Path(__file__).parents[2]
PATIENCE = 120.0
"""Seconds after which a side that does not answer has failed."""


class SideFailed(RuntimeError):
    """A side that ended or went silent; the text holds the last of what it printed."""


class SideProcess:
    """Use it as an async context manager: it starts the process, and stops it at the end."""

    def __init__(self, module: str, name: str, *, with_table: bool) -> None:
        self._command = [sys.executable, "-m", "bench.peers.worker", module, name, *(["table"] if with_table else [])]
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  # closed by __aexit__
        self._process: asyncio.subprocess.Process | None = None

    async def ask(self, command: str) -> dict[str, Any]:
        """The answer to a command.

        Raises:
            SideFailed: There is none.
        """
        process = self._process
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            async with asyncio.timeout(PATIENCE):
                process.stdin.write(f"{command}\n".encode())
                await process.stdin.drain()
                line = await process.stdout.readline()
        except (TimeoutError, OSError):
            line = b""
        if not line:
            raise SideFailed(f'{" ".join(self._command[2:])} did not answer "{command}": {self._printed()}')
        return json.loads(line)

    async def __aenter__(self) -> SideProcess:
        self._process = await asyncio.create_subprocess_exec(
            *self._command,
            cwd=ROOT,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=self._errors,
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        process = self._process
        assert process is not None
        try:
            if process.returncode is None and error is None:
                await self.ask("stop")
                async with asyncio.timeout(PATIENCE):
                    await process.wait()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
            self._errors.close()

    def _printed(self) -> str:
        self._errors.seek(0)
        return self._errors.read()[-2000:].decode(errors="replace").strip() or "it printed nothing"
