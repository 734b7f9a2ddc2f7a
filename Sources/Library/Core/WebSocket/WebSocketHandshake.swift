internal import TapelineBase
internal import TapelineDigest
internal import TapelineHTTP
internal import TapelineHTTP2
internal import TapelineTransport

/// Opens WebSocket connections (RFC 6455 4).
package enum WebSocketHandshake {
  /// The value of `Sec-WebSocket-Accept` that answers a key.
  package static func answer(to key: String) -> String {
    Base64.encode(MessageDigest.sha1.digest(of: Array("\(key)258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8).span))
  }

  /// A nonce of 16 bytes.
  static func key() -> String { Base64.encode(randomBytes(16)) }

  /// The fields of a request that opens a connection, except those of every request.
  static func fields(key: String, _ configuration: WebSocketRequest.Configuration) -> [(name: String, value: String)] {
    var fields = [("Sec-WebSocket-Version", "13"), ("Sec-WebSocket-Key", key)]
    if !configuration.protocols.isEmpty {
      fields.append(("Sec-WebSocket-Protocol", configuration.protocols.joined(separator: ", ")))
    }
    if configuration.allowsCompression { fields.append(("Sec-WebSocket-Extensions", MessageCompression.offer)) }
    return fields
  }

  /// The protocol and the extension that a server has agreed to.
  struct Agreement: Sendable {
    let `protocol`: String?
    let compression: MessageCompression?
  }

  /// Judges a server's answer.
  static func agreement(
    in head: ResponseHead, isHTTP2: Bool, key: String, _ configuration: WebSocketRequest.Configuration
  ) throws(WebSocketFailure) -> Agreement {
    let fields = head.fields
    if isHTTP2 {
      guard HTTPStatus.isSuccessful(head.status) else { throw .refused(status: head.status) }
    } else {
      guard head.status == 101 else { throw .refused(status: head.status) }
      guard fields.listContains(token: "websocket", in: .upgrade), fields.listContains(token: "upgrade", in: .connection) else {
        throw .invalidHandshake("the server has switched to another protocol")
      }
      guard fields.values(named: "Sec-WebSocket-Accept") == [answer(to: key)] else {
        throw .invalidHandshake("Sec-WebSocket-Accept does not answer the request's key")
      }
    }
    let protocols = fields.values(named: "Sec-WebSocket-Protocol")
    guard protocols.count <= 1, protocols.allSatisfy(configuration.protocols.contains) else {
      throw .invalidHandshake("the server has chosen a protocol that was not offered")
    }
    let compression = MessageCompression(of: fields)
    let isAcceptable = compression.map { configuration.allowsCompression && $0.isAcceptable }
    guard isAcceptable ?? fields.values(named: "Sec-WebSocket-Extensions").isEmpty else {
      throw .invalidHandshake("the server has agreed to an extension that was not offered")
    }
    return Agreement(protocol: protocols.first, compression: compression)
  }
}

extension OutgoingRequest {
  /// The request as one that opens a WebSocket connection; on a connection of HTTP/2 as an extended CONNECT (RFC 8441 5).
  func openingWebSocket(overHTTP2: Bool) throws -> OutgoingRequest {
    let scheme = route.security == .none ? URIScheme.http : .https
    let connect =
      overHTTP2
      ? try HTTP2RequestHead(
        HTTP2HeaderList(upgrade: head, to: "websocket", scheme: scheme, authority: route.authority), offersProtocols: true)
      : nil
    return OutgoingRequest(
      head: head, http2: connect, framing: .none, route: route, sender: sender, allowsUpgrade: true)
  }
}
