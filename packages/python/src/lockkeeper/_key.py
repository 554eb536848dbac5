"""Keys in paths of the API and in its responses."""

from __future__ import annotations

import re
from base64 import urlsafe_b64encode
from typing import Any

_PLAIN_KEY = re.compile(r"[A-Za-z0-9_:-][A-Za-z0-9_:.-]*")


def encode_key(key: str) -> str:
    """Encodes a key as one path segment. The form with ``~`` is valid for every key.

    Percent encoding is not: the server refuses it for keys with ``//`` or a slash at either end, and reads a
    leading ``~`` as the start of the other form.
    """
    if _PLAIN_KEY.fullmatch(key):
        return key
    return "~" + urlsafe_b64encode(key.encode()).decode().rstrip("=")


def is_for_key(value: Any, key: str) -> bool:
    """Returns whether a grant is for the key. Only keys that are not valid UTF-8 have ``keyBase64``."""
    return isinstance(value, dict) and value.get("key") == key and value.get("keyBase64") is None
