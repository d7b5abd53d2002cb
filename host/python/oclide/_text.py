"""Text that reaches a terminal."""

from __future__ import annotations

import unicodedata


def clean(text: str) -> str:
    """``text`` with each control character, and each byte that was no UTF-8, as the escape that JSON has for it."""
    return "".join(f"\\u{ord(c):04x}" if unicodedata.category(c) in ("Cc", "Cs") else c for c in text)
