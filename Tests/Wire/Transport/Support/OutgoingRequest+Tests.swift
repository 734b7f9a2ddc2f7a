import TapelineHTTP
import TapelineTestSupport

@testable import TapelineTransport

extension OutgoingRequest {
  static func get(
    _ origin: ScriptedOrigin, path: String = "/", sender: Sender = .client, prepared: PreparedConnection? = nil
  ) throws -> OutgoingRequest {
    OutgoingRequest(
      head: try RequestHead(method: .get, target: origin.url(path)), framing: .none, route: origin.route, sender: sender,
      prepared: prepared)
  }

  /// To an origin that nobody looks up: an upstream proxy is asked.
  static func get(_ url: String, host: String, port: UInt16 = 80, sender: Sender = .client) throws -> OutgoingRequest {
    OutgoingRequest(
      head: try RequestHead(method: .get, target: url), framing: .none, route: Route(host: host, port: port), sender: sender)
  }

  static func post(_ origin: ScriptedOrigin, framing: BodyFraming) throws -> OutgoingRequest {
    OutgoingRequest(head: try RequestHead(method: .post, target: origin.url()), framing: framing, route: origin.route)
  }

  /// Asks for an upgrade to `test/1`.
  static func upgrade(_ origin: ScriptedOrigin, allows: Bool = true) throws -> OutgoingRequest {
    let head = try RequestHead(
      method: .get, target: origin.url(), fields: ["Upgrade": "test/1", "Connection": "Upgrade"])
    return OutgoingRequest(head: head, framing: .none, route: origin.route, allowsUpgrade: allows)
  }
}

extension ScriptedOrigin {
  var route: Route { Route(host: "127.0.0.1", port: port) }
}
