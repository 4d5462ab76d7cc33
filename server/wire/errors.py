"""What the wire raises: one kind of fault, and it is the peer's.

Malformed    a message that the protocol does not allow; answered `bad-frame`, then close 4404
"""


class Malformed(ValueError):  # noqa: N818 - it names the message, as refusals do
    """A message from a client breaks the protocol; the text says how, and is safe to send back."""
