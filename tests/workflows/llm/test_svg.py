from __future__ import annotations

import pytest

from greenrun.workflows.llm.svg import MAX_SIZE, drawing
from greenrun.workflows.node import NodeError


def drawn(inner: str, attributes: str = "") -> str:
    """What stays of the inside of a drawing."""
    found = drawing(f"<svg {attributes}>{inner}</svg>")
    head, end = '<svg xmlns="http://www.w3.org/2000/svg"', "</svg>"
    assert found.startswith(head)
    return found.removeprefix(head).removesuffix(end).lstrip(" >")


def test_a_plain_drawing_stays() -> None:
    source = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><rect width="3" fill="url(#g)" /></svg>'
    assert drawing(f"Here you are:\n```svg\n{source}\n```") == source


@pytest.mark.parametrize(
    "inner",
    [
        "<script>alert(1)</script>",
        '<foreignObject><body xmlns="http://www.w3.org/1999/xhtml"/></foreignObject>',
        '<image href="https://example.com/a.png"/>',
        "<style>@import url(https://example.com)</style>",
        '<a href="javascript:alert(1)"><rect/></a>',
        '<animate attributeName="href" to="javascript:alert(1)"/>',
        '<iframe xmlns="http://www.w3.org/1999/xhtml" src="x"/>',
        '<x:script xmlns:x="http://www.w3.org/2000/svg">alert(1)</x:script>',
    ],
)
def test_elements_that_are_no_drawing_go(inner: str) -> None:
    assert drawn(f"{inner}<rect/>") == "<rect />"


@pytest.mark.parametrize(
    "attribute",
    [
        'onload="alert(1)"',
        'ONCLICK="alert(1)"',
        'href="https://example.com/a.svg#x"',
        'xlink:href="data:image/svg+xml;base64,AA"',
        'href="javascript:alert(1)"',
        'fill="url(https://example.com/f)"',
        "fill=\"url( '//example.com' )\"",
        'fill="url(https://example.com"',
        'style="background: url(https://example.com)"',
        'style="behavior: url(#x)"',
        'style="width: expression(alert(1))"',
        'style="fill: u\\72l(https://example.com)"',
        'xml:base="https://example.com"',
    ],
)
def test_attributes_that_act_or_reach_outside_go(attribute: str) -> None:
    assert drawn(f"<use {attribute}/>") == "<use />"


@pytest.mark.parametrize("attribute", ['href="#a"', 'clip-path="url(#a)"', 'style="fill: red"', "fill=\"url('#a')\""])
def test_references_inside_the_drawing_stay(attribute: str) -> None:
    assert drawn(f"<use {attribute}/>") == f"<use {attribute.replace(chr(39), chr(39))} />"


def test_old_references_get_their_new_name() -> None:
    assert drawn('<use xlink:href="#a"/>') == '<use href="#a" />'


def test_text_around_what_goes_stays() -> None:
    assert drawn("<text>a<script>x</script>b<tspan>c</tspan><a>d</a>e</text>") == "<text>ab<tspan>c</tspan>e</text>"


def test_namespaces_that_are_there_are_kept_once() -> None:
    assert drawing(
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"><use xlink:href="#a"/></svg>'
    ) == ('<svg xmlns="http://www.w3.org/2000/svg"><use href="#a" /></svg>')


def test_elements_nested_too_deep_go() -> None:
    assert drawn("<g>" * 150 + "<rect/>" + "</g>" * 150).count("<g") == 100


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("I cannot draw.", "no SVG drawing"),
        ("<svg><rect></svg>", "no well-formed SVG"),
        ("<svg>&bomb;</svg>", "no well-formed SVG"),
        ("<SVG></SVG>", "no SVG drawing"),
        (f"<svg>{'x' * MAX_SIZE}</svg>", "longer than"),
    ],
)
def test_what_is_no_drawing_is_refused(answer: str, said: str) -> None:
    with pytest.raises(NodeError, match=said):
        drawing(answer)
