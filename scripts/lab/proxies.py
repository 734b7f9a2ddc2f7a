"""The proxies beside which tapeline is measured and compared. Each gets its best honest configuration: keep-alive on both sides,
no cache, no log other than the recording that it is for."""

from __future__ import annotations

import os
import pwd
import re
import shutil
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from lab.process import Server, accepts, free_port
from lab.tool import ROOT
from lab.wire import HOST


@dataclass(frozen=True)
class Tunnel:
    url: str
    # Asked for a connection by CONNECT.
    proxy: str | None = None


class Tool:
    """A forwarding proxy, or, as this class itself, none: the client speaks to the origin."""

    name = "direct"
    program: str | None = None
    version_option = "--version"
    stop_signal = signal.SIGTERM

    def __init__(self, directory: Path):
        self.directory = directory
        # Where it listens, as HOST:PORT.
        self.authority: str | None = None
        # The origin's, for a tool that cannot be told by a client where a stream of bytes is to go.
        self.origin_ports: list[int] = []
        self.server: Server | None = None

    def is_installed(self) -> bool:
        return self.program is None or shutil.which(self.program) is not None

    def version(self) -> str | None:
        if self.program is None:
            return None
        finished = subprocess.run([self.program, self.version_option], capture_output=True, text=True)
        found = re.search(r"\d+(\.\d+)+\S*", finished.stdout + finished.stderr)
        return found.group() if found else None

    def start(self) -> None:
        """Writes the configuration, starts the program and waits until it listens."""
        self.directory.mkdir(parents=True)
        if self.program is None:
            return
        port = free_port()
        self.server = Server(self.name, self.command(port), self.directory / "output.log")
        self.server.wait_for(lambda: accepts(port))
        self.authority = f"{HOST}:{port}"

    @property
    def pairing_authority(self) -> str | None:
        """Where it listens for clients whose connections to the origin are their own."""
        return self.authority

    @property
    def address(self) -> tuple[str, int]:
        host, _, port = (self.authority or "").rpartition(":")
        return host, int(port)

    def command(self, port: int) -> list[str]:
        raise NotImplementedError

    def tunnel_to(self, url: str) -> Tunnel | None:
        """How curl reaches `url` by a stream of bytes that the tool does not read; nothing if that is not measured."""
        return Tunnel(url) if self.program is None else None

    def configure(self, text: str) -> str:
        """Writes a configuration file and gives its path."""
        file = self.directory / "configuration"
        file.write_text(text)
        return str(file)

    def recordings(self) -> list[Path]:
        """The HARs that the tool has written: more than one where a full file is followed by the next."""
        return sorted(self.directory.glob("recording*.har"))

    def stop(self) -> int:
        return self.server.stop(self.stop_signal, seconds=300) if self.server else 0


class HAProxy(Tool):
    """A forwarding proxy by taking the destination from Host; its idle origin connections are shared by all clients, except
    behind `pairing_authority`. Large bodies go through pipes of the kernel (splice). It does not know CONNECT, so a listener for
    each port of the origin passes streams on."""

    name = "haproxy"
    program = "haproxy"
    version_option = "-v"
    stop_signal = signal.SIGUSR1

    def __init__(self, directory: Path):
        super().__init__(directory)
        # The listeners, by the port of the origin.
        self.listeners: dict[int, int] = {}
        self.pairing_port = 0

    @property
    def pairing_authority(self) -> str:
        return f"{HOST}:{self.pairing_port}"

    def tunnel_to(self, url: str) -> Tunnel:
        place = urlsplit(url)
        return Tunnel(place._replace(netloc=f"{HOST}:{self.listeners[place.port or 80]}").geturl())

    def command(self, port: int) -> list[str]:
        self.pairing_port = free_port()
        for origin_port in self.origin_ports:
            self.listeners[origin_port] = free_port()
        listeners = "".join(
            f"listen to-{origin_port}\n  mode tcp\n  bind 127.0.0.1:{own}\n  server origin 127.0.0.1:{origin_port}\n"
            for origin_port, own in self.listeners.items()
        )
        return [
            "haproxy",
            "-db",
            "-q",
            "-f",
            self.configure(f"""
global
  maxconn 8192
  maxpipes 64
  hard-stop-after 1s
defaults
  mode http
  option splice-auto
  option http-keep-alive
  http-reuse always
  timeout connect 10s
  timeout client 300s
  timeout server 300s
  timeout http-keep-alive 300s
frontend proxy
  bind 127.0.0.1:{port}
  http-request set-dst hdr(host),host_only
  http-request set-dst-port hdr(host),port_only
  default_backend destination
backend destination
  server any 0.0.0.0:0
listen pairing
  bind 127.0.0.1:{self.pairing_port}
  http-reuse never
  http-request set-dst hdr(host),host_only
  http-request set-dst-port hdr(host),port_only
  server any 0.0.0.0:0
{listeners}"""),
        ]


class Squid(Tool):
    """Its request buffer is enlarged: versions with bug 5405 abort an upload that fills it."""

    name = "squid"
    program = "squid"

    def command(self, port: int) -> list[str]:
        if os.geteuid() == 0:
            # Squid gives up root for this user before it opens anything.
            user = pwd.getpwnam("proxy")
            os.chown(self.directory, user.pw_uid, user.pw_gid)
        return [
            "squid",
            "-N",
            "-f",
            self.configure(f"""
http_port 127.0.0.1:{port}
http_access allow localhost
http_access deny all
cache deny all
cache_mem 0 MB
memory_pools on
access_log none
cache_log {self.directory}/cache.log
cache_store_log none
pid_filename none
coredump_dir {self.directory}
pinger_enable off
visible_hostname bench.invalid
client_persistent_connections on
server_persistent_connections on
client_idle_pconn_timeout 300 seconds
server_idle_pconn_timeout 300 seconds
max_filedescriptors 8192
client_request_buffer_max_size 64 MB
shutdown_lifetime 0 seconds
"""),
        ]


class Tinyproxy(Tool):
    """Closes the client's connection after every response: it knows no other way."""

    name = "tinyproxy"
    program = "tinyproxy"
    version_option = "-v"

    def command(self, port: int) -> list[str]:
        return [
            "tinyproxy",
            "-d",
            "-c",
            self.configure(f"""
Port {port}
Listen 127.0.0.1
Allow 127.0.0.1
Timeout 300
MaxClients 4096
LogLevel Critical
LogFile "{self.directory}/tinyproxy.log"
"""),
        ]


class Mitmdump(Tool):
    """Records every exchange with its body in memory and writes the HAR when it stops. Bodies over 1 MiB pass unrecorded,
    tapeline's default too."""

    name = "mitmdump"
    stop_signal = signal.SIGINT

    def __init__(self, directory: Path):
        super().__init__(directory)
        installed = ROOT / ".build-tools/mitmproxy/bin/mitmdump"
        self.program = str(installed) if installed.exists() else "mitmdump"

    def command(self, port: int) -> list[str]:
        command = [self.program, "--quiet", "--listen-host", "127.0.0.1", "--listen-port", str(port)]
        settings = {
            "confdir": self.directory / "mitmproxy",
            "hardump": self.directory / "recording.har",
            "flow_detail": 0,
            "stream_large_bodies": "1m",
        }
        return command + [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
