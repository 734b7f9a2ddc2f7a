internal import Synchronization

/// A TCP server on an ephemeral loopback port that plays a script on each connection and records exactly what it received.
///
/// It has its own threads: one that accepts, and one per connection. `stop`, or releasing the last reference, ends them.
package final class ScriptedOrigin: Sendable {
  /// The script of the connection with this number, counted from 0.
  package typealias Script = @Sendable (_ connection: Int) -> [OriginStep]

  package let loopback: Loopback
  package let port: UInt16
  private let floor: OriginFloor
  private let acceptor: Mutex<TestThread?>

  /// - Parameters:
  ///   - backlog: connections that the kernel completes before they are accepted; with 0 it completes one.
  ///   - acceptsAtOnce: `false` leaves connections in the backlog until `startAccepting`.
  ///   - acceptDelay: milliseconds between a connection's arrival in the backlog and its acceptance.
  ///   - patience: seconds after which a step that waits for the peer gives up.
  package init(
    on loopback: Loopback = .v4, backlog: Int32 = 256, acceptsAtOnce: Bool = true, acceptDelay: Int = 0, patience: Int64 = 20,
    scripts: @escaping Script
  ) throws(TestSupportError) {
    let listener = try ListeningSocket(on: loopback, backlog: backlog)
    self.loopback = loopback
    port = listener.port
    floor = OriginFloor(listener: listener, acceptDelay: acceptDelay, patience: patience, scripts: scripts)
    acceptor = Mutex(nil)
    if acceptsAtOnce {
      try startAccepting()
    }
  }

  /// The same script on every connection.
  package convenience init(
    on loopback: Loopback = .v4, backlog: Int32 = 256, acceptsAtOnce: Bool = true, acceptDelay: Int = 0, patience: Int64 = 20,
    _ script: [OriginStep]
  ) throws(TestSupportError) {
    try self.init(
      on: loopback, backlog: backlog, acceptsAtOnce: acceptsAtOnce, acceptDelay: acceptDelay, patience: patience,
      scripts: { _ in script })
  }

  deinit {
    stop()
  }

  /// `host:port`, as in a URL or a `Host` field.
  package var authority: String { "\(loopback.host):\(port)" }

  package func url(_ path: String = "/") -> String { "http://\(authority)\(path)" }

  /// All connections so far, in order of acceptance.
  package var connections: [OriginConnection] { floor.connections }

  /// All requests that `expectRequest` took so far, connection by connection.
  package var requests: [RawMessage] { connections.flatMap(\.requests) }

  /// Waits until a client is held up by the full backlog: the kernel has dropped its SYN, which the client will send again.
  package func waitForDroppedSYN(seconds: Int64 = 10) throws(TestSupportError) {
    let deadline = Deadline.after(seconds: seconds)
    // proc_pid_net(5): `sl local_address rem_address st …`, ports in hexadecimal, state 02 is SYN-SENT. The file must be polled.
    let port = String(port, radix: 16, uppercase: true)
    let end = ":" + String(repeating: "0", count: 4 - port.count) + port
    while !deadline.hasPassed {
      for line in try readText("/proc/net/tcp").split(separator: "\n") {
        let fields = line.split(separator: " ", maxSplits: 4)
        if fields.count > 3, fields[2].hasSuffix(end), fields[3] == "02" { return }
      }
      pause(milliseconds: 1)
    }
    throw .timedOut(waitingFor: "a client that connects in vain")
  }

  package func startAccepting() throws(TestSupportError) {
    let floor = floor
    let thread = try TestThread { floor.acceptAll() }
    acceptor.withLock { $0 = thread }
  }

  /// Waits until `count` connections have been accepted.
  package func waitForConnections(_ count: Int, seconds: Int64 = 10) throws(TestSupportError) -> [OriginConnection] {
    try floor.wait(for: "\(count) connections", before: .after(seconds: seconds)) { $0.connections.count >= count }
  }

  /// Waits until `expectRequest` has taken `count` requests, on all connections together.
  package func waitForRequests(_ count: Int, seconds: Int64 = 10) throws(TestSupportError) -> [OriginConnection] {
    try floor.wait(for: "\(count) requests", before: .after(seconds: seconds)) { $0.requests >= count }
  }

  /// Waits until the scripts of `count` connections have run to their end.
  package func waitForFinished(_ count: Int, seconds: Int64 = 10) throws(TestSupportError) -> [OriginConnection] {
    try floor.wait(for: "\(count) scripts to end", before: .after(seconds: seconds)) { $0.finished >= count }
  }

  /// Stops accepting, ends every connection, and waits for the threads.
  package func stop() {
    floor.stop()
    acceptor.withLock { thread in
      thread?.join()
      thread = nil
    }
    floor.joinConnections()
  }
}

/// The next step of a scripted origin on one connection.
package enum OriginStep: Sendable {
  /// Waits for a head, up to its empty line.
  case expectHead
  /// Waits for a head and the body that its fields announce; answers `Expect: 100-continue` on the way.
  case expectRequest
  /// Waits for this many bytes.
  case expect(bytes: Int)
  /// Waits until the peer ends its side, by FIN or RST.
  case expectEnd
  case send([UInt8])
  /// Waits: the server's slowness is part of the script.
  case delay(milliseconds: Int)
  /// Sends FIN and goes on receiving.
  case halfClose
  case close
  /// Closes with RST.
  case reset
  /// Repeats the steps until the peer ends its side between two rounds.
  case forever([OriginStep])
  /// Waits for a whole request and sends the response that the closure makes for it.
  case answer(@Sendable (RawMessage) -> [UInt8])
  /// Runs any other code, on the connection's own thread.
  case run(@Sendable (OriginConnection) throws -> Void)

  package static func send(_ text: String) -> OriginStep {
    .send(Array(text.utf8))
  }

  /// A whole response with a length.
  package static func respond(_ status: String = "200 OK", fields: [String] = [], body: String = "") -> OriginStep {
    respond(status, fields: fields, body: Array(body.utf8))
  }

  package static func respond(_ status: String = "200 OK", fields: [String] = [], body: [UInt8]) -> OriginStep {
    let lines = ["HTTP/1.1 \(status)"] + fields + ["Content-Length: \(body.count)", "", ""]
    return .send(Array(lines.joined(separator: "\r\n").utf8) + body)
  }

  /// A whole response, sent in pieces with `milliseconds` between them.
  package static func respond(inPieces pieces: [[UInt8]], every milliseconds: Int) -> [OriginStep] {
    let length = pieces.map(\.count).reduce(0, +)
    let head = Array("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n".utf8)
    return [.send(head + (pieces.first ?? []))] + pieces.dropFirst().flatMap { [.delay(milliseconds: milliseconds), .send($0)] }
  }
}
