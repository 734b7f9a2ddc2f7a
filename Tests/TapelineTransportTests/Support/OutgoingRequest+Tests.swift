import TapelineHTTP
import TapelineTestSupport

@testable import TapelineTransport

extension OutgoingRequest {
  static func get(_ origin: ScriptedOrigin, prepared: PreparedConnection? = nil) throws -> OutgoingRequest {
    OutgoingRequest(
      head: try RequestHead(method: .get, target: origin.url()), framing: .none, route: origin.route, prepared: prepared)
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
