internal import TapelineHTTP

/// Answers a TRACE or OPTIONS request that asked to be forwarded no further (RFC 9110 7.6.2): we are its recipient.
enum FinalRecipient {
  /// `nil` when the request is to be forwarded.
  static func reply(to head: RequestHead) -> LocalReply? {
    guard head.maxForwards == 0 else { return nil }
    return head.method == .trace ? reflection(of: head) : options
  }

  /// The request as it was received, without the fields that must not be shown (RFC 9110 9.3.8).
  private static func reflection(of head: RequestHead) -> LocalReply {
    var message: [UInt8] = []
    let target = if case .absolute(let absolute) = head.target { absolute.sanitizedText } else { head.targetText }
    message.append(contentsOf: "\(head.method.rawValue) \(target) \(head.version.text)\r\n".utf8)
    for index in head.fields.indices where !hides(head.fields.knownName(at: index)) {
      HeadSerializer.appendField(head.fields, at: index, into: &message)
    }
    HeadSerializer.appendEnd(into: &message)
    return LocalReply(page: message, mediaType: "message/http")
  }

  private static func hides(_ name: FieldName) -> Bool {
    name == .authorization || name == .proxyAuthorization || name == .cookie
  }

  private static var options: LocalReply {
    var reply = LocalReply(page: [], mediaType: "text/plain; charset=utf-8")
    reply.fields.append(("Allow", "GET, HEAD, POST, PUT, DELETE, PATCH, OPTIONS, TRACE, CONNECT"))
    return reply
  }
}
