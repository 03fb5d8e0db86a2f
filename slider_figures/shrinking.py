"""matplotlib's SVG made small for a page: in its colours and font, with few elements, without what is not seen."""

import base64
import io
import itertools
import re
from xml.etree import ElementTree

from PIL import Image

LIGHT_PICTURE = 10_000
"""Characters of a picture up to which it keeps all its colours, such as a colour bar."""
SAMPLE = "sample"
"""The gid of marks that stay, faintly, when the reader draws again; in the page it is a class."""
# A colour nobody draws with stands for the page's text colour until the frame is written.
INK = "#010203"
COLOURS = {INK: "currentColor", "#000000": "currentColor", "#ffffff": "var(--pst-color-background,#fff)"}
OUTLINE = re.compile(r"\s*M[^A-Za-z]*(L[^A-Za-z]*){20,}z?\s*")
"""A path of one long polygonal line, of which points may be left out."""
PANEL = "panel-"
"""How the gid of axes begins that belong to a panel; its number follows."""
PREFIX = "\ue000"  # stands for the id of the whole figure in the ids inside a frame
DOT = re.compile(r"M 0 ([\d.]+) (C [-\d. ]+){8}z")
STROKE = re.compile(r"M ([-\d.]+) ([-\d.]+) L ([-\d.]+) ([-\d.]+)")


def shrunk(svg: str, cuts=()):
    """Return the root of matplotlib's SVG, for use inside the page; ids in it start with `PREFIX`.

    At each of the ``cuts``, in points from the top, a panel ends: then the root is a box of SVGs, which the page may
    put side by side.  They share the figure's coordinates.
    """
    root = ElementTree.fromstring(svg)  # comments are dropped here
    for element in root.iter():
        element.tag = element.tag.partition("}")[2]
        element.attrib = {name.rpartition("}")[2]: value for name, value in element.attrib.items()}
    _draw_marks(root)
    _name_references(root)
    for element in root.iter():
        _shorten(element)
    box = root.attrib["viewBox"]
    if cuts:
        _, _, width, height = map(float, box.split())
        root = _split(root, width, height, cuts)
    _flatten(root)
    for element in root.iter():
        _join(element)
    # Black fills are left out of the file.
    root.attrib = {"class": "sf-panels", "data-box": box} if cuts else {"viewBox": box, "fill": "currentColor"}
    return root


def _split(root, width: float, height: float, cuts):
    """Return a box with an SVG for each panel; what belongs to none is in the first."""
    edges = [0, *cuts, height]
    box = ElementTree.Element("div")
    for top, bottom in itertools.pairwise(edges):
        attributes = {"viewBox": f"0 {top:g} {width:g} {bottom - top:g}", "fill": "currentColor"}
        ElementTree.SubElement(box, "svg", attributes | {"style": f"--share:{(bottom - top) / height:.3f}"})
    for child in [child for group in root for child in ([group] if group.tag == "defs" else group)]:
        box[int(child.attrib.pop("data-panel", 0))].append(child)
    return box


def _draw_marks(root) -> None:
    """Draw dots and strokes as lines where they are, which `_join` makes one, instead of referring to a mark."""
    marks = {f"#{element.get('id')}": element for element in root.iter("path") if element.get("id")}
    for use in list(root.iter("use")):
        line = _line(use, marks.get(use.get("href")))
        if line:
            use.tag, use.attrib = "path", line


def _line(use, mark) -> dict | None:
    """Return the attributes of the path that draws the mark at its place, None where it is no dot and no stroke."""
    if mark is None:
        return None
    style, d = _style(use) | _style(mark), " ".join(mark.get("d").split())
    x, y = float(use.get("x")), float(use.get("y"))
    if dot := DOT.fullmatch(d):
        colour = style.get("fill", "#000000")
        if style.get("stroke", colour) != colour or "fill-opacity" in style:
            return None  # two colours, or dots that are darker where they overlap
        width = 2 * float(dot[1]) + ("stroke" in style) * float(style.get("stroke-width", 1))
        style = {"stroke": colour, "stroke-width": f"{width:g}", "stroke-linecap": "round"}
        d = f"M {x:.2f} {y:.2f} h 0"
    elif stroke := STROKE.fullmatch(d):
        x1, y1, x2, y2 = map(float, stroke.groups())
        d = f"M {x + x1:.2f} {y + y1:.2f} l {x2 - x1:g} {y2 - y1:g}"
    else:
        return None
    return {"d": d, "style": "; ".join(f"{name}: {value}" for name, value in (style | {"fill": "none"}).items())}


