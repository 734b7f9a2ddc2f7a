@testable import TapelineTLS

/// One engine, driven as the owner of a socket drives it.
final class EngineEnd {
  let engine: TLSEngine
  private(set) var received: [UInt8] = []
  private(set) var deliveries = 0
  private(set) var failure: TLSError?
  private(set) var sessions: [TLSSession] = []
  private(set) var hasEnded = false
  /// What the owner has to send.
  private var outgoing: [UInt8] = []
  private let buffer: PlaintextBuffer
  /// What to do with plaintext inside its delivery.
  var onDelivery: ((EngineEnd) -> Void)?

  init(_ engine: TLSEngine, buffer: PlaintextBuffer) {
    self.engine = engine
    self.buffer = buffer
  }

  func start() {
    attempt { () throws(TLSError) in try engine.start() }
  }

  func choose(_ protocols: [ApplicationProtocol]) {
    attempt { () throws(TLSError) in try engine.choose(protocols) }
  }

  func feed(_ bytes: Span<UInt8>) {
    attempt { () throws(TLSError) in
      var used = 0
      if !engine.isEstablished { used = try engine.handshake(bytes) }
      guard engine.isEstablished else { return }
      let input = try engine.receive(bytes.extracting(droppingFirst: used), using: buffer) { plaintext in
        deliveries += 1
        for index in plaintext.indices { received.append(plaintext[index]) }
        onDelivery?(self)
      }
      switch input {
      case .open: break
      case .ended: hasEnded = true
      }
    }
    while let session = engine.takeSession() { sessions.append(session) }
  }

  func write(_ bytes: [UInt8]) {
    attempt { () throws(TLSError) in try engine.write(bytes.span, into: &outgoing) }
  }

  func shutdownOutput() {
    engine.shutdownOutput(into: &outgoing)
  }

  func receiveEnd() {
    attempt { () throws(TLSError) in try engine.receiveEnd() }
  }

  func takeOutgoing() -> [UInt8] {
    engine.takeCiphertext(into: &outgoing)
    defer { outgoing = [] }
    return outgoing
  }

  func takeReceived() -> [UInt8] {
    defer { received = [] }
    return received
  }

  private func attempt(_ body: () throws(TLSError) -> Void) {
    do throws(TLSError) {
      try body()
    } catch {
      failure = error
    }
  }
}
