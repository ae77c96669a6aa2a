from __future__ import annotations

from typing import Any

import pytest

from greenrun.workflows.prompt_template import names, placeholder_text, render


@pytest.mark.case("NO-B4-1", "NO-B4-2")
@pytest.mark.parametrize(
    ("template", "values", "expected"),
    [
        ("{{ name|upper|truncate(2) }}", {"name": "abc"}, "AB..."),
        ("{{name|nope}}", {"name": "abc"}, "abc"),
        ("{{missing}}", {}, "{{missing}}"),
        ("{{ x|default(y) }}", {"x": ""}, "y"),
        ("{{ x|default('a|b') }}", {"x": None}, "a|b"),
        ("{{ x|default }}", {"x": ""}, ""),
        ("{{ x|default(y) }}", {"x": "z"}, "z"),
        ("{{ a }} {b}", {"a": "{b}", "b": "2"}, "{b} 2"),
        ("{{ TOPIC }}", {"topic": "x"}, "{{ TOPIC }}"),
        ("{{ x|lower|capitalize }}", {"x": "ABC DEF"}, "Abc def"),
        ("{{ x|title }}", {"x": "it's SO"}, "It's So"),
        ("{{ x|trim }}", {"x": " a "}, "a"),
        ("{{ x|truncate(9) }}", {"x": "abc"}, "abc"),
        ("{{ x|truncate(n) }}", {"x": "abc"}, "abc"),
        ("{{ x|!! }}", {"x": "abc"}, "abc"),
        ("{ x }", {"x": "a"}, "a"),
        ('{"a": 1}', {"a": 2}, '{"a": 1}'),
        ("{{{x}}}", {"x": "a"}, "{a}"),
        ("{{ x }", {"x": "a"}, "{{ x }"),
        ("{{ full name }}", {"full name": "Ada"}, "Ada"),
        ("{{ x }}", {"x": 1.0}, "1"),
        ("{{ x }}", {"x": [1, 2]}, "1,2"),
        ("{{ x }}", {"x": [{"a": 1}]}, '[{"a": 1}]'),
    ],
)
def test_templates(template: str, values: dict[str, Any], expected: str) -> None:
    assert render(template, values) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"type": "image", "uri": "asset://a.png"}, "asset://a.png"),
        ({"type": "image", "uri": "", "asset_id": "a1"}, "asset://a1"),
        ({"type": "chunk", "content": "hi"}, "hi"),
        (None, ""),
        (True, "true"),
    ],
)
def test_text_of_values(value: Any, expected: str) -> None:
    assert placeholder_text(value) == expected


def test_names_of_a_template() -> None:
    assert names("{{ a|upper }} {b} {{a}} {{ }}") == ("a", "b")
