import TapelineTLS
import TapelineTestSupport

/// One end of a TLS connection over a blocking socket: a client of the proxy, or a scripted origin in its `run` step.
final class SecureStream {
  private enum Wire {
    case client(RawClient)
    case origin(OriginConnection)

    func send(_ bytes: [UInt8]) throws(TestSupportError) {
      switch self {
      case .client(let client): try client.send(bytes)
      case .origin(let connection): try connection.send(bytes)
      }
    }

    func receive(exactly count: Int) throws(TestSupportError) -> [UInt8] {
      switch self {
      case .client(let client): try client.receive(exactly: count)
      case .origin(let connection): try connection.receive(exactly: count)
      }
    }
  }

  private let engine: TLSEngine
  private let wire: Wire
  private let buffer = PlaintextBuffer()
  /// What was decrypted and not taken.
  private var received: [UInt8] = []
  private(set) var wasEnded = false

  init(_ engine: TLSEngine, over client: RawClient) {
    self.engine = engine
    wire = .client(client)
  }

  init(_ engine: TLSEngine, over connection: OriginConnection) {
    self.engine = engine
    wire = .origin(connection)
  }

  var parameters: TLSParameters { engine.parameters }

  // MARK: The handshake

  /// As a client. `pieces`: how many bytes of the hello go out at once.
  func connect(inPiecesOf size: Int = .max) throws {
    try sendHello(inPiecesOf: size)
    try handshake()
  }

  /// As a client, the first bytes only; behind `prefix`, in clear.
  func sendHello(after prefix: String = "", inPiecesOf size: Int = .max) throws {
    try engine.start()
    var hello = Array(prefix.utf8)
    engine.takeCiphertext(into: &hello)
    while !hello.isEmpty {
      let piece = Array(hello.prefix(size))
      hello.removeFirst(piece.count)
      try wire.send(piece)
    }
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

  /// One record (RFC 8446 5.1), as it came.
  func receiveRecord() throws -> [UInt8] {
    let header = try wire.receive(exactly: 5)
    return header + (try wire.receive(exactly: Int(header[3]) << 8 | Int(header[4])))
  }

  // MARK: Data

  func send(_ text: String) throws {
    try send(Array(text.utf8))
  }

  func send(_ bytes: [UInt8]) throws {
    var output: [UInt8] = []
    try engine.write(bytes.span, into: &output)
    try wire.send(output)
  }

  /// What comes next up to and including `mark`.
  @discardableResult
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

  /// A head, and the content that its length announces.
  func receiveMessage() throws -> (head: String, body: String) {
    let head = try receive(through: "\r\n\r\n")
    let length = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
    let count = length.flatMap { Int($0.drop { $0 != ":" }.dropFirst().filter { $0 != " " }) } ?? 0
    return (head, String(decoding: try receive(exactly: count), as: UTF8.self))
  }

  /// Everything until close_notify.
  func receiveToEnd() throws -> [UInt8] {
    while !wasEnded { try receiveMore() }
    return received
  }

  func shutdownOutput() throws {
    var output: [UInt8] = []
    engine.shutdownOutput(into: &output)
    try wire.send(output)
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

  private func flush() throws {
    guard engine.hasCiphertext else { return }
    var output: [UInt8] = []
    engine.takeCiphertext(into: &output)
    try wire.send(output)
  }
}
