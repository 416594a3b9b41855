# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the API server answers when it says no, and which of these answers may change by waiting. Pure."""

from __future__ import annotations

import json
import re
from typing import Any, Dict, List

# The request was right, the webhook was not there yet. A denial has another text: "denied the request".
_WEBHOOK_SILENT = re.compile(r"failed calling webhook|failed to call webhook|conversion webhook for .* failed")


class ApiError(Exception):
    """One refused or failed request.

    status: HTTP status; 0 when no answer came. reason: the server's word for it. message: its sentence.
    """

    def __init__(self, status: int, reason: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.reason = reason
        self.message = message

    @property
    def not_found(self) -> bool:
        """The object, its namespace or its kind does not exist."""
        return self.status == 404

    @property
    def kind_unknown(self) -> bool:
        """The server does not serve this path (yet): no object is named in its answer."""
        no_object = self.reason != "NotFound" or "the server could not find the requested resource" in self.message
        return self.status == 404 and no_object

    @property
    def namespace_missing(self) -> bool:
        """The object's namespace does not exist."""
        return self.status == 404 and self.message.startswith("namespaces ")

    @property
    def webhook_silent(self) -> bool:
        """An admission or conversion webhook could not be reached."""
        denied = "denied the request" in self.message
        return self.status >= 500 and not denied and bool(_WEBHOOK_SILENT.search(self.message))

    @property
    def passing(self) -> bool:
        """A read may be tried again: the server is starting, overloaded or changing its leader."""
        return self.status in (0, 429) or self.status >= 500


def from_answer(status: int, body: bytes) -> ApiError:
    """Return the error that an answer holds; the body is a Status object, or text from something in between."""
    try:
        answer: Dict[str, Any] = json.loads(body)
        message, reason = str(answer["message"]), str(answer.get("reason") or "")
    except (ValueError, KeyError, TypeError):
        return ApiError(status, "", body.decode("utf-8", errors="replace").strip()[:500] or f"HTTP status {status}")
    causes: List[Any] = (answer.get("details") or {}).get("causes") or []
    # The sentence of an Invalid answer holds only the first causes when there are many.
    texts = [(cause.get("field"), cause.get("message")) for cause in causes]
    extra = [f"{field}: {text}" for field, text in texts if text and text not in message]
    return ApiError(status, reason, "; ".join([message, *extra]))
