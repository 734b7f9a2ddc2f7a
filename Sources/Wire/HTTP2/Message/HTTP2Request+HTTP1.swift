package import TapelineHTTP
internal import TapelineBase

// Requests between versions: pure values.

extension HTTP2RequestHead {
  /// The same request for the log and for those who decide about it: its lines as they came, and a target that names scheme and
  /// authority, which stand in pseudo-fields in HTTP/2. `RequestForwarding` writes it for a connection of HTTP/1.1.
  package func head() throws(HTTPParseError) -> RequestHead {
    try RequestHead(http2: method, checked: fields, target: target, size: wireSize, anomalies: anomalies)
  }

  /// How the content is framed in HTTP/1.1.
  package func http1Framing(endsStream: Bool) -> BodyFraming {
    if method == .connect { return .none }
    if let contentLength { return .length(contentLength) }
    return endsStream ? .none : .chunked
  }
}

extension HTTP2HeaderList {
  /// A request for an origin that speaks HTTP/2, made of one for HTTP/1.1. What belongs to one connection ends here (RFC 9113
  /// 8.2.2), names lose their capitals, and `Host` becomes `:authority`.
  ///
  /// - Parameter authority: that of the connection, for a request that does not name it.
  package init(_ head: RequestHead, scheme: URIScheme, authority: String) {
    var builder = Builder()
    builder.append(name: ":method", value: head.method.rawValue)
    switch head.target {
    case .authority(let host, let port):
      builder.append(name: ":authority", value: Authority.text(host: host, port: port))
    case .absolute(let target):
      builder.appendTarget(of: head, scheme, target.authority)
    case .origin, .asterisk:
      builder.appendTarget(of: head, scheme, head.fields.first(of: .host) ?? authority)
    }
    builder.appendEndToEnd(head.fields, isTrailers: false)
    self = builder.take()
  }

  /// A request that tapeline originates. Its `Host`, which may differ from the target's, becomes `:authority`; a length is named
  /// if there is one.
  package init(originated head: RequestHead, framing: BodyFraming, scheme: URIScheme, authority: String) {
    var builder = Builder()
    builder.append(name: ":method", value: head.method.rawValue)
    let named: String? = if case .absolute(let target) = head.target { target.authority } else { nil }
    builder.appendTarget(of: head, scheme, head.fields.first(of: .host) ?? named ?? authority)
    builder.appendEndToEnd(head.fields, isTrailers: false, without: .contentLength)
    if case .length(let length) = framing { builder.append(name: "content-length", value: String(length)) }
    self = builder.take()
  }

  /// An extended CONNECT (RFC 8441 4), made of a request for an upgrade to WebSocket.
  package init(upgrade head: RequestHead, to protocol: String, scheme: URIScheme, authority: String) {
    var builder = Builder()
    builder.append(name: ":method", value: HTTPMethod.connect.rawValue)
    builder.append(name: ":protocol", value: `protocol`)
    builder.appendTarget(of: head, scheme, head.fields.first(of: .host) ?? authority)
    builder.appendEndToEnd(head.fields, isTrailers: false, without: .secWebSocketKey)
    self = builder.take()
  }

  /// A trailer section, made of one of HTTP/1.1.
  package init(trailers: HeaderFields) {
    var builder = Builder()
    builder.appendEndToEnd(trailers, isTrailers: true)
    self = builder.take()
  }
}

extension HTTP2HeaderList.Builder {
  fileprivate mutating func appendTarget(of head: RequestHead, _ scheme: URIScheme, _ authority: String) {
    append(name: ":scheme", value: scheme.text)
    append(name: ":authority", value: authority)
    var path: [UInt8] = []
    head.appendOriginForm(into: &path)
    append(name: ":path".utf8.span, value: path.span)
  }

  /// The fields that do not belong to one connection, in lower case.
  mutating func appendEndToEnd(_ fields: HeaderFields, isTrailers: Bool, without excluded: FieldName? = nil) {
    let hopByHop = HopByHopFields(of: fields)
    let takesTrailers = !isTrailers && fields.listContains(token: "trailers", in: .te)
    if takesTrailers { append(name: "te", value: "trailers") }
    for index in fields.indices {
      let name = fields.knownName(at: index)
      if name == .host || name == .transferEncoding || name == excluded || fields.hasExcessLength(at: index) { continue }
      if isTrailers ? hopByHop.removesTrailer(fields, at: index) : hopByHop.removes(fields, at: index) { continue }
      let lowercased = fields.withNameBytes(at: index) { bytes in bytes.indices.map { Byte.lowercased(bytes[$0]) } }
      if lowercased.elementsEqual("http2-settings".utf8) || !lowercased.span.isToken { continue }
      fields.withValueBytes(at: index) { append(name: lowercased.span, value: $0) }
    }
  }
}
