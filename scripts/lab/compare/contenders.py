"""The proxies that are compared, as the benchmark starts them; squid with the access rules that it is delivered with."""

from __future__ import annotations

from lab import proxies
from lab.proxy import Tapeline

# squid.conf as squid distributes it, but that the origins' ephemeral ports may be reached by CONNECT as well.
SQUID_RULES = """acl tunnel_ports port 443 1025-65535
acl safe_ports port 80 21 443 70 210 1025-65535 280 488 591 777
http_access deny !safe_ports
http_access deny CONNECT !tunnel_ports
http_access allow localhost
"""


class Squid(proxies.Squid):
    def configure(self, text: str) -> str:
        return super().configure(text.replace("http_access allow localhost\n", SQUID_RULES))


ALL: list[type[proxies.Tool]] = [Tapeline, Squid, proxies.Tinyproxy, proxies.Mitmdump]
