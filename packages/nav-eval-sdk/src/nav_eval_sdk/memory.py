"""One allocation that makes big messages cheap on Linux.

glibc gives each freed block of megabytes back to the kernel, and the next message of that size faults its pages in
again, which costs more than copying it. Its thresholds grow with the largest block freed so far (mallopt(3),
M_MMAP_THRESHOLD), so one block just under its maximum of 32 MiB, never touched, is made and freed.
"""

from __future__ import annotations

LARGEST_THAT_COUNTS = 31 << 20


def keep_freed_pages() -> None:
    """Harmless where the C library is another."""
    bytearray(LARGEST_THAT_COUNTS)
