import TapelineTLS
import TapelineTestSupport

/// A scripted origin's side of a TLS connection, for the `run` step of its script: blocking, on the connection's own thread.
final class SecurePeer {
  let connection: OriginConnection
  let engine: TLSEngine
  private let buffer = PlaintextBuffer()
  /// What was decrypted and not taken.
  private var received: [UInt8] = []
  private(set) var wasEnded = false

  init(server context: TLSServerContext, credentials: TLSCredentials, on connection: OriginConnection) throws {
    self.connection = connection
    engine = try TLSEngine(server: context, credentials: credentials)
  }

  /// Completes the handshake; of one that fails, sends the alert first.
  func handshake() throws {
    do {
      while !engine.isEstablished {
        let record = try receiveRecord()
        _ = try engine.handshake(record.span)
        try flush()
      }
    } catch {
      try flush()
      throw error
    }
  }

  func send(_ text: String) throws {
    try send(Array(text.utf8))
  }

  func send(_ bytes: [UInt8]) throws {
    var output: [UInt8] = []
    try engine.write(bytes.span, into: &output)
    try connection.send(output)
  }

  /// What comes next up to and including `mark`.
  func receive(through mark: String) throws -> String {
    while true {
      if let match = received.firstRange(of: Array(mark.utf8)) {
        defer { received.removeFirst(match.upperBound) }
        return String(decoding: received[..<match.upperBound], as: UTF8.self)
      }
      try receiveMore()
    }
  }

  func receive(exactly count: Int) throws -> [UInt8] {
    while received.count < count { try receiveMore() }
    defer { received.removeFirst(count) }
    return Array(received.prefix(count))
  }

  @discardableResult
  func receiveHead() throws -> String {
    try receive(through: "\r\n\r\n")
  }

  /// Waits for the peer's close_notify; what comes before it is answered.
  func receiveEnd() throws -> [UInt8] {
    while !wasEnded { try receiveMore() }
    return received
  }

  func respond(body: String) throws {
    try send("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
  }

  /// Says close_notify; the connection stays open.
  func shutdownOutput() throws {
    var output: [UInt8] = []
    engine.shutdownOutput(into: &output)
    try connection.send(output)
  }

  private func receiveMore() throws {
    guard !wasEnded else { throw TestSupportError.ended(.closed, waitingFor: "more plaintext", received: received) }
    let record = try receiveRecord()
    let input = try engine.receive(record.span, using: buffer) { bytes in
      unsafe bytes.withUnsafeBufferPointer { unsafe received.append(contentsOf: $0) }
    }
    try flush()
    wasEnded = input == .ended
  }

  /// One record (RFC 8446 5.1).
  private func receiveRecord() throws -> [UInt8] {
    let header = try connection.receive(exactly: 5)
    return header + (try connection.receive(exactly: Int(header[3]) << 8 | Int(header[4])))
  }

  private func flush() throws {
    guard engine.hasCiphertext else { return }
    var output: [UInt8] = []
    engine.takeCiphertext(into: &output)
    try connection.send(output)
  }
}
