import TapelineCore
import TapelineHTTP2
import TapelineLoop
import TapelineTLS
import TapelineTestSupport
import TapelineTransport

@testable import TapelineProxy

extension SecureStream: ByteWire {}

extension ProxyHarness {
  /// A proxy that is spoken to in HTTP/2.
  static func speakingHTTP2(_ configure: (inout ProxyConfiguration) throws -> Void = { _ in }) throws -> ProxyHarness {
    try ProxyHarness { configuration in
      configuration.speaksHTTP2 = true
      try configure(&configuration)
    }
  }

  /// A client that speaks HTTP/2 to the listener itself.
  func http2() throws -> HTTP2Client {
    HTTP2Client(over: try connect())
  }

  /// A proxy whose intercepted clients may choose HTTP/2.
  static func interceptingHTTP2(_ configure: (inout ProxyConfiguration) throws -> Void = { _ in }) throws -> ProxyHarness {
    let authorities = try Authorities.shared.get()
    return try ProxyHarness { configuration in
      configuration.upstreamTLS = try authorities.upstream()
      configuration.interception = Interception(
        certificates: authorities.certificates, context: try TLSServerContext(applicationProtocols: [.http2, .http11]))
      configuration.speaksHTTP2 = true
      try configure(&configuration)
    }
  }

  /// A client that speaks HTTP/2 alone, over TLS, in a tunnel to `origin`.
  func secureHTTP2(to origin: ScriptedOrigin) throws -> HTTP2Client {
    let authorities = try Authorities.shared.get()
    let stream = try authorities.client(over: try tunnel(to: origin), protocols: [.http2])
    try stream.connect()
    guard stream.parameters.applicationProtocol == .http2 else { throw Overdue() }
    return HTTP2Client(over: stream)
  }
}

extension ScriptedOrigin {
  /// The lines of a request for `path` of this origin.
  func request(
    _ path: String = "/", method: String = "GET", scheme: String = "http", _ fields: [(String, String)] = []
  ) -> [(String, String)] {
    [(":method", method), (":scheme", scheme), (":authority", authority), (":path", path)] + fields
  }
}

/// The network, as if each origin offered extended CONNECT (RFC 8441 3).
final class OfferingTransport: ProxyTransport {
  private let network: NetworkTransport

  init(_ network: NetworkTransport) {
    self.network = network
  }

  var keepsConnections: Bool { network.keepsConnections }
  var plaintextBuffer: PlaintextBuffer { network.plaintextBuffer }
  func shutdown() { network.shutdown() }

  func start(_ task: SessionTask) {
    if case .exchange(let request) = task.work { request.connections?.onEvent?(.offersExtendedConnect) }
    network.start(task)
  }
}
