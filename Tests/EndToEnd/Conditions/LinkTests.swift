import TapelineTestSupport
import Testing

extension EndToEnd.RunAll {
  /// Prints how long connecting takes, a round trip, and the lookup of a name, in milliseconds.
  private static let pinging = """
    import socket, sys, time
    host, port = sys.argv[1], int(sys.argv[2])
    def milliseconds(body):
        began = time.monotonic()
        body()
        return (time.monotonic() - began) * 1000
    s = socket.socket()
    print(milliseconds(lambda: s.connect((host, port))))
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    def ask():
        s.sendall(f"GET / HTTP/1.1\\r\\nHost: {host}:{port}\\r\\n\\r\\n".encode())
        answer = b""
        while b"the answer" not in answer:
            answer += s.recv(4096)
    for _ in range(3):
        print(milliseconds(ask))
    """

  @Test func aLinkHasItsRoundTrip() throws {
    let origin = try Self.answering()
    let run = try Self.run(
      ["python3", "-c", Self.pinging, "127.0.0.1", "\(origin.port)"], options: ["--network", "rtt=80ms"])
    let times = run.process.outputText.split(separator: "\n").compactMap { Double($0) }
    try #require(times.count == 4, "\(run.process.outputText)\(run.process.errorText)")
    for time in times { #expect(time >= 80, "\(times)") }
    #expect(run.process.errorText.contains("the link (rtt=80ms): "), "\(run.process.errorText)")
    #expect(run.log.tree["log"]?["_network"]?["profile"]?.string == "rtt=80ms")
    #expect((run.log.tree["log"]?["_network"]?["packets"]?.integer ?? 0) > 10)
  }

  @Test func aLineHasItsRate() throws {
    let body = [UInt8](repeating: 7, count: 500_000)
    let origin = try ScriptedOrigin([.forever([.expectRequest, .respond(body: body)])])
    let run = try Self.run(
      ["curl", "-s", "--noproxy", "*", "-o", "/dev/null", "-w", "%{time_total} %{size_download}", origin.url("/a")],
      options: ["--network", "rtt=10ms,down=8Mbit,queue=1MB"])
    let words = run.process.outputText.split(separator: " ").compactMap { Double($0) }
    try #require(words.count == 2 && words[1] == 500_000, "\(run.process.outputText)\(run.process.errorText)")
    // The content alone takes the line 0.5 s.
    #expect(words[0] >= 0.5, "\(words)")
  }

  @Test func whatIsLostIsSentAgain() throws {
    let body = [UInt8](repeating: 7, count: 300_000)
    let origin = try ScriptedOrigin([.forever([.expectRequest, .respond(body: body)])])
    let run = try Self.run(
      ["curl", "-s", "--noproxy", "*", "-o", "/dev/null", "-w", "%{size_download}", origin.url("/a")],
      options: ["--network", "rtt=5ms,loss=3%", "--seed", "3"])
    #expect(run.process.outputText == "300000", "\(run.process.errorText)")
    #expect((run.log.tree["log"]?["_network"]?["lost"]?.integer ?? 0) > 0, "\(run.process.errorText)")
  }

  @Test func aNetworkThatIsNoneIsRefused() throws {
    let run = try TestProcess(TapelineProcess.binary, ["run", "--network", "slow-5g", "--", "true"])
    #expect(try run.wait() == .exited(64))
    #expect(run.errorText.contains("did you mean"), "\(run.errorText)")
  }
}
