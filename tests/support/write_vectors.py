"""Write the protocol vectors anew: `python -m tests.support.write_vectors`.

Keeps what people wrote (names, fields, what clients send, what others do) and fills in what follows
from it: bytes, what the server says, where that leaves a client. Run by hand, after a change that
is meant; the difference is to be read line by line.
"""

import asyncio

from tests.support.vector_world import recorded
from tests.support.vectors import frame_bytes, load, save


def write_frames() -> None:
    """Fill in the bytes of well-formed frames."""
    vectors = load("frames")
    for vector in vectors["frames"]:
        if "fields" in vector:
            vector["hex"] = frame_bytes(vector["fields"]).hex()
    save("frames", vectors)


async def write_conversations(name: str, *, follow_board: bool) -> None:
    """Hold the conversations that this server can hold."""
    vectors = load(name)
    for conversation in vectors[name]:
        if "setting" in conversation:
            conversation["steps"] = await recorded(conversation, follow_board=follow_board)
    save(name, vectors)


async def main() -> None:
    """Write all files that hold something to fill in."""
    write_frames()
    await write_conversations("commands", follow_board=False)
    await write_conversations("conversations", follow_board=True)


if __name__ == "__main__":
    asyncio.run(main())
