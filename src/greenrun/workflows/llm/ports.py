"""Fields that the nodes of this kind have in common."""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import BeforeValidator

from greenrun.workflows.ports import PortType, to_items

LanguageModel = Annotated[Any, PortType("language_model")]
NOT_SELECTED: Final[dict[str, Any]] = {"type": "language_model", "provider": "empty", "id": ""}

Image = Annotated[Any, PortType("image?")]
Audio = Annotated[Any, PortType("audio?")]
Images = Annotated[list[Any], PortType("list[image]"), BeforeValidator(to_items)]
Audios = Annotated[list[Any], PortType("list[audio]"), BeforeValidator(to_items)]
Messages = Annotated[list[Any], PortType("list[message]"), BeforeValidator(to_items)]
