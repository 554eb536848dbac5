"""Ends the program on SIGTERM and SIGINT so that its locks are released."""

from __future__ import annotations

import signal
import sys
from types import FrameType
from typing import Optional

_NUMBERS = (signal.SIGTERM, signal.SIGINT)


def exit_on_signals() -> None:
    """Makes SIGTERM and SIGINT raise ``SystemExit`` with the status 143 or 130 in the main thread.

    Without it, SIGTERM ends Python without leaving ``with`` blocks, and locks end with their lease. Later
    signals are ignored, so that they do not interrupt a release. Call it in the main thread.
    """
    for number in _NUMBERS:
        signal.signal(number, _exit)


def _exit(number: int, _frame: Optional[FrameType]) -> None:
    for each in _NUMBERS:
        signal.signal(each, signal.SIG_IGN)
    sys.exit(128 + number)
