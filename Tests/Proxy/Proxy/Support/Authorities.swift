import TapelineTLS
import TapelineTestSupport

@testable import TapelineProxy

/// Whom the parties of a test trust: the proxy's own authority, which clients may trust, and the origins', which the proxy may
/// trust.
final class Authorities: Sendable {
  /// Made once: keys are dear.
  static let shared = Result { try Authorities() }

  let certificates: LeafCertificateCache
  let ours: TrustStore
  private let originCertificates: LeafCertificateCache
  private let origins: TrustStore
  private let serverContext: TLSServerContext
  private let directories: [TemporaryDirectory]

  private init() throws {
    let mine = try TemporaryDirectory()
    let theirs = try TemporaryDirectory()
    directories = [mine, theirs]
    let myDirectory = AuthorityDirectory(path: mine.path("authority"))
    let theirDirectory = AuthorityDirectory(path: theirs.path("authority"))
    certificates = try LeafCertificateCache(authority: try CertificateAuthority.loadOrCreate(in: myDirectory))
    originCertificates = try LeafCertificateCache(authority: try CertificateAuthority.loadOrCreate(in: theirDirectory))
    ours = try TrustStore.only(myDirectory.certificateFile)
    origins = try TrustStore.only(theirDirectory.certificateFile)
    serverContext = try TLSServerContext()
  }

  // MARK: The proxy

  func interception(protocols: [ApplicationProtocol] = [.http11]) throws -> Interception {
    Interception(certificates: certificates, context: try TLSServerContext(applicationProtocols: protocols))
  }

  /// How the proxy looks at origins.
  func upstream(
    trustsOrigins: Bool = true, verifies: Bool = true, protocols: [ApplicationProtocol] = [.http11]
  ) throws -> TLSClientContext {
    try TLSClientContext(trust: trustsOrigins ? origins : ours, verifies: verifies, applicationProtocols: protocols)
  }

  // MARK: Origins

  /// A script's step: TLS as `host`, then `body`.
  func secure(
    as host: String = "localhost", by context: TLSServerContext? = nil, _ body: @escaping @Sendable (SecureStream) throws -> Void
  ) -> OriginStep {
    .run { [self] connection in
      let engine = try TLSEngine(
        server: context ?? serverContext, credentials: try originCertificates.credentials(for: host).credentials)
      let stream = SecureStream(engine, over: connection)
      try stream.handshake()
      try body(stream)
    }
  }

  /// Answers requests with their own start line until the peer leaves.
  func echo(as host: String = "localhost") -> OriginStep {
    secure(as: host) { stream in
      while !stream.wasEnded {
        let line = try stream.receive(through: "\r\n\r\n").prefix { $0 != "\r\n" }
        try stream.send("HTTP/1.1 200 OK\r\nContent-Length: \(line.utf8.count)\r\n\r\n\(line)")
      }
    }
  }

  /// An origin that speaks HTTP/2 alone, over TLS.
  func http2Origin(script: @escaping @Sendable (_ peer: HTTP2Peer, _ connection: Int) throws -> Void) throws -> ScriptedOrigin {
    let tls = HTTP2Origin.TLS(
      context: try TLSServerContext(applicationProtocols: [.http2]),
      credentials: try originCertificates.credentials(for: "localhost").credentials)
    return try HTTP2Origin.start(tls, script: script)
  }

  // MARK: Clients

  enum ClientTrust {
    case ours
    case origins
  }

  /// A client inside a tunnel.
  func client(
    over client: RawClient, trusting trust: ClientTrust = .ours, serverName: String = "localhost",
    protocols: [ApplicationProtocol] = [.http11], policy: TLSPolicy = .secure
  ) throws -> SecureStream {
    let store =
      switch trust {
      case .ours: ours
      case .origins: origins
      }
    let context = try TLSClientContext(trust: store, policy: policy, applicationProtocols: protocols)
    return SecureStream(try TLSEngine(client: context, serverName: serverName), over: client)
  }
}

extension ProxyHarness {
  /// A proxy that intercepts, and whose clients find their origins trusted.
  static func intercepting(
    speaksHTTP2: Bool = false, _ configure: (inout ProxyConfiguration, inout Interception) throws -> Void = { _, _ in }
  ) throws -> ProxyHarness {
    let authorities = try Authorities.shared.get()
    let protocols: [ApplicationProtocol] = speaksHTTP2 ? [.http2, .http11] : [.http11]
    var interception = try authorities.interception(protocols: protocols)
    let upstream = try authorities.upstream(protocols: protocols)
    return try ProxyHarness { configuration in
      configuration.speaksHTTP2 = speaksHTTP2
      configuration.upstreamTLS = upstream
      try configure(&configuration, &interception)
      configuration.interception = interception
    }
  }

  /// A client whose tunnel to `origin` stands.
  func tunnel(to origin: ScriptedOrigin) throws -> RawClient {
    let client = try connect()
    try client.send("CONNECT \(origin.authority) HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n")
    guard try client.receiveHead().status == 200 else { throw Overdue() }
    return client
  }
}
