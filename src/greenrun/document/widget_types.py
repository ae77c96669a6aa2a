"""The 66 widget types as data: catalog rows and the props of a newly placed widget (spec: app-runtime 7.2, 7.3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

Category: TypeAlias = Literal["display", "inputs", "chat", "actions", "layout"]
WidgetMode: TypeAlias = Literal["read", "write", "action", "layout"]
Trigger: TypeAlias = Literal["click", "change", "none"]


@dataclass(frozen=True, slots=True)
class ExtraBinding:
    """A prop besides `binding` that holds a binding; it is resolved in its own mode."""

    prop: str
    mode: Literal["read", "write"]


@dataclass(frozen=True, slots=True)
class WidgetType:
    """One widget type.

    `fields` maps field names to kinds, conditions and `format` included. `commits` is None where the type says nothing
    about it. `defaults` are the props of a newly placed widget, `choices` the values of its select and radio fields
    that the format fixes, `items` what a new entry of an array field holds. `rendered` says that Greenrun draws it (the
    other types show a card that says so), `resource` that it shows the items of a resource binding.
    """

    type: str
    label: str
    category: Category
    mode: WidgetMode
    trigger: Trigger
    commits: bool | None
    format: bool
    fields: dict[str, str]
    slots: tuple[str, ...]
    extra_bindings: tuple[ExtraBinding, ...]
    defaults: dict[str, Any]
    choices: dict[str, tuple[str, ...]]
    items: dict[str, dict[str, Any]]
    rendered: bool
    resource: bool

    @property
    def is_form(self) -> bool:
        """True for a type that renders the inputs of a whole operation."""
        return "operationId" in self.fields


_NOT_RENDERED: Final = frozenset(
    {
        "Sketch",
        "Timeline",
        "Storyboard",
        "StoryboardPreview",
        "Model3D",
        "PDF",
        "ImageCompare",
        "SketchPad",
        "AudioRecorder",
        "CameraCapture",
        "FilePathInput",
        "FolderPathInput",
        "Model3DInput",
        "ImageSizeInput",
        "MediaListInput",
        "ResourceGallery",
        "StoryboardSceneList",
    }
)


def _widget(
    type_: str,
    label: str,
    category: Category,
    mode: WidgetMode,
    fields: str,
    *,
    trigger: Trigger = "none",
    commits: bool | None = None,
    format_: bool = False,
    extra: tuple[ExtraBinding, ...] = (),
    defaults: Mapping[str, Any] | None = None,
    choices: Mapping[str, tuple[str, ...]] | None = None,
    items: Mapping[str, dict[str, Any]] | None = None,
) -> WidgetType:
    """A catalog row; `fields` is written ``name:kind`` separated by blanks, ``b`` for ``binding:custom``."""
    kinds: dict[str, str] = {}
    for field in fields.split():
        name, _, kind = ("binding:custom" if field == "b" else field).partition(":")
        kinds[name] = kind
    slots = tuple(name for name, kind in kinds.items() if kind == "slot")
    if mode != "layout":
        kinds |= {"visibleWhen": "custom", "disabledWhen": "custom"}
    if format_:
        kinds["format"] = "text"
    return WidgetType(
        type=type_,
        label=label,
        category=category,
        mode=mode,
        trigger=trigger,
        commits=commits,
        format=format_,
        fields=kinds,
        slots=slots,
        extra_bindings=extra,
        defaults=dict(defaults or {}),
        choices=dict(choices or {}),
        items=dict(items or {}),
        rendered=type_ not in _NOT_RENDERED,
        resource="resourceBindingId" in kinds,
    )


def _display(type_: str, label: str, fields: str, **rest: Any) -> WidgetType:
    return _widget(type_, label, "display", "read", fields, **rest)


def _input(type_: str, label: str, fields: str, *, commits: bool = False, **rest: Any) -> WidgetType:
    return _widget(type_, label, "inputs", "write", fields, trigger="change", commits=commits, **rest)


def _resource_input(type_: str, label: str, fields: str, **rest: Any) -> WidgetType:
    return _widget(type_, label, "inputs", "write", "resourceBindingId:custom label:text " + fields, **rest)


def _layout(type_: str, label: str, fields: str, **rest: Any) -> WidgetType:
    return _widget(type_, label, "layout", "layout", fields, **rest)


_UNBOUND: Final = {"binding": "", "label": ""}
_NO_RESOURCE: Final = {"resourceBindingId": "", "label": ""}
_OPTIONS: Final = [{"value": "Option 1"}, {"value": "Option 2"}]
_NEW_OPTION: Final = {"options": {"value": "New option"}}
_CLICK_RUN: Final = [{"trigger": "click", "kind": "run", "key": "", "value": ""}]

WIDGET_TYPES: Final = (
    _display(
        "Heading",
        "Heading",
        "text:text level:select b",
        format_=True,
        defaults={"text": "Heading", "level": "1"},
        choices={"level": ("1", "2", "3")},
    ),
    _display("Text", "Text", "text:textarea b", format_=True, defaults={"text": "Some text"}),
    _display("Markdown", "Markdown", "text:textarea b", format_=True, defaults={"text": "Some **Markdown** text"}),
    _display(
        "Image",
        "Image",
        "b fit:select height:number placeholder:text download:radio filename:text",
        defaults={"fit": "contain", "height": 240, "placeholder": "No image yet", "download": True, "filename": ""},
        choices={"fit": ("contain", "cover")},
    ),
    _display(
        "Audio",
        "Audio",
        "b placeholder:text download:radio filename:text",
        defaults={"placeholder": "No audio yet", "download": True, "filename": ""},
    ),
    _display(
        "Video",
        "Video",
        "b height:number placeholder:text download:radio filename:text",
        defaults={"height": 320, "placeholder": "No video yet", "download": True, "filename": ""},
    ),
    _display("Json", "JSON", "b", format_=True),
    _display(
        "Sketch",
        "Sketch",
        "b height:number showDimensions:radio placeholder:text",
        defaults={"height": 360, "showDimensions": False, "placeholder": "No sketch yet"},
    ),
    _display(
        "Timeline",
        "Timeline",
        "b height:number showMetadata:radio placeholder:text",
        defaults={"height": 360, "showMetadata": True, "placeholder": "No timeline yet"},
    ),
    _display(
        "Storyboard",
        "Storyboard",
        "b height:number placeholder:text",
        defaults={"height": 640, "placeholder": "No storyboard yet"},
    ),
    _display(
        "StoryboardPreview",
        "Storyboard Preview",
        "b height:number placeholder:text",
        defaults={"height": 320, "placeholder": "No storyboard yet"},
    ),
    _display(
        "Table",
        "Table",
        "b label:text maxHeight:number placeholder:text",
        defaults={"label": "", "placeholder": "No rows yet"},
    ),
    _display(
        "Output",
        "Output",
        "b placeholder:text download:radio filename:text",
        format_=True,
        defaults={"placeholder": "No result yet", "download": True, "filename": ""},
    ),
    _display("Progress", "Progress", "label:text b", defaults={"label": ""}),
    _widget(
        "AgentActivity",
        "Agent Activity",
        "chat",
        "read",
        "label:text b height:number placeholder:text",
        defaults={"label": "Activity", "height": 360, "placeholder": ""},
    ),
    _display(
        "Alert",
        "Alert",
        "b text:textarea title:text severity:select",
        format_=True,
        defaults={"text": "", "title": "", "severity": "info"},
        choices={"severity": ("info", "success", "warning", "error")},
    ),
    _display(
        "CodeBlock",
        "Code",
        "b text:textarea language:text maxHeight:number",
        format_=True,
        defaults={"text": "", "language": ""},
    ),
    _display(
        "List",
        "List",
        "b label:text ordered:radio placeholder:text",
        format_=True,
        defaults={"label": "", "ordered": False, "placeholder": "No items yet"},
    ),
    _display(
        "KeyValue",
        "Key/Value",
        "b label:text placeholder:text",
        defaults={"label": "", "placeholder": "No entries yet"},
    ),
    _display(
        "Stat",
        "Stat",
        "b label:text caption:text placeholder:text",
        format_=True,
        defaults={"label": "Figure", "caption": "", "placeholder": "–"},
    ),
    _display(
        "Download",
        "Download",
        "b label:text filename:text placeholder:text",
        defaults={"label": "Download", "filename": "", "placeholder": "Nothing to download yet"},
    ),
    _display(
        "Model3D",
        "3D Model",
        "b height:number placeholder:text",
        defaults={"height": 320, "placeholder": "No 3D model yet"},
    ),
    _display(
        "Chart",
        "Chart",
        "b label:text chartKind:select height:number placeholder:text",
        defaults={"label": "", "chartKind": "line", "height": 320, "placeholder": "No data yet"},
        choices={"chartKind": ("line", "bar", "scatter", "pie")},
    ),
    _display(
        "PDF",
        "PDF",
        "b height:number placeholder:text",
        defaults={"height": 480, "placeholder": "No document yet"},
    ),
    _display(
        "Gallery",
        "Gallery",
        "b selectionBinding:custom label:text tileSize:number placeholder:text events:array",
        trigger="change",
        extra=(ExtraBinding("selectionBinding", "write"),),
        defaults={"label": "", "tileSize": 140, "placeholder": "No images yet"},
    ),
    _display(
        "ImageCompare",
        "Image Compare",
        "b compareBinding:custom label:text height:number placeholder:text",
        extra=(ExtraBinding("compareBinding", "read"),),
        defaults={"label": "", "height": 320, "placeholder": "Two images are needed"},
    ),
    _input(
        "ChoiceCards",
        "Choice Cards",
        "b label:text options:array optionsBinding:custom columns:number events:array",
        extra=(ExtraBinding("optionsBinding", "read"),),
        defaults={"label": "Choose one", "columns": 2, "options": _OPTIONS},
        items={
            "options": {"value": "New card", "title": "New card", "description": "", "image": "", "disabled": False}
        },
    ),
    _input(
        "Stepper",
        "Guided Steps",
        "b label:text steps:array allowBack:radio events:array",
        defaults={
            "label": "",
            "allowBack": True,
            "steps": [{"value": "Step 1"}, {"value": "Step 2"}, {"value": "Step 3"}],
        },
        items={
            "steps": {
                "value": "New step",
                "title": "New step",
                "description": "",
                "disabled": False,
                "completed": False,
            }
        },
    ),
    _widget(
        "Approval",
        "Approval",
        "actions",
        "write",
        "b label:text description:textarea approveLabel:text rejectLabel:text events:array",
        trigger="change",
        commits=False,
        defaults={"label": "Do you agree?", "description": "", "approveLabel": "Approve", "rejectLabel": "Reject"},
    ),
    _input(
        "WorkflowForm",
        "Workflow Form",
        "operationId:custom label:text showDescriptions:radio events:array",
        defaults={"label": "", "showDescriptions": "yes"},
        choices={"showDescriptions": ("yes", "no")},
    ),
    _input("WorkflowInput", "Workflow Input", "b label:text events:array", defaults=_UNBOUND),
    _input(
        "TextInput",
        "Text Input",
        "b label:text placeholder:text multiline:radio events:array",
        commits=True,
        defaults={"label": "Text", "placeholder": "", "multiline": False},
    ),
    _input(
        "NumberInput",
        "Number Input",
        "b label:text min:number max:number step:number events:array",
        commits=True,
        defaults={"label": "Number", "min": 0, "max": 100, "step": 1},
    ),
    _input(
        "Slider",
        "Slider",
        "b label:text min:number max:number step:number events:array",
        commits=True,
        defaults={"label": "Amount", "min": 0, "max": 100, "step": 1},
    ),
    _input("Switch", "Switch", "b label:text events:array", defaults={"label": "Switch"}),
    _input(
        "Select",
        "Select",
        "b label:text options:array events:array",
        defaults={"label": "Choose one", "options": _OPTIONS},
        items=_NEW_OPTION,
    ),
    _input(
        "RadioGroup",
        "Radio Group",
        "b label:text options:array row:radio events:array",
        defaults={"label": "Choose one", "row": False, "options": _OPTIONS},
        items=_NEW_OPTION,
    ),
    _input(
        "CheckboxGroup",
        "Checkbox Group",
        "b label:text options:array row:radio events:array",
        defaults={"label": "Choose any", "row": False, "options": _OPTIONS},
        items=_NEW_OPTION,
    ),
    _input(
        "DateInput",
        "Date Input",
        "b label:text withTime:radio events:array",
        commits=True,
        defaults={"label": "Date", "withTime": False},
    ),
    _input("ImageInput", "Image Input", "b label:text events:array", defaults=_UNBOUND),
    _input(
        "SketchPad",
        "Sketch Pad",
        "b label:text width:number height:number background:select events:array",
        commits=True,
        defaults={**_UNBOUND, "width": 512, "height": 384, "background": "white"},
        choices={"background": ("white", "transparent")},
    ),
    _input("AudioInput", "Audio Input", "b label:text events:array", defaults=_UNBOUND),
    _input("VideoInput", "Video Input", "b label:text events:array", defaults=_UNBOUND),
    _input(
        "AudioRecorder",
        "Audio Recorder",
        "b label:text events:array",
        defaults={"binding": "", "label": "Record audio"},
    ),
    _input(
        "CameraCapture",
        "Camera Capture",
        "b label:text events:array",
        defaults={"binding": "", "label": "Take a picture"},
    ),
    _input("DocumentInput", "Document Input", "b label:text events:array", defaults=_UNBOUND),
    _input("ColorInput", "Color Input", "b label:text events:array", defaults=_UNBOUND),
    _input(
        "DataFrameInput",
        "Data Table Input",
        "b label:text maxHeight:number events:array",
        defaults={**_UNBOUND, "maxHeight": 320},
    ),
    _input(
        "FilePathInput",
        "File Path Input",
        "b label:text placeholder:text events:array",
        defaults={**_UNBOUND, "placeholder": "Path of a file"},
    ),
    _input(
        "FolderPathInput",
        "Folder Path Input",
        "b label:text placeholder:text events:array",
        defaults={**_UNBOUND, "placeholder": "Path of a folder"},
    ),
    _input("Model3DInput", "3D Model Input", "b label:text events:array", defaults=_UNBOUND),
    _input("ImageSizeInput", "Image Size Input", "b label:text events:array", defaults=_UNBOUND),
    _input(
        "MediaListInput",
        "Media List Input",
        "b label:text listKind:select events:array",
        defaults={**_UNBOUND, "listKind": "image_list"},
        choices={"listKind": ("image_list", "video_list", "audio_list", "text_list")},
    ),
    _resource_input("ResourcePicker", "Resource Picker", "", defaults=_NO_RESOURCE),
    _resource_input(
        "ResourceGallery", "Resource Gallery", "tileSize:number", defaults={**_NO_RESOURCE, "tileSize": 140}
    ),
    _resource_input(
        "StoryboardSceneList", "Storyboard Scenes", "allowRemove:radio", defaults={**_NO_RESOURCE, "allowRemove": True}
    ),
    _widget(
        "ChatThread",
        "Chat Thread",
        "chat",
        "read",
        "b streamBinding:custom label:text maxHeight:number placeholder:text",
        extra=(ExtraBinding("streamBinding", "read"),),
        defaults={**_UNBOUND, "streamBinding": "", "maxHeight": 360, "placeholder": "No messages yet"},
    ),
    _widget(
        "ChatComposer",
        "Chat Composer",
        "chat",
        "write",
        "b historyBinding:custom valueFormat:select label:text placeholder:text sendLabel:text attachments:radio "
        "events:array",
        trigger="click",
        extra=(ExtraBinding("historyBinding", "read"),),
        defaults={
            **_UNBOUND,
            "historyBinding": "",
            "valueFormat": "text",
            "placeholder": "Write a message",
            "sendLabel": "Send",
            "attachments": False,
            "events": _CLICK_RUN,
        },
        choices={"valueFormat": ("text", "message", "history")},
    ),
    _widget(
        "ModelSelect",
        "Model Select",
        "chat",
        "write",
        "b modelKind:select task:text label:text events:array",
        trigger="change",
        commits=False,
        defaults={"binding": "", "modelKind": "language_model", "label": "Model"},
        choices={
            "modelKind": (
                "language_model",
                "image_model",
                "video_model",
                "tts_model",
                "asr_model",
                "embedding_model",
                "huggingface_model",
            )
        },
    ),
    _widget(
        "Button",
        "Button",
        "actions",
        "action",
        "label:text variant:select color:select events:array",
        trigger="click",
        defaults={"label": "Run", "variant": "contained", "color": "primary", "events": _CLICK_RUN},
        choices={"variant": ("contained", "outlined", "text"), "color": ("primary", "secondary", "warning")},
    ),
    _layout("Container", "Panel", "title:text content:slot", defaults={"title": "", "content": []}),
    _layout("Columns", "Columns", "gap:number left:slot right:slot", defaults={"gap": 16, "left": [], "right": []}),
    _layout(
        "Tabs",
        "Tabs",
        "tab1Label:text tab1:slot tab2Label:text tab2:slot tab3Label:text tab3:slot",
        defaults={
            "tab1Label": "First",
            "tab1": [],
            "tab2Label": "Second",
            "tab2": [],
            "tab3Label": "",
            "tab3": [],
        },
    ),
    _layout(
        "Accordion",
        "Accordion",
        "title:text defaultOpen:radio content:slot",
        defaults={"title": "Details", "defaultOpen": True, "content": []},
    ),
    _layout("Spacer", "Spacer", "height:number", defaults={"height": 24}),
    _layout("Divider", "Divider", ""),
)