def _name_references(root) -> None:
    """Number the ids that something refers to and drop the rest: an id must be unique in the whole page."""
    pattern = re.compile(r"#([\w.-]+)")
    targets = {element.get("id") for element in root.iter()} - {None}
    names: dict[str, str] = {}
    for element in root.iter():
        for attribute in ("href", "clip-path", "style"):
            for target in pattern.findall(element.get(attribute, "")):
                if target in targets:
                    name = names.setdefault(target, f"{PREFIX}-r{len(names)}")
                    element.set(attribute, element.get(attribute).replace(f"#{target}", f"#{name}"))
    for element in root.iter():
        element_id = element.attrib.pop("id", None)
        if element_id == SAMPLE:
            element.set("class", "sf-explore-sample")
        if element_id and element_id.startswith(PANEL):
            element.set("data-panel", element_id.removeprefix(PANEL))
        if element_id in names:
            element.set("id", names[element_id])


def _style(element) -> dict:
    return dict(part.split(": ", 1) for part in element.get("style", "").split("; ") if part)


def _shorten(element) -> None:
    if element.tag == "image":
        element.set("href", _eight_bit(element.get("href")))
        element.set("decoding", "sync")  # no empty moment between two frames
    if element.tag not in ("text", "tspan"):
        element.text = element.tail = None
    elif element.tag == "text":
        element.tail = None
    style = {name: COLOURS.get(value, value) for name, value in _style(element).items()}
    style.pop("font-family", None)
    if element.tag == "text":
        _let_grow(element, style)
        if element.get("transform", "").startswith(("rotate(0 ", "rotate(-0 ")):
            del element.attrib["transform"]
    if style:
        element.set("style", ";".join(f"{name}:{value}" for name, value in style.items()))


def _let_grow(element, style: dict) -> None:
    """Let a narrow page enlarge the text by the factor --sf-text, about the point where it is anchored."""
    spans = list(element)
    if not spans:
        style["font-size"] = f"calc({style['font-size']}*var(--sf-text,1))"
        return
    # A formula: matplotlib has set each glyph's place, so it grows as a whole, about its middle.
    element.text = None
    for span in spans:
        span.tail = None
    middle = max(float(span.get("x").split()[-1]) for span in spans) / 2 + 3
    style |= {"transform-origin": f"{middle:.1f}px 0", "transform": "scale(var(--sf-text,1))"}


def _eight_bit(link: str) -> str:
    """Return the data link of a PNG with a palette of 64 colours instead of four bytes a pixel, where that helps."""
    head, data = link.split(",", 1)
    if len(data) < LIGHT_PICTURE:
        return link
    image = Image.open(io.BytesIO(base64.b64decode(data)))
    file = io.BytesIO()
    image.quantize(64, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(file, "PNG", optimize=True)
    return f"{head},{base64.b64encode(file.getvalue()).decode()}"


def _flatten(parent) -> None:
    """Leave out what is not seen or not referred to, and groups that say nothing about what is in them."""
    children = []
    for child in parent:
        _flatten(child)
        if child.tag == "g" and not child.attrib:
            children += child
        elif _is_seen(child) and (parent.tag != "defs" or "id" in child.attrib):
            children.append(child)
    parent[:] = children


def _is_seen(element) -> bool:
    if element.tag in ("g", "defs"):
        return len(element) > 0
    return element.tag not in ("metadata", "style") and element.get("style") != "fill:none"


def _join(parent) -> None:
    """Make one path of short lines that follow one another and look alike: a page moves it at once."""
    joined = None
    for child in list(parent):
        if not _joins(child):
            joined = None
        elif joined is not None and joined.attrib | {"d": ""} == child.attrib | {"d": ""}:
            joined.extend(child)
            if "d" in child.attrib:
                joined.set("d", f"{joined.get('d')} {child.get('d')}")
            parent.remove(child)
        else:
            joined = child


def _joins(element) -> bool:
    """Tell whether another like it may be made a part of it: a short line, or a group that is only clipped."""
    if element.tag == "g":
        return set(element.attrib) == {"clip-path"}
    return element.tag == "path" and "fill:none" in element.get("style", "") and not OUTLINE.fullmatch(element.get("d"))
