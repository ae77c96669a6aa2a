"""Pictures as files of the workspace."""

from __future__ import annotations

import re
import threading
from datetime import datetime
from pathlib import PurePosixPath
from typing import Final

from greenrun.workflows.extras import missing_extra
from greenrun.workflows.files import WorkspaceFiles
from greenrun.workflows.media.content import Content
from greenrun.workflows.media.sniff import extension_of, type_of_name
from greenrun.workflows.node import NodeError

_TOKEN: Final = re.compile(r"%[YmdHMS]")
_MOST_TRIES: Final = 10_000

# Between looking for a free name and writing the file nobody else of this process takes the name.
_naming = threading.Lock()


def dated(name: str, now: datetime) -> str:
    """The name with ``%Y %m %d %H %M %S`` replaced; any other percent sign stays."""
    return _TOKEN.sub(lambda token: now.strftime(token[0]), name)


def save_picture(
    files: WorkspaceFiles, content: Content, folder: str, filename: str, *, overwrite: bool
) -> tuple[bytes, str, str]:
    """Write a picture; the bytes that were written, their MIME type, and the path come back.

    The ending of the name decides the format; a name without one gets that of the picture. A name that is taken gets a
    number, unless it may be overwritten.

    Raises:
        NodeError: The path is not written to, or the picture cannot be converted.
    """
    name = dated(filename, datetime.now()) or "image"
    wanted = type_of_name(name)
    if wanted is None:
        name = f"{name}.{extension_of(content.mime)}"
    data, mime = (content.data, content.mime) if wanted in (None, content.mime) else _converted(content, wanted or "")
    path = f"{dated(folder, datetime.now()).rstrip('/')}/{name}" if folder else name
    with _naming:
        free = path if overwrite else _free(files, path)
        return data, mime, files.write_bytes(free, data)


def _free(files: WorkspaceFiles, path: str) -> str:
    pure = PurePosixPath(path)
    for number in range(_MOST_TRIES):
        candidate = str(pure.with_stem(f"{pure.stem}_{number}")) if number else path
        if not files.exists(candidate):
            return candidate
    raise NodeError(f'"{path}" and {_MOST_TRIES} names like it are taken; choose another name')


def _converted(content: Content, mime: str) -> tuple[bytes, str]:
    from greenrun.workflows.media.pictures import FORMATS, encode, read_picture

    name = FORMATS.get(mime.removeprefix("image/"))
    if name is None:
        raise NodeError(f"a picture is not saved as {mime}; end the name with .png, .jpg or .webp")
    missing = missing_extra("images")
    if missing is not None:
        raise NodeError(f"to save {content.mime} as {mime} it {missing}")
    return encode(read_picture(content.data).image, name), mime
