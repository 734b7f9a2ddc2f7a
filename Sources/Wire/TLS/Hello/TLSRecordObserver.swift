/// Watches a tunnel: reads the two hellos, and record headers until encryption begins, then needs no more bytes.
///
/// It never fails and never holds more than two hellos. It stops watching a tunnel that is not TLS or stops being TLS.
package struct TLSRecordObserver: Sendable {
  package enum Direction: Sendable, Hashable {
    case toServer
    case toClient
  }

  package struct Alert: Sendable, Hashable {
    package let alert: TLSAlert
    /// The direction in which it went.
    package let direction: Direction
  }

  package private(set) var clientHello: ClientHello?
  package private(set) var serverHello: ServerHello?
  /// An unencrypted alert; in TLS 1.3 the alerts after the hellos are encrypted.
  package private(set) var alert: Alert?
  /// Whether there is nothing more to learn: later bytes need not be passed.
  package private(set) var isDone = false

  private var toServer = ObservedDirection(.clientHello)
  private var toClient = ObservedDirection(.serverHello)

  package init() {}

  /// Takes the bytes that pass: all bytes of each direction, from its first byte on.
  package mutating func observe(_ bytes: Span<UInt8>, _ direction: Direction) {
    var position = 0
    while !isDone, position < bytes.count {
      switch direction {
      case .toServer:
        toServer.observe(bytes, from: &position)
        if clientHello == nil, toServer.isHelloComplete {
          clientHello = toServer.readHello { ClientHello($0) }
          if clientHello == nil { isDone = true }
        }
      case .toClient:
        toClient.observe(bytes, from: &position)
        if serverHello == nil, toClient.isHelloComplete {
          serverHello = toClient.readHello { ServerHello($0) }
          if serverHello == nil { isDone = true }
        }
      }
      finishIfNothingIsLeft()
    }
  }

  private mutating func finishIfNothingIsLeft() {
    if let alert = toServer.alert {
      self.alert = Alert(alert: alert, direction: .toServer)
    } else if let alert = toClient.alert {
      self.alert = Alert(alert: alert, direction: .toClient)
    }
    let isOver = toServer.isOver || toClient.isOver
    let isEncrypted = toServer.isEncrypted && toClient.isEncrypted
    // After a TLS 1.3 ServerHello everything is encrypted.
    let isModern = clientHello != nil && serverHello?.version.map { $0 >= .tls13 } ?? false
    if alert != nil || isOver || isEncrypted || isModern { isDone = true }
  }
}

/// One direction of a tunnel, for `TLSRecordObserver`.
struct ObservedDirection: Sendable {
  private var walker = RecordWalker()
  private var message: HandshakeMessage
  /// How many of an alert's two bytes have arrived; they may arrive separately, the level first.
  private var alertCount = 0
  private var byteCount = 0
  private(set) var isHelloComplete = false
  /// A fatal alert that was not encrypted.
  private(set) var alert: TLSAlert?
  /// Whether encryption has begun.
  private(set) var isEncrypted = false
  /// Whether this direction is not TLS, or has more unencrypted bytes than any handshake needs.
  private(set) var isOver = false

  /// The unencrypted certificates of TLS 1.2 are the longest part.
  private static let sizeLimit = 256 * 1024

  init(_ kind: HandshakeMessage.Kind) {
    message = HandshakeMessage(kind)
  }

  /// Looks at `bytes` from `position` on, but not beyond the end of the hello: its content decides whether the rest means
  /// anything.
  mutating func observe(_ bytes: Span<UInt8>, from position: inout Int) {
    let start = position
    defer { byteCount += position - start }
    while alert == nil, !isEncrypted, !isOver {
      switch walker.next(in: bytes, from: &position) {
      case .needsMore:
        if byteCount + position - start > Self.sizeLimit { isOver = true }
        return
      case .invalid:
        isOver = true
      case .fragment(let fragment):
        let wasComplete = isHelloComplete
        look(at: fragment, bytes.extracting(fragment.range))
        if isHelloComplete != wasComplete { return }
      }
    }
    position = bytes.count
  }

  private mutating func look(at fragment: RecordWalker.Fragment, _ bytes: Span<UInt8>) {
    switch fragment.type {
    case .handshake:
      guard !isHelloComplete else { return }
      switch message.append(bytes) {
      case .incomplete: break
      case .complete: isHelloComplete = true
      case .invalid: isOver = true
      }
    case .alert:
      // An encrypted alert is longer than its level and description.
      guard fragment.recordLength == 2 else {
        isEncrypted = true
        return
      }
      alertCount += bytes.count
      if alertCount == 2 { alert = TLSAlert(code: bytes[bytes.count - 1]) }
    case .changeCipherSpec, .applicationData:
      if isHelloComplete { isEncrypted = true } else { isOver = true }
    }
  }

  fileprivate func readHello<Hello>(_ body: (Span<UInt8>) -> Hello?) -> Hello? {
    message.read(body)
  }
}
