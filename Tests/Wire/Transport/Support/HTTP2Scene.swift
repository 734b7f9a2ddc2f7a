import TapelineHTTP
import TapelineHTTP2
import TapelineTLS
import TapelineTestSupport

@testable import TapelineTransport

/// What tests of origins that speak HTTP/2 begin with.
struct HTTP2Scene {
  let authority: TestAuthority

  init() throws {
    authority = try TestAuthority()
  }

  /// An origin over TLS.
  func origin(
    choosing protocols: [ApplicationProtocol] = [.http2], limits: HTTP2Limits = HTTP2Limits(),
    offersExtendedConnect: Bool = false,
    script: @escaping @Sendable (_ peer: HTTP2Peer, _ connection: Int) throws -> Void
  ) throws -> ScriptedOrigin {
    let tls = HTTP2Origin.TLS(
      context: try TLSServerContext(applicationProtocols: protocols), credentials: try authority.credentials(for: "localhost"))
    return try HTTP2Origin.start(tls, limits: limits, offersExtendedConnect: offersExtendedConnect, script: script)
  }

  /// An origin that answers each request with its path.
  func echo(choosing protocols: [ApplicationProtocol] = [.http2], limits: HTTP2Limits = HTTP2Limits()) throws -> ScriptedOrigin {
    try origin(choosing: protocols, limits: limits) { peer, _ in try Self.echo(peer) }
  }

  static func echo(_ peer: HTTP2Peer) throws {
    while true {
      guard peer.applicationProtocol != .http11 else {
        let head = try peer.receiveHead()
        let path = head.split(separator: " ")[1]
        try peer.send("HTTP/1.1 200 OK\r\nContent-Length: \(path.utf8.count)\r\n\r\n\(path)")
        continue
      }
      let stream = try peer.nextRequest()
      let path = String(decoding: peer.requests[stream]?.path ?? [], as: UTF8.self)
      try peer.respond(stream, body: path)
    }
  }

  func wire(_ configure: (inout NetworkTransport.Configuration) -> Void = { _ in }) throws -> Wire {
    let context = try authority.clientContext()
    return try Wire { configuration in
      configuration.tls = context
      configuration.speaksHTTP2 = true
      configure(&configuration)
    }
  }
}

extension OutgoingRequest {
  /// The process's own request, or that of a client that speaks HTTP/1.
  static func over(
    _ origin: ScriptedOrigin, _ path: String = "/", method: HTTPMethod = .get, fields: [String: String] = [:],
    framing: BodyFraming = .none, sender: Sender = .ourselves, allowsUpgrade: Bool = false, connections: PairedConnections? = nil,
    prepared: PreparedConnection? = nil
  ) throws -> OutgoingRequest {
    var lines = HeaderFields()
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) { lines.append(name: name, value: value) }
    return OutgoingRequest(
      head: try RequestHead(method: method, target: "https://\(origin.authority)\(path)", fields: lines), framing: framing,
      route: origin.secureRoute(), sender: sender, allowsUpgrade: allowsUpgrade, prepared: prepared, connections: connections)
  }

  /// The request of a client that speaks HTTP/2.
  static func over(
    _ origin: ScriptedOrigin, lines: [(String, String)], framing: BodyFraming = .none, isSecure: Bool = true,
    connections: PairedConnections? = nil
  ) throws -> OutgoingRequest {
    let head = try HTTP2RequestHead(HTTP2HeaderList(lines), offersProtocols: true)
    return OutgoingRequest(
      head: try head.head(), http2: head, framing: framing, route: isSecure ? origin.secureRoute() : origin.route,
      connections: connections, priorKnowledge: !isSecure)
  }
}

extension HTTP2RequestHead {
  /// `name: value` of each line, in order.
  var lines: [String] { list.texts.map { "\($0.name): \($0.value)" } }
}
