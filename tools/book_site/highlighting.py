"""Code has elements for its colours alone: names and brackets look like plain text, and are a page's largest part."""

import re

from pygments.styles import get_style_by_name
from pygments.token import STANDARD_TYPES, Token

STYLES = ("a11y-high-contrast-light", "a11y-high-contrast-dark")  # the theme's


def leave_plain_code_plain(html: str) -> str:
    """Take the elements away that Pygments puts around what has no colour of its own."""
    return PLAIN_SPAN.sub(r"\1", html)


def plain_classes() -> set[str]:
    """Return Pygments' classes for what looks like plain text in both styles."""
    styles = [get_style_by_name(name) for name in STYLES]
    return {
        name
        for token, name in STANDARD_TYPES.items()
        if name and all(style.style_for_token(token) == style.style_for_token(Token.Text) for style in styles)
    }


PLAIN_SPAN = re.compile(rf'<span class="(?:{"|".join(sorted(plain_classes()))})">([^<]*)</span>')
