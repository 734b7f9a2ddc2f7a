import TapelineTestSupport
import Testing

extension EndToEnd.RunAll {
  /// A program that tries to reach something past the recording, and says what it did: `name: outcome` lines, then what the last
  /// line of the recording must say.
  private static let waysOut = """
    import ctypes, errno, os, socket, struct, sys
    port, abstract = int(sys.argv[1]), sys.argv[2]
    libc = ctypes.CDLL(None, use_errno=True)
    tally = {"connections": 0, "questions": 0, "datagrams": 0, "pings": 0, "groups": 0}

    def say(name, outcome):
        print(f"{name}: {outcome}")

    def code(error):
        return errno.errorcode.get(error.errno, str(error))

    def fetch(name, socket_, address):
        tally["connections"] += 1
        socket_.settimeout(None if name == "fastopen" else 30)
        try:
            if name == "fastopen":
                socket_.sendto(b"GET /fastopen HTTP/1.1\\r\\nHost: o.example\\r\\n", socket.MSG_FASTOPEN, address)
                socket_.sendall(b"Connection: close\\r\\n\\r\\n")
            else:
                socket_.connect(address)
                socket_.sendall(f"GET /{name} HTTP/1.1\\r\\nHost: o.example\\r\\nConnection: close\\r\\n\\r\\n".encode())
            say(name, "answered" if b"the answer" in socket_.makefile("rb").read() else "empty")
        except OSError as error:
            say(name, code(error))

    fetch("address", socket.socket(), ("127.0.0.1", port))
    bound = socket.socket()
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, b"lo")
    except OSError:
        pass
    try:
        fetch("multipath", socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262), ("127.0.0.1", port))
    except OSError:
        fetch("multipath", socket.socket(), ("127.0.0.1", port))
    fetch("device", bound, ("127.0.0.1", port))
    fetch("fastopen", socket.socket(), ("127.0.0.1", port))
    fetch("mapped", socket.socket(socket.AF_INET6), ("::ffff:127.0.0.1", port))
    fetch("another", socket.socket(), ("127.0.0.2", port))
    fetch("odd", socket.socket(), ("127.0.0.1", 1))

    def datagram(name, family, address, protocol=0, count=1):
        try:
            s = socket.socket(family, socket.SOCK_DGRAM, protocol)
        except OSError:
            return say(name, "refused")
        s.settimeout(30)
        s.connect(address)
        s.send(b"x")
        tally["datagrams"] += 1
        try:
            s.recv(1)
            say(name, "answered")
        except ConnectionRefusedError:
            say(name, "refused")

    datagram("udp", socket.AF_INET, ("192.0.2.1", 9999))
    datagram("quic", socket.AF_INET, ("192.0.2.1", 443))
    datagram("doq", socket.AF_INET6, ("2001:db8::1", 853))
    datagram("udp of the machine", socket.AF_INET, ("127.0.0.1", port))
    datagram("udplite", socket.AF_INET, ("192.0.2.1", 9999), 136)

    def group(family, address, *options):
        s = socket.socket(family, socket.SOCK_DGRAM)
        for option in options:
            s.setsockopt(*option)
        s.sendto(b"x", address)
        tally["groups"] += 1

    for _ in range(3):
        group(socket.AF_INET, ("239.1.2.3", 5353))
    group(socket.AF_INET6, ("ff02::fb", 5353, 0, 1))
    group(socket.AF_INET, ("255.255.255.255", 9), (socket.SOL_SOCKET, socket.SO_BROADCAST, 1))

    # A question that carries something away, to a server that does not answer.
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.sendto(b"\\x12\\x34\\x01\\0\\0\\1\\0\\0\\0\\0\\0\\0\\6stolen\\7example\\0\\0\\x10\\0\\1", ("198.51.100.7", 53))
    tally["questions"] += 1
    s.settimeout(30)
    say("name", "failed" if s.recv(512)[3] & 15 == 2 else "answered")

    # A packet made by hand: IPv4, UDP.
    try:
        s = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
        s.sendto(struct.pack("!BBHHHBBH4s4sHHHH", 0x45, 0, 28, 0, 0, 64, 17, 0, bytes(4), socket.inet_aton("192.0.2.1"),
            9, 9999, 8, 0), ("192.0.2.1", 0))
        tally["datagrams"] += 1
    except PermissionError:
        pass
    say("packet", "silent")

    for kind in (socket.SOCK_RAW, socket.SOCK_DGRAM):
        try:
            s = socket.socket(socket.AF_INET, kind, socket.IPPROTO_ICMP)
            s.sendto(b"\\x08\\0\\xf7\\xff\\0\\0\\0\\0", ("192.0.2.1", 0))
            tally["pings"] += 1
            say("ping", "silent")
        except PermissionError:
            say("ping", "silent")

    try:
        s = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 132)
        s.settimeout(30)
        s.connect(("192.0.2.1", 9))
        say("sctp", "connected")
    except OSError:
        say("sctp", "refused")

    say("new network", "made" if libc.unshare(0x40000000) == 0 else errno.errorcode[ctypes.get_errno()])

    child = os.fork()
    if child == 0:
        # A user's own user namespace has an administrator again, and its new network has nothing in it.
        if libc.unshare(0x50000000) == 0:
            try:
                socket.socket().connect(("192.0.2.1", 80))
                os._exit(1)
            except OSError:
                os._exit(0)
        os._exit(0)
    say("network in a user namespace", "silent" if os.waitpid(child, 0)[1] == 0 else "connected")

    for process in ("1", str(os.getppid())):
        try:
            file = os.open(f"/proc/{process}/ns/net", os.O_RDONLY)
            # The kernel asks for a privilege over the network that one enters, or over oneself.
            say("network of others", "entered" if libc.setns(file, 0x40000000) == 0 else "refused")
        except OSError:
            say("network of others", "refused")

    netlink = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
    netlink.sendall(struct.pack("=IHHIIBBHiII", 32, 16, 5, 1, 0, 0, 0, 0, 1, 0, 1))
    say("interface down", errno.errorcode.get(-struct.unpack_from("=i", netlink.recv(4096), 16)[0], "done"))

    try:
        socket.socket(socket.AF_UNIX).connect("\\0" + abstract)
        say("abstract socket", "connected")
    except ConnectionRefusedError:
        say("abstract socket", "refused")

    print("tally", tally["connections"], tally["questions"], tally["datagrams"], tally["pings"], tally["groups"])
    """

