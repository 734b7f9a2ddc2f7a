import TapelineHTTP
import TapelineTLS
import TapelineTestSupport

@testable import TapelineTransport

extension ScriptedOrigin {
  /// An origin that speaks TLS: `script` runs on each connection once the handshake is complete.
  convenience init(
    _ authority: TestAuthority, credentials: TLSCredentials? = nil, context: TLSServerContext? = nil,
    script: @escaping @Sendable (_ peer: SecurePeer, _ connection: Int) throws -> Void
  ) throws {
    let credentials = try credentials ?? authority.credentials(for: "localhost")
    let context = context ?? authority.serverContext
    try self.init { _ in
      [
        .run { connection in
          let peer = try SecurePeer(server: context, credentials: credentials, on: connection)
          try peer.handshake()
          try script(peer, connection.number)
        }
      ]
    }
  }

  func secureRoute(_ serverName: String = "localhost") -> Route {
    Route(host: "127.0.0.1", port: port, security: .tls(serverName: serverName))
  }
}

extension OutgoingRequest {
  static func secureGet(
    _ origin: ScriptedOrigin, serverName: String = "localhost", prepared: PreparedConnection? = nil
  ) throws -> OutgoingRequest {
    OutgoingRequest(
      head: try RequestHead(method: .get, target: "https://\(origin.authority)/"), framing: .none,
      route: origin.secureRoute(serverName), prepared: prepared)
  }

  static func securePost(_ origin: ScriptedOrigin, framing: BodyFraming) throws -> OutgoingRequest {
    OutgoingRequest(
      head: try RequestHead(method: .post, target: "https://\(origin.authority)/"), framing: framing, route: origin.secureRoute())
  }
}
