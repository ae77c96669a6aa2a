"""Files of the workspace (spec: nodes B2; ``greenrun.file.*``)."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from datetime import datetime
from pathlib import PurePosixPath
from typing import Annotated, Any, ClassVar, Final, TypeVar

from pydantic import BeforeValidator

from greenrun.document.errors import GreenrunError
from greenrun.document.json_text import pretty_json
from greenrun.document.values import is_record
from greenrun.workflows.media.content import make_ref
from greenrun.workflows.media.sniff import UNKNOWN, sniff, type_of_name
from greenrun.workflows.node import Effects, Node, NodeContext, NodeError, OutputSpec
from greenrun.workflows.nodes.dates import local_zone
from greenrun.workflows.nodes.json_values import read_value
from greenrun.workflows.nodes.tables import parse_csv, to_csv
from greenrun.workflows.ports import Anything, Flag, PortType, Table, Text, TextItems, to_plain_text

T = TypeVar("T")

MAX_TEXT_BYTES: Final = 20 * 1024 * 1024
TEXT_EXTENSIONS: Final = [".txt", ".csv", ".json", ".xml", ".md", ".html", ".pdf"]
DATED_NAME: Final = "%Y-%m-%d-%H-%M-%S.txt"

_TOKEN: Final = re.compile("%[YmdHMS]")


def to_path(value: Any) -> str:
    """A path from a text, or from a record that names one (``path``, else ``uri``), as inputs and folders do."""
    if is_record(value):
        found = value.get("path") or value.get("uri") or ""
        return found.removeprefix("file://") if isinstance(found, str) else ""
    return to_plain_text(value)


FilePath = Annotated[str, PortType("str", required=True), BeforeValidator(to_path)]
FolderPath = Annotated[str, PortType("str"), BeforeValidator(to_path)]


class _FileNode(Node):
    path: FilePath = ""

    def named_path(self) -> str:
        if not self.path.strip():
            raise NodeError("the path is empty; give one such as data/notes.txt")
        return self.path


class _Writer(_FileNode):
    """Base of what writes a file; the path comes back."""

    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("output", "str"),)
    effects: ClassVar[Effects] = "local"


async def _in_thread(function: Callable[..., T], *arguments: Any, **options: Any) -> T:
    return await asyncio.to_thread(function, *arguments, **options)


class ReadText(_FileNode):
    """The text of a UTF-8 file."""

    node_type: ClassVar[str] = "greenrun.file.ReadText"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("output", "str"),)

    async def process(self, context: NodeContext) -> str:
        return await _in_thread(context.files().read_text, self.named_path(), max_bytes=MAX_TEXT_BYTES)


class WriteText(_Writer):
    """Writes a text to a file; what stood there before is gone."""

    node_type: ClassVar[str] = "greenrun.file.WriteText"

    text: Text = ""

    async def process(self, context: NodeContext) -> str:
        return await _in_thread(context.files().write_text, self.named_path(), self.text, max_bytes=MAX_TEXT_BYTES)


class AppendText(_Writer):
    """Adds a text to the end of a file, which need not be there yet."""

    node_type: ClassVar[str] = "greenrun.file.AppendText"
    # Adding twice is not the same as adding once.
    retry_safe: ClassVar[bool] = False

    text: Text = ""

    async def process(self, context: NodeContext) -> str:
        return await _in_thread(context.files().append_text, self.named_path(), self.text, max_bytes=MAX_TEXT_BYTES)


class ReadBytes(_FileNode):
    """A file as a document, picture, sound or video, whatever it is."""

    node_type: ClassVar[str] = "greenrun.file.ReadBytes"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("output", "document"),)

    async def process(self, context: NodeContext) -> dict[str, Any]:
        path = self.named_path()
        data = await _in_thread(context.files().read_bytes, path)
        return {"output": await context.store_asset(media_ref(data, name=PurePosixPath(path).name))}


def media_ref(data: bytes, *, mime: str = "", name: str | None = None) -> dict[str, Any]:
    """A reference to content, of the kind that it is: by its first bytes, else by what is said of it, else by its name."""
    found = sniff(data) or mime or (type_of_name(name) if name else None) or UNKNOWN
    kind = found.partition("/")[0]
    return make_ref(kind if kind in ("image", "audio", "video") else "document", data, found, name)


class ListFiles(Node):
    """The files whose path matches a pattern: ``*.txt`` in the folder, ``**/*.csv`` in those below it too."""

    node_type: ClassVar[str] = "greenrun.file.List"
    title: ClassVar[str] = "List Files"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("output", "list[str]"),)

    folder: FolderPath = ""
    pattern: Text = "*"

    async def process(self, context: NodeContext) -> dict[str, Any]:
        return {"output": await _in_thread(context.files().find, self.pattern or "*", self.folder)}


class Exists(_FileNode):
    """Whether there is a file or folder of that path."""

    node_type: ClassVar[str] = "greenrun.file.Exists"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("output", "bool"),)

    async def process(self, context: NodeContext) -> bool:
        return await _in_thread(context.files().exists, self.named_path())


class ReadCSV(_FileNode):
    """A CSV file as a table."""

    node_type: ClassVar[str] = "greenrun.file.ReadCSV"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("output", "dataframe"),)

    delimiter: Text = ""
    header: Flag = True
    convert: Flag = True

    async def process(self, context: NodeContext) -> dict[str, Any]:
        text = await _in_thread(context.files().read_text, self.named_path(), max_bytes=MAX_TEXT_BYTES)
        reader = parse_csv(text=text, delimiter=self.delimiter, header=self.header, convert=self.convert)  # type: ignore[call-arg]
        return await reader.process(context)


class WriteCSV(_Writer):
    """A table as a CSV file with a header line."""

    node_type: ClassVar[str] = "greenrun.file.WriteCSV"

    table: Table = None
    delimiter: Text = ","

    async def process(self, context: NodeContext) -> str:
        text = (await to_csv(table=self.table, delimiter=self.delimiter).process(context))["output"]  # type: ignore[call-arg]
        return await _in_thread(context.files().write_text, self.named_path(), text, max_bytes=MAX_TEXT_BYTES)


class ReadJSON(_FileNode):
    """The value in a JSON file."""

    node_type: ClassVar[str] = "greenrun.file.ReadJSON"

    async def process(self, context: NodeContext) -> dict[str, Any]:
        path = self.named_path()
        text = await _in_thread(context.files().read_text, path, max_bytes=MAX_TEXT_BYTES)
        return {"output": await _in_thread(read_value, text, f'"{path}"')}


class WriteJSON(_Writer):
    """A value as a JSON file."""

    node_type: ClassVar[str] = "greenrun.file.WriteJSON"

    value: Anything = None

    async def process(self, context: NodeContext) -> str:
        try:
            text = await _in_thread(pretty_json, self.value)
        except GreenrunError as error:
            raise NodeError(f"the value cannot be written as JSON: {error}") from None
        return await _in_thread(context.files().write_text, self.named_path(), text, max_bytes=MAX_TEXT_BYTES)


def dated(name: str, now: datetime) -> str:
    """A file name with ``%Y %m %d %H %M %S`` filled in."""
    return _TOKEN.sub(lambda token: now.strftime(token[0]), name)


async def _save(context: NodeContext, text: str, folder: str, name: str) -> dict[str, Any]:
    if not name.strip():
        raise NodeError("the name of the file is empty; give one such as notes-%Y-%m-%d.txt")
    place = f"{folder.rstrip('/')}/{name}" if folder else name
    path = await _in_thread(
        context.files().write_text, dated(place, datetime.now(local_zone())), text, max_bytes=MAX_TEXT_BYTES
    )
    return {"output": {"uri": path, "data": text}}


class SaveText(Node):
    """Saves a text in a file of the workspace; ``%Y %m %d %H %M %S`` in its name stand for the time."""

    node_type: ClassVar[str] = "nodetool.text.SaveText"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("output", "text"),)
    effects: ClassVar[Effects] = "local"
    # The name changes with the time, so a second run leaves a second file.
    retry_safe: ClassVar[bool] = False

    text: Text = ""
    folder: Annotated[str, PortType("folder"), BeforeValidator(to_path)] = ""
    name: Text = DATED_NAME

    async def process(self, context: NodeContext) -> dict[str, Any]:
        return await _save(context, self.text, self.folder, self.name)


class SaveTextFile(Node):
    """Saves a text in a folder of the workspace; ``%Y %m %d %H %M %S`` in its name stand for the time."""

    node_type: ClassVar[str] = "nodetool.text.SaveTextFile"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("output", "text"),)
    effects: ClassVar[Effects] = "local"
    retry_safe: ClassVar[bool] = False

    text: Text = ""
    save_to_workspace: Flag = True
    folder: FolderPath = ""
    name: Text = DATED_NAME

    async def process(self, context: NodeContext) -> dict[str, Any]:
        if not self.save_to_workspace and not self.folder:
            raise NodeError("there is no place to save to; name a folder, or turn on save_to_workspace")
        return await _save(context, self.text, self.folder, self.name)


class LoadTextFolder(Node):
    """The texts of a folder's files, one after the other, then all of them. Files that hold no text are left out."""

    node_type: ClassVar[str] = "nodetool.text.LoadTextFolder"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (
        OutputSpec("text", "str", "iteration", group="files"),
        OutputSpec("path", "str", "iteration", group="files"),
        OutputSpec("texts", "list[str]"),
        OutputSpec("paths", "list[str]"),
    )

    folder: FolderPath = ""
    include_subdirectories: Flag = False
    extensions: TextItems = TEXT_EXTENSIONS
    pattern: Text = ""

    async def gen_process(self, context: NodeContext) -> AsyncIterator[dict[str, Any]]:
        if not self.folder.strip():
            raise NodeError('the folder is empty; name one, "." for the whole workspace')
        files = context.files()
        pattern = self.pattern or "*"
        found = await _in_thread(files.find, f"**/{pattern}" if self.include_subdirectories else pattern, self.folder)
        endings = {_ending(to_plain_text(item)) for item in self.extensions}
        texts: list[str] = []
        paths: list[str] = []
        for path in found:
            if endings and PurePosixPath(path).suffix.lower() not in endings:
                continue
            try:
                text = await _in_thread(files.read_text, path, max_bytes=MAX_TEXT_BYTES)
            except NodeError as error:
                context.log(str(error), "warning")
                continue
            texts.append(text)
            paths.append(path)
            yield {"text": text, "path": path}
        yield {"texts": texts, "paths": paths}


def _ending(text: str) -> str:
    ending = text.strip().lower()
    return ending if not ending or ending.startswith(".") else f".{ending}"


class LoadTextAssets(Node):
    """The texts of a folder of upstream's asset library."""

    node_type: ClassVar[str] = "nodetool.text.LoadTextAssets"
    unavailable: ClassVar[str | None] = (
        "there is no asset library with folders here; put the files into the workspace and use nodetool.text.LoadTextFolder"
    )
    outputs: ClassVar[tuple[OutputSpec, ...]] = (
        OutputSpec("text", "text", "iteration", group="files"),
        OutputSpec("name", "str", "iteration", group="files"),
        OutputSpec("texts", "list[any]"),
        OutputSpec("names", "list[str]"),
    )

    folder: Annotated[Any, PortType("folder")] = None


NODES: tuple[type[Node], ...] = (
    ReadText,
    WriteText,
    AppendText,
    ReadBytes,
    ListFiles,
    Exists,
    ReadCSV,
    WriteCSV,
    ReadJSON,
    WriteJSON,
    SaveText,
    SaveTextFile,
    LoadTextFolder,
    LoadTextAssets,
)
