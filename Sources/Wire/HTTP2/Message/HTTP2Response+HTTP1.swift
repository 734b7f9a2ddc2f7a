package import TapelineHTTP

// Responses between versions: pure values.

extension HTTP2ResponseHead {
  /// The same response for the log: its lines as they came. HTTP/2 has no phrase.
  package var head: ResponseHead {
    ResponseHead(http2: status, checked: fields, size: wireSize, anomalies: anomalies)
  }

  /// The same response as HTTP/1.1 has it, with the registered phrase: HTTP/2 has none.
  package var http1Head: ResponseHead { ResponseHead(status: status, fields: fields) }

  /// How the content is framed in HTTP/1.1.
  package func http1Framing(to method: HTTPMethod, endsStream: Bool) -> BodyFraming {
    if method == .head || HTTPStatus.forbidsContent(status) { return .none }
    if method == .connect, HTTPStatus.isSuccessful(status) { return .none }
    if let contentLength { return .length(contentLength) }
    return endsStream ? .length(0) : .chunked
  }
}

extension HTTP2HeaderList {
  /// A response for a client that speaks HTTP/2, made of one of HTTP/1.1, interim or final: without its phrase, and without what
  /// belongs to one connection (RFC 9113 8.2.2).
  ///
  /// - Parameter head: not a 101, which HTTP/2 does not have (RFC 9113 8.6); where it answers an extended CONNECT, it is a 200
  ///   (RFC 8441 5).
  package init(_ head: ResponseHead) {
    precondition(head.status != 101, "HTTP/2 has no 101")
    self.init(status: head.status, head.fields)
  }

  /// The 200 that stands for the 101 to an upgrade (RFC 8441 5).
  package init(upgraded head: ResponseHead) {
    precondition(head.status == 101, "only a 101 switches protocols")
    self.init(status: 200, head.fields, without: .secWebSocketAccept)
  }

  private init(status: Int, _ fields: HeaderFields, without excluded: FieldName? = nil) {
    var builder = Builder()
    builder.append(name: ":status", value: String(status))
    builder.appendEndToEnd(fields, isTrailers: false, without: excluded)
    self = builder.take()
  }
}
