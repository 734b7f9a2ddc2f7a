import TapelineTestSupport
import Testing

extension EndToEnd.RunAll {
  /// Runs its arguments in a network of its own, in which every address is this machine's and some ports have a server, and
  /// prints who was spoken to there: what has left the command's network.
  private static let world = """
    import socket, struct, subprocess, sys, threading
    for words in ("link set lo up", "address add 192.0.2.2/32 dev lo", "route add local default dev lo src 192.0.2.2",
                  "-6 address add 2001:db8::2/128 dev lo nodad", "-6 route add local default dev lo src 2001:db8::2"):
        subprocess.run(["ip"] + words.split(), check=True)
    ear = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    ear.bind(("lo", 0))
    ear.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 24)
    left = set()

    def listen():
        while True:
            frame, (_, _, kind, _, _) = ear.recvfrom(65600)
            if kind != socket.PACKET_OUTGOING:
                continue
            packet = frame[14:]
            old = packet[0] >> 4 == 4
            protocol, address = (packet[9], packet[16:20]) if old else (packet[6], packet[24:40])
            body = packet[(packet[0] & 15) * 4:] if old else packet[40:]
            where = socket.inet_ntop(socket.AF_INET if old else socket.AF_INET6, address)
            source, port = struct.unpack("!HH", body[:4])
            if protocol == 6:
                if body[13] & 0x12 == 2:
                    left.add(f"tcp {where} {port}")
            elif protocol == 17 and port == 9:
                return
            elif protocol == 17:
                left.add(f"udp {where} {port}")
            # What the kernel says by itself: unreachable ports, and who its neighbours are.
            elif not (protocol == 1 and body[0] == 3 or protocol == 58 and (body[0] == 1 or body[0] >= 130) or protocol == 0):
                left.add(f"protocol {protocol} to {where}")

    listener = threading.Thread(target=listen)
    listener.start()

    def serve(server):
        while True:
            client = server.accept()[0]
            client.recv(4096)
            client.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 10\\r\\nConnection: close\\r\\n\\r\\nthe answer")
            client.close()

    for port in (8080, 8081, 53, 853):
        server = socket.create_server(("::", port), family=socket.AF_INET6, dualstack_ipv6=True)
        threading.Thread(target=serve, args=(server,), daemon=True).start()
    abstract = socket.socket(socket.AF_UNIX)
    abstract.bind("\\0tapeline-way-out")
    abstract.listen()
    inherited = socket.create_connection(("192.0.2.9", 8081))
    status = subprocess.run(sys.argv[1:] + [str(inherited.fileno())], pass_fds=[inherited.fileno()]).returncode
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"", ("127.0.0.1", 9))
    listener.join()
    for line in sorted(left):
        print("left:", line)
    sys.exit(status)
    """

  /// Who starts tapeline in the world.
  enum Starter: CaseIterable {
    case administrator
    case user

    var launcher: [String] { self == .user ? OrdinaryUser.launcher : [] }

    static var possible: [Starter] { OrdinaryUser.hasNetworks ? allCases : [.administrator] }
  }

  @Test("No way leads out past the recording, and nothing of ours is the command's", arguments: Starter.possible)
  func nothingEscapes(starter: Starter) throws {
    let run = try RunRecording(
      trusting: TestAuthority(), through: ["unshare", "-Urn", "python3", "-c", Self.world] + starter.launcher,
      options: ["--all"], ["python3", "-c", WaysOut.program, "8080", "tapeline-way-out"], seconds: 120)
    var lines = run.process.outputText.split(separator: "\n").map(String.init)
    let left = lines.filter { $0.hasPrefix("left: ") }.map { $0.dropFirst(6) }
    lines.removeAll { $0.hasPrefix("left: ") }
    let tally = try #require(lines.last).split(separator: " ").dropFirst().map(String.init)
    lines.removeLast()
    try #require(tally.count == 5 && lines.count == WaysOut.all.count, "\(run.process.outputText)\(run.process.errorText)")

    var answered: Set<String> = []
    for (way, line) in zip(WaysOut.all, lines) {
      let words = line.split(separator: " ")
      let outcome = WayOutcome(rawValue: String(words.dropFirst().first ?? ""))
      #expect(words.first == "\(way.name):" && way.outcomes.contains { $0 == outcome }, "\(line)")
      if outcome == .answered { answered.insert(way.name) }
    }
    // Whatever a server answered is in the log, but for the question, which is counted, and the socket, which is named.
    for name in answered.subtracting(["a-name-that-carries-something", "TCP-by-a-socket-that-was-inherited"]) {
      _ = try run.entry("/\(name)")
    }
    #expect(run.process.errorText.contains("given 1 socket of another network"), "\(run.process.errorText)")

    // Whoever was spoken to outside is an entry's server, the name server or the inherited socket's.
    func isRecorded(_ address: Substring) -> Bool {
      run.entries.contains { ($0.tree["serverIPAddress"]?.string).map { $0 == address } ?? $0.url.contains(address) }
    }
    #expect(left.contains("udp 198.51.100.7 53"), "\(left)")
    for line in left where line != "udp 198.51.100.7 53" && line != "tcp 192.0.2.9 8081" {
      #expect(line.hasPrefix("tcp ") && isRecorded(line.split(separator: " ")[1]), "\(line)")
    }
    #expect(
      run.process.errorText.contains("the command's network: \(tally[0]) connections"), "\(tally) \(run.process.errorText)")
    #expect(
      run.process.errorText.contains(
        "\(tally[1]) question for names, 0 answered; refused: \(tally[2]) datagrams, \(tally[3]) ping"
          + "\(tally[3] == "1" ? "" : "s"); led nowhere: \(tally[4]) multicasts and broadcasts"),
      "\(tally) \(run.process.errorText)")
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
