"""How far the proxy's resident memory rises meanwhile, not only how much of it is left."""

from __future__ import annotations

from pathlib import Path

from proxy import Proxy

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
