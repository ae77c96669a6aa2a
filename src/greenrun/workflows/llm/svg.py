"""Drawings that a model wrote as SVG, with nothing in them but the drawing.

What may stay is listed; everything else goes: scripts, event handlers, styles with addresses, references to anything outside
the drawing, foreign elements and animation.
"""

from __future__ import annotations

import re
from typing import Final
from xml.etree import ElementTree as ET

from greenrun.workflows.node import NodeError

SVG: Final = "http://www.w3.org/2000/svg"
XLINK: Final = "http://www.w3.org/1999/xlink"
MAX_SIZE: Final = 500_000
MAX_DEPTH: Final = 100

_ELEMENTS: Final = """
    svg g defs symbol use title desc path rect circle ellipse line polyline polygon text tspan textPath
    linearGradient radialGradient stop clipPath mask pattern marker filter feBlend feColorMatrix feComponentTransfer
    feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap feDistantLight feDropShadow feFlood feFuncA feFuncB
    feFuncG feFuncR feGaussianBlur feMerge feMergeNode feMorphology feOffset fePointLight feSpecularLighting feSpotLight
    feTile feTurbulence
"""
_ATTRIBUTES: Final = """
    id class x y x1 x2 y1 y2 cx cy r rx ry fx fy fr d points width height viewBox preserveAspectRatio transform version
    fill fill-opacity fill-rule stroke stroke-width stroke-opacity stroke-linecap stroke-linejoin stroke-miterlimit
    stroke-dasharray stroke-dashoffset opacity color display visibility overflow vector-effect paint-order
    shape-rendering text-rendering mix-blend-mode font-family font-size font-style font-weight font-variant
    letter-spacing word-spacing text-anchor text-decoration dominant-baseline alignment-baseline baseline-shift dx dy
    rotate textLength lengthAdjust startOffset method spacing pathLength offset stop-color stop-opacity gradientUnits
    gradientTransform spreadMethod patternUnits patternContentUnits patternTransform clip-path clip-rule clipPathUnits mask
    maskUnits maskContentUnits marker-start marker-mid marker-end markerWidth markerHeight markerUnits refX refY orient
    filter filterUnits primitiveUnits in in2 result stdDeviation edgeMode mode type values operator k1 k2 k3 k4 order
    kernelMatrix divisor bias targetX targetY preserveAlpha surfaceScale diffuseConstant specularConstant
    specularExponent limitingConeAngle azimuth elevation z pointsAtX pointsAtY pointsAtZ scale xChannelSelector
    yChannelSelector flood-color flood-opacity lighting-color baseFrequency numOctaves seed stitchTiles radius
    tableValues slope intercept amplitude exponent role aria-label aria-hidden style href lang
"""

ELEMENTS: Final = frozenset(_ELEMENTS.split())
ATTRIBUTES: Final = frozenset(_ATTRIBUTES.split())

_BLOCK: Final = re.compile(r"<svg\b.*</svg\s*>", re.DOTALL | re.IGNORECASE)
_URL: Final = re.compile(r"url\(\s*(['\"]?)(.*?)\1\s*\)", re.IGNORECASE | re.DOTALL)
_INSIDE: Final = re.compile(r"#[\w.:-]+")
_DANGEROUS_STYLE: Final = re.compile(
    r"@|\\|expression|javascript|behavior|-moz-binding|/\*|image-set|src\s*\(", re.IGNORECASE
)


def drawing(answer: str) -> str:
    """The drawing in an answer, as a document that can be shown safely.

    Raises:
        NodeError: There is none, or it is no well-formed SVG.
    """
    block = _BLOCK.search(answer)
    if block is None:
        raise NodeError("the answer holds no SVG drawing; say in the prompt what to draw")
    source = block[0]
    if len(source) > MAX_SIZE:
        raise NodeError(f"the drawing is longer than {MAX_SIZE} characters; ask for a simpler one")
    # The block starts at the root element, so no declaration can stand before it; one inside is not well formed.
    try:
        root = ET.fromstring(_with_namespaces(source))
    except ET.ParseError as error:
        raise NodeError(f"the drawing is no well-formed SVG ({error}); ask again") from None
    clean = _cleaned(root, 0)
    if clean is None:
        raise NodeError("the answer holds no SVG drawing; say in the prompt what to draw")
    return ET.tostring(clean, encoding="unicode")


def _with_namespaces(source: str) -> str:
    """Models leave out namespaces; a drawing without them is shown by no browser."""
    head, end, rest = source.partition(">")
    added = ""
    if not re.search(r"\sxmlns\s*=", head):
        added += f' xmlns="{SVG}"'
    if "xlink:" in source and not re.search(r"\sxmlns:xlink\s*=", head):
        added += f' xmlns:xlink="{XLINK}"'
    place = len("<svg")
    return f"{head[:place]}{added}{head[place:]}{end}{rest}"


def _cleaned(element: ET.Element, depth: int) -> ET.Element | None:
    """The element with what may stay; None when it may not."""
    namespace, _, name = element.tag.rpartition("}")
    if namespace.lstrip("{") != SVG or name not in ELEMENTS or depth > MAX_DEPTH:
        return None
    clean = ET.Element(name, {"xmlns": SVG} if depth == 0 else {})
    for attribute, value in element.attrib.items():
        name = attribute.removeprefix(f"{{{XLINK}}}")
        if name in ATTRIBUTES and _is_harmless(name, value):
            clean.set(name, value)
    clean.text = element.text
    previous: ET.Element | None = None
    for child in element:
        kept = _cleaned(child, depth + 1)
        if kept is not None:
            clean.append(kept)
            previous, kept.tail = kept, child.tail
        elif child.tail:
            # The text behind an element that goes belongs to its parent.
            if previous is None:
                clean.text = (clean.text or "") + child.tail
            else:
                previous.tail = (previous.tail or "") + child.tail
    return clean


def _is_harmless(name: str, value: str) -> bool:
    if name == "href":
        return _INSIDE.fullmatch(value.strip()) is not None
    if name == "style" and _DANGEROUS_STYLE.search(value):
        return False
    found = _URL.findall(value)
    if value.lower().count("url(") != len(found):
        return False
    return all(_INSIDE.fullmatch(address.strip()) for _, address in found)
