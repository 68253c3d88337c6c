"""Text as protobuf holds it: possibly not UTF-8, possibly hostile."""

from __future__ import annotations

__all__ = ["elide", "text", "visible", "visible_lines"]


def text(raw: str | bytes) -> str:
    r"""Return a protobuf string as text: bytes that are not UTF-8 appear as ``\xff``."""
    # protobuf hands out bytes where a string field does not hold UTF-8.
    return raw.decode("utf-8", "backslashreplace") if isinstance(raw, bytes) else raw


def visible(raw: str | bytes) -> str:
    r"""Return text in which nothing is invisible: control characters and surrogates escaped.

    Examples
    --------
    >>> visible("a\tb")
    'a\\tb'
    """
    plain = text(raw)
    if plain.isprintable():
        return plain
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in plain
    )


def visible_lines(raw: str | bytes) -> str:
    """Return text as `visible` does, but with its line breaks and tabs."""
    plain = text(raw).replace("\r\n", "\n")
    return "\n".join(
        "\t".join(visible(cell) for cell in line.split("\t")) for line in plain.split("\n")
    )


def elide(plain: str, limit: int) -> str:
    """Return text of at most ``limit`` characters, the cut marked by an ellipsis."""
    return plain if len(plain) <= limit else plain[: limit - 1] + "…"