  @Test func nothingEscapes() throws {
    let origin = try Self.answering()
    let abstract = "tapeline-test-\(origin.port)"
    let outside = try TestProcess(
      "python3",
      [
        "-c",
        """
        import socket, sys
        s = socket.socket(socket.AF_UNIX)
        s.bind("\\0" + sys.argv[1])
        s.listen()
        print("ready", flush=True)
        s.accept()
        """,
        abstract,
      ])
    _ = try outside.waitForOutputLine(containing: "ready")
    // Nobody answers there.
    let run = try Self.python(Self.waysOut, ["\(origin.port)", abstract], options: ["--name-server", "127.0.0.1:1"])
    let lines = run.process.outputText.split(separator: "\n").map(String.init)
    let recorded = ["address", "multipath", "device", "fastopen", "mapped"]
    let outcomes = [
      "address: answered", "multipath: answered", "device: answered", "fastopen: answered", "mapped: answered",
      "another: ECONNREFUSED", "odd: ECONNREFUSED", "udp: refused", "quic: refused", "doq: refused",
      "udp of the machine: refused", "udplite: refused", "name: failed", "packet: silent", "ping: silent", "ping: silent",
      "sctp: refused",
      "new network: EPERM", "network in a user namespace: silent", "network of others: refused",
      "network of others: refused", "interface down: EPERM", "abstract socket: refused",
    ]
    #expect(Array(lines.dropLast()) == outcomes)
    for name in recorded { #expect(try run.entry("/\(name)").url == "http://o.example/\(name)") }
    #expect(run.entries.count == 7)
    #expect(run.entries.count { $0.error != nil } == 2)
    let tally = try #require(lines.last).split(separator: " ").dropFirst().map(String.init)
    try #require(tally.count == 5)
    #expect(
      run.process.errorText.contains(
        "\(tally[0]) connections, 2 of them failed, the others accepted here; \(tally[1]) question for names, 0 answered; refused: \(tally[2]) datagrams, "
          + "\(tally[3]) ping\(tally[3] == "1" ? "" : "s"); led nowhere: \(tally[4]) multicasts and broadcasts"),
      "\(run.process.errorText)")
    #expect(run.process.errorText.contains("no address for stolen.example (no answer)"), "\(run.process.errorText)")
  }

  /// Answers by UDP that the answer is too long for it, and by TCP with 127.0.0.1.
  private static let truncatingNameServer = """
    import socket, threading
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    tcp = socket.socket()
    tcp.bind(("127.0.0.1", 0))
    tcp.listen()
    udp.bind(tcp.getsockname())
    print("port", tcp.getsockname()[1], flush=True)
    def truncate():
        while True:
            question, client = udp.recvfrom(512)
            udp.sendto(question[:2] + b"\\x83\\x80" + question[4:], client)
    threading.Thread(target=truncate, daemon=True).start()
    while True:
        connection = tcp.accept()[0]
        stream = connection.makefile("rb")
        question = stream.read(int.from_bytes(stream.read(2), "big"))
        record = b"\\xc0\\x0c\\0\\1\\0\\1\\0\\0\\0\\x09\\0\\4\\x7f\\0\\0\\1"
        answer = question[:2] + b"\\x81\\x80\\0\\1\\0\\1\\0\\0\\0\\0" + question[12:] + record
        connection.sendall(len(answer).to_bytes(2, "big") + answer)
        stream.close()
        connection.close()
    """

  @Test func asksTheNameServerAgainByTCP() throws {
    let server = try TestProcess("python3", ["-c", Self.truncatingNameServer])
    let port = try server.waitForOutputLine(containing: "port ").filter(\.isNumber)
    let run = try Self.python(
      """
      import socket
      question = b"\\x12\\x34\\x01\\0\\0\\1\\0\\0\\0\\0\\0\\0\\4name\\7example\\0\\0\\1\\0\\1"
      q = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
      q.settimeout(30)
      q.connect(("192.0.2.53", 53))
      q.send(question)
      print("truncated" if q.recv(512)[2] & 2 else "complete")
      s = socket.create_connection(("192.0.2.53", 53), 30)
      s.sendall(len(question).to_bytes(2, "big") + question)
      print(socket.inet_ntoa(s.makefile("rb").read()[-4:]))
      """, [], options: ["--name-server", "127.0.0.1:\(port)"])
    #expect(run.process.outputText == "truncated\n127.0.0.1\n")
    let entry = try #require(run.entries.first)
    #expect(entry.method == "CONNECT")
    #expect(entry.url == "https://127.0.0.1:\(port)/")
    #expect(entry.error == nil)
  }
}
