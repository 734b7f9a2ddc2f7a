internal import TapelineTLS
internal import TapelineTransport

/// The application protocols of an intercepted client and of its origin (RFC 7301): the origin is offered what the client offers,
/// and the client is answered what the origin chooses.
struct ProtocolMirror {
  /// How far the origin has answered.
  enum Answer: Hashable {
    /// `nil`: it does without ALPN.
    case chose(ApplicationProtocol?)
    /// Its handshake failed.
    case failed(TransportError)
    /// There is no connection to it, or it takes too long.
    case missing
  }

  /// The offers for the origin: the client's, in its order, without those that are not spoken here.
  let offered: [ApplicationProtocol]

  /// - Parameter offers: those of the client's hello.
  init(_ offers: [ApplicationProtocol], speaksHTTP2: Bool) {
    offered = offers.filter { $0 == .http11 || speaksHTTP2 && $0 == .http2 }
  }

  /// Whether the client's answer depends on the origin's. Otherwise there is nothing to choose from.
  var awaitsOrigin: Bool { offered.contains(.http11) && offered.contains(.http2) }

  /// The client's answer, among what it offers. HTTP/2 can be translated to any origin, and is what the client prefers.
  func choice(after answer: Answer) -> ApplicationProtocol {
    switch answer {
    case .chose(let chosen?) where offered.contains(chosen): chosen
    case .chose(nil) where offered.contains(.http11): .http11
    case .chose, .failed, .missing: offered.contains(.http2) ? .http2 : .http11
    }
  }
}
