internal import TapelineTLS

/// The first bytes of a client in a tunnel.
enum Greeting {
  /// Too little to tell.
  case incomplete
  case tls(ClientHello)
  /// TLS, whose hello breaks the rules.
  case malformedTLS
  /// An HTTP/1.x request.
  case http
  /// HTTP/2 in clear.
  case http2
  /// Anything else: not for us to read.
  case other

  var mayBeHTTP2: Bool {
    switch self {
    case .incomplete, .http2: true
    case .tls, .malformedTLS, .http, .other: false
    }
  }

  /// The first byte of a TLS record that holds a handshake message (RFC 8446 5.1). No HTTP method begins with it.
  static let tlsByte: UInt8 = 0x16

  /// Judges what has come so far, from the first byte on.
  ///
  /// - Parameter readsHTTP2: whether HTTP/2 is for us to read.
  static func peek(_ bytes: Span<UInt8>, readsHTTP2: Bool) -> Greeting {
    guard !bytes.isEmpty else { return .incomplete }
    guard bytes[0] == tlsByte else {
      return switch HTTP2Preface.judge(bytes) {
      case .complete where readsHTTP2: .http2
      case .incomplete where readsHTTP2: .incomplete
      case .complete, .incomplete, .other: peekMethod(bytes)
      }
    }
    return switch ClientHello.peek(bytes) {
    case .needsMore: .incomplete
    case .notTLS: .other
    case .malformed: .malformedTLS
    case .hello(let hello): .tls(hello)
    }
  }

  /// Only the usual methods with a path: other protocols have commands in capitals too, and CONNECT asks for a tunnel in the
  /// tunnel.
  private static let requests: [String] = [
    "GET /", "HEAD /", "POST /", "PUT /", "DELETE /", "OPTIONS /", "PATCH /", "TRACE /",
  ]

  private static func peekMethod(_ bytes: Span<UInt8>) -> Greeting {
    var greeting = Greeting.other
    for request in requests {
      let wanted = request.utf8
      let common = zip(wanted, bytes.indices).prefix { bytes[$1] == $0 }.count
      if common == wanted.count { return .http }
      if common == bytes.count { greeting = .incomplete }
    }
    return greeting
  }
}

/// The first bytes of a client that speaks HTTP/2 without having asked (RFC 9113 3.4). No HTTP/1 server may take them for a
/// request.
enum HTTP2Preface {
  case incomplete
  case complete
  case other

  /// The most of a server's preface that is waited for.
  private static let serverLimit = 1024

  /// Whether a server's first bytes may be its preface: a SETTINGS frame (RFC 9113 3.4).
  static func mayBeginServer(_ received: Span<UInt8>) -> Bool {
    let header: [UInt8?] = [0, nil, nil, 4, 0, 0, 0, 0, 0]
    guard received.count <= serverLimit else { return false }
    return zip(header, received.indices).allSatisfy { $0 == nil || $0 == received[$1] }
  }

  static let bytes = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

  static func mayBegin(with byte: UInt8) -> Bool { byte == bytes[0] }

  /// Judges what has come so far, from the first byte on.
  static func judge(_ received: Span<UInt8>) -> HTTP2Preface {
    let common = min(received.count, bytes.count)
    guard (0..<common).allSatisfy({ received[$0] == bytes[$0] }) else { return .other }
    return common == bytes.count ? .complete : .incomplete
  }

  /// RFC 9113 4.1.
  private static let frameHeader = 9
  /// PRIORITY, SETTINGS, WINDOW_UPDATE, PRIORITY_UPDATE (RFC 9113 6.3, 6.5, 6.9; RFC 9218 7.1).
  private static let framesOfPreface: Set<UInt8> = [2, 4, 8, 16]

  /// Whether the preface, complete, is followed by more than what a client says of itself: by a request, most likely.
  static func isFollowedByRequest(_ received: Span<UInt8>) -> Bool {
    var position = bytes.count
    while position + frameHeader <= received.count {
      let length = Int(received[position]) << 16 | Int(received[position + 1]) << 8 | Int(received[position + 2])
      guard framesOfPreface.contains(received[position + 3]) else { return true }
      position += frameHeader + length
    }
    return false
  }
}

extension ClientHello {
  /// The host that the client means. Some clients put a name into their hello that is not a host, such as `localhost:9751`: then
  /// it is the host that the tunnel leads to.
  func host(inTunnelTo target: String) -> String {
    namesHost ? serverName ?? target : target
  }

  /// Whether a certificate can be made for its name, if it has one.
  var namesHost: Bool {
    guard let serverName else { return true }
    do throws(AuthorityError) {
      _ = try LeafName(host: serverName)
      return true
    } catch {
      return false
    }
  }
}
