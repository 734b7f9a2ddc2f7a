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

  func readHello<Hello>(_ body: (Span<UInt8>) -> Hello?) -> Hello? {
    message.read(body)
  }
}
