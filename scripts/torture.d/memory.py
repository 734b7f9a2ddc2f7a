"""How far the proxy's resident memory rises meanwhile, not only how much of it is left."""

from __future__ import annotations

import os
from pathlib import Path

from proxy import Proxy

# Linux counts pages on each processor and adds them up 32 at a time: by so much the highest level may be wrong. (What is resident
# now is added up when it is asked for.)
INACCURACY_KIB = 32 * 4 * (os.cpu_count() or 1)
# Makes the kernel forget the highest level so far (proc(5), clear_refs).
FORGET_PEAK = "5"


class Peak:
    """Watches from here on."""

    def __init__(self, proxy: Proxy):
        self.proxy = proxy
        self.before_kib = proxy.resident_kib()
        Path(f"/proc/{proxy.pid}/clear_refs").write_text(FORGET_PEAK)

    def growth_kib(self) -> int:
        return self.proxy.server.peak_resident_kib() - self.before_kib
