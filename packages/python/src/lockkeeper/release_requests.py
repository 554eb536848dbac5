"""An operator's request to the holder to release the lock."""

from __future__ import annotations

from typing import Any, Callable, Mapping, Optional


class ReleaseRequest:
    """A release request. Answer with ``accept``, and release the hold after the work; or with ``refuse``."""

    def __init__(
        self,
        value: Mapping[str, Any],
        answer: Callable[[str, str, Optional[str]], None],
    ) -> None:
        self._answer = answer
        self.request_id = str(value["requestId"])
        self.reason = str(value.get("reason", ""))
        self.requested_by = str(value.get("requestedBy", ""))
        #: The Redis clock, in Unix milliseconds.
        self.requested_at_ms = int(value.get("requestedAt", 0))

    def accept(self, text: Optional[str] = None) -> None:
        """Informs the operator that you will release the hold. It does not release it.

        Raises ``LockkeeperError``; ``Refused`` with the code ``changed`` if the request was replaced.
        """
        self._answer(self.request_id, "accepted", text)

    def refuse(self, text: str) -> None:
        """Informs the operator that you keep the hold, and why. Raises ``LockkeeperError``."""
        self._answer(self.request_id, "refused", text)

    def __repr__(self) -> str:
        return f"<ReleaseRequest {self.request_id} by {self.requested_by}>"
