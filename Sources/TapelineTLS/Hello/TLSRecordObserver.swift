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
