"""One submission for many sockets: the little of io_uring that a fan-out needs.

Owns a ring and the bytes that sockets took. Every send is told not to wait (MSG_DONTWAIT), so that
it is over when the submission returns, and `frame` need not outlive the call. One thread submits
and reads the answers, both within its own system call, so that no barrier is needed between it and
the kernel. Offsets, flags and numbers are those of the kernel's `io_uring.h`. Used by broadcast.py.
"""

import ctypes
import errno
import mmap
import os
import socket
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

SETUP, ENTER = 425, 426
"""Numbers of the system calls, the same on every architecture that has them."""
SINGLE_ISSUER_DEFER_TASKRUN = 1 << 12 | 1 << 13
GETEVENTS = 1
SEND = 26
SQ_RING_OFFSET, SQES_OFFSET = 0, 0x10000000
POPULATE = 0x8000
SQE_BYTES = 64
SQE = np.dtype(
    {
        "names": ["opcode", "fd", "addr", "len", "msg_flags", "user_data"],
        "formats": ["u1", "<i4", "<u8", "<u4", "<u4", "<u8"],
        "offsets": [0, 4, 16, 24, 28, 32],
        "itemsize": SQE_BYTES,
    }
)
CQE = np.dtype([("user_data", "<u8"), ("res", "<i4"), ("flags", "<u4")])
NOT_SENT = -errno.EAGAIN
Taken = npt.NDArray[np.int32]
_WORD = 0xFFFFFFFF
"""Heads and tails are counters of 32 bits."""


class _Offsets(ctypes.Structure):
    _fields_ = (
        ("head", ctypes.c_uint32),
        ("tail", ctypes.c_uint32),
        ("mask", ctypes.c_uint32),
        ("entries", ctypes.c_uint32),
        ("at_4", ctypes.c_uint32),
        ("at_5", ctypes.c_uint32),
        ("at_6", ctypes.c_uint32),
        ("at_7", ctypes.c_uint32),
        ("user_addr", ctypes.c_uint64),
    )


class _Params(ctypes.Structure):
    _fields_ = (
        ("sq_entries", ctypes.c_uint32),
        ("cq_entries", ctypes.c_uint32),
        ("flags", ctypes.c_uint32),
        ("sq_thread_cpu", ctypes.c_uint32),
        ("sq_thread_idle", ctypes.c_uint32),
        ("features", ctypes.c_uint32),
        ("wq_fd", ctypes.c_uint32),
        ("resv", ctypes.c_uint32 * 3),
        ("sq_off", _Offsets),
        ("cq_off", _Offsets),
    )


class Ring:
    """A ring of the thread that made it."""

    def __init__(self, entries: int = 256) -> None:
        """Raises OSError where the kernel, or whoever guards it, does not allow one."""
        self._libc = ctypes.CDLL(None, use_errno=True)
        params = _Params(flags=SINGLE_ISSUER_DEFER_TASKRUN)
        self._fd = self._call(SETUP, entries, ctypes.byref(params))
        try:
            self._map(params)
        except BaseException:
            os.close(self._fd)
            raise
        self.entries = int(params.sq_entries)
        self.broken = False
        """Whether the kernel has refused a submission; of no use from then on."""
        self._numbers = np.arange(self.entries)

    def _call(self, number: int, *arguments: object) -> int:
        result = int(self._libc.syscall(ctypes.c_long(number), *arguments))
        if result < 0:
            code = ctypes.get_errno()
            raise OSError(code, os.strerror(code))
        return result

    def _map(self, params: _Params) -> None:
        submitted, completed = params.sq_off, params.cq_off
        size = max(
            submitted.at_6 + params.sq_entries * 4,
            completed.at_5 + params.cq_entries * CQE.itemsize,
        )
        shared = mmap.MAP_SHARED | POPULATE
        self._ring = mmap.mmap(self._fd, size, shared, offset=SQ_RING_OFFSET)
        self._sqes = mmap.mmap(self._fd, params.sq_entries * SQE_BYTES, shared, offset=SQES_OFFSET)
        whole = np.frombuffer(self._ring, np.uint8)

        def words(at: int, count: int = 1) -> npt.NDArray[np.uint32]:
            return whole[at : at + 4 * count].view(np.uint32)

        self._tail = words(submitted.tail)
        self._mask = int(words(submitted.mask)[0])
        words(submitted.at_6, params.sq_entries)[:] = np.arange(params.sq_entries)
        self._seen, self._posted = words(completed.head), words(completed.tail)
        self._seen_mask = int(words(completed.mask)[0])
        cqes = whole[completed.at_5 : completed.at_5 + params.cq_entries * CQE.itemsize]
        self._answers = cqes.view(CQE)
        self._sends = np.frombuffer(self._sqes, SQE)
        self._sends["opcode"] = SEND
        self._sends["msg_flags"] = socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL

    def send(self, fds: Sequence[int], frame: bytes) -> Taken:
        """Offer a frame to sockets; returns the bytes that each took, negative: an errno.

        At most `entries` at a time. What could not be offered is `NOT_SENT`, and the ring `broken`.
        """
        count = len(fds)
        numbers = self._numbers[:count]
        first = int(self._tail[0])
        places = (first + numbers) & self._mask
        sends = self._sends
        sends["fd"][places] = fds
        sends["addr"][places] = ctypes.cast(ctypes.c_char_p(frame), ctypes.c_void_p).value
        sends["len"][places] = len(frame)
        sends["user_data"][places] = numbers
        self._tail[0] = (first + count) & _WORD
        try:
            self._enter(count)
        except OSError:
            # What was not taken stands in the ring and must never be.
            self.broken = True
        return self._collect(count)

    def _enter(self, left: int) -> None:
        while left:
            try:
                left -= self._call(ENTER, self._fd, left, left, GETEVENTS, None, 0)
            except InterruptedError:
                continue

    def _collect(self, count: int) -> Taken:
        taken = np.full(count, NOT_SENT, np.int32)
        seen, posted = int(self._seen[0]), int(self._posted[0])
        places = (seen + self._numbers[: (posted - seen) & _WORD]) & self._seen_mask
        answers = self._answers[places]
        taken[answers["user_data"]] = answers["res"]
        self._seen[0] = posted
        return taken

    def close(self) -> None:
        """Give it back."""
        os.close(self._fd)
