"""Why a request was not made, or its answer not taken.

NodeError
├── AddressRefused     it leads to an address that is not public
├── RequestRefused     it is not http or https, or names no host
└── ResponseTooLarge   the answer is larger than the limit
"""

from __future__ import annotations

from greenrun.workflows.node import NodeError


class AddressRefused(NodeError):
    """A request leads to an address that is not public."""

    code = "address_refused"


class RequestRefused(NodeError):
    """A request is not made because of its scheme, or because it names no host."""

    code = "request_refused"


class ResponseTooLarge(NodeError):
    """An answer has more bytes, on the wire or unpacked, than the limit."""

    code = "response_too_large"
