import Synchronization
import TapelineTestSupport

@testable import TapelineTLS

/// An HTTPS server in this process: answers each request with 200 and closes, and writes down what reached it.
final class SecureOrigin: Sendable {
  /// What the server has seen of a connection whose handshake was completed.
  struct Visit: Sendable {
    var head = ""
    let isResumed: Bool
    /// What the client has shown above its own certificate (OpenSSL does not count that one in at servers).
    let clientChain: [[UInt8]]
  }

  private let ledger = Ledger()
  private let origin: ScriptedOrigin

  init(_ credentials: TLSCredentials, context: TLSServerContext) throws {
    origin = try ScriptedOrigin { [ledger] _ in
      [
        .run { connection in
          let peer = try SecurePeer(connection, TLSEngine(server: context, credentials: credentials))
          try peer.handshake()
          ledger.visits.withLock { $0.append(peer.visit) }
          let head = try peer.receiveHead()
          ledger.visits.withLock { $0[$0.count - 1].head = head }
          try peer.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
        }
      ]
    }
  }

  /// In the order in which their handshakes ended; requests come one after the other.
  var visits: [Visit] { ledger.visits.withLock { $0 } }

  func url(_ host: String = "localhost") -> String { "https://\(host):\(origin.port)/" }

  private final class Ledger: Sendable {
    let visits = Mutex<[Visit]>([])
  }
}

/// The server's side of one connection, blocking, on the connection's own thread.
private final class SecurePeer {
  private let connection: OriginConnection
  private let engine: TLSEngine
  private let buffer = PlaintextBuffer()
  private var received: [UInt8] = []

  init(_ connection: OriginConnection, _ engine: TLSEngine) {
    self.connection = connection
    self.engine = engine
  }

  var visit: SecureOrigin.Visit {
    SecureOrigin.Visit(isResumed: engine.parameters.isResumed, clientChain: engine.ssl.presentedChain.map(\.der))
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

  func receiveHead() throws -> String {
    while true {
      if let end = received.firstRange(of: Array("\r\n\r\n".utf8)) {
        return String(decoding: received[..<end.upperBound], as: UTF8.self)
      }
      let record = try receiveRecord()
      let input = try engine.receive(record.span, using: buffer) { bytes in
        for index in bytes.indices { received.append(bytes[index]) }
      }
      try flush()
      switch input {
      case .open: break
      case .ended: throw TestSupportError.ended(.closed, waitingFor: "a head", received: received)
      }
    }
  }

  func send(_ text: String) throws {
    var output: [UInt8] = []
    try engine.write(Array(text.utf8).span, into: &output)
    engine.shutdownOutput(into: &output)
    try connection.send(output)
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
