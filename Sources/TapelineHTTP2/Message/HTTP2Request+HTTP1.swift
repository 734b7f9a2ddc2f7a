package import TapelineHTTP
internal import TapelineText

// Requests between versions: pure values.

extension HTTP2RequestHead {
  /// How the target is written in HTTP/1.1.
  package enum TargetForm: Hashable, Sendable {
    /// For an origin.
    case origin
    /// With scheme and authority, for a proxy, or for a request that came to one.
    case absolute
  }

  /// The same request for the log and for those who decide about it: its lines as they came, and a target that names scheme and
  /// authority, which stand in pseudo-fields in HTTP/2. `http1Head` is what a connection of HTTP/1.1 gets.
  package func head() throws(HTTPParseError) -> RequestHead {
    try RequestHead(method: method, target: target(.absolute), version: .http2, fields: fields, size: wireSize)
  }

  /// The same request as HTTP/1.1 has it: `Host` first, from `:authority`; the crumbs of cookies in one line (RFC 9113 8.2.3), in
  /// place of the first. It has passed the codec's checks for heads that come from the wire.
  ///
  /// An extended CONNECT has no such head: `upgradeHead` is what becomes of it.
  package func http1Head(_ form: TargetForm = .origin) throws(HTTPParseError) -> RequestHead {
    precondition(self.protocol == nil, "an extended CONNECT becomes an upgrade")
    return try RequestHead(method: method, target: target(form), fields: http1Fields())
  }

  /// The request for an upgrade that stands for an extended CONNECT in HTTP/1.1 (RFC 8441 5, RFC 6455 4.1); `nil` for any other
  /// request.
  ///
  /// - Parameter key: for `Sec-WebSocket-Key`, which HTTP/2 does not have.
  package func upgradeHead(_ form: TargetForm = .origin, key: String) throws(HTTPParseError) -> RequestHead? {
    guard let name = self.protocol else { return nil }
    var fields = http1Fields()
    fields.append(name: "Connection", value: "Upgrade")
    fields.append(name: "Upgrade", value: name)
    fields.append(name: "Sec-WebSocket-Key", value: key)
    return try RequestHead(method: .get, target: target(form), fields: fields)
  }

  /// How the content is framed in HTTP/1.1.
  package func http1Framing(endsStream: Bool) -> BodyFraming {
    if method == .connect { return .none }
    if let contentLength { return .length(contentLength) }
    return endsStream ? .none : .chunked
  }

  private func target(_ form: TargetForm) -> [UInt8] {
    guard !path.isEmpty else { return Array(authority.utf8) }
    guard form == .absolute, let scheme else { return path }
    // RFC 9112 3.2.4: the target of `OPTIONS *` has no path.
    let isAsterisk = path == [UInt8(ascii: "*")]
    return Array("\(scheme.text)://\(authority)".utf8) + (isAsterisk ? [] : path)
  }

  private func http1Fields() -> HeaderFields {
    var result = HeaderFields()
    result.append(name: "Host", value: authority)
    let cookies = fields.indices.filter { fields.knownName(at: $0) == .cookie }
    for index in fields.indices where fields.knownName(at: index) != .host {
      if fields.knownName(at: index) != .cookie || cookies.count == 1 {
        result.append(fields, at: index)
      } else if index == cookies[0] {
        let crumbs = cookies.map { Array(fields.bytes[fields.valueRange(at: $0)]) }
        let value = Array(crumbs.joined(separator: "; ".utf8))
        fields.withNameBytes(at: index) { result.append(name: $0, value: value.span) }
      }
    }
    return result
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
      if name == .host || name == .transferEncoding || name == excluded { continue }
      if isTrailers ? hopByHop.removesTrailer(fields, at: index) : hopByHop.removes(fields, at: index) { continue }
      let lowercased = fields.withNameBytes(at: index) { bytes in bytes.indices.map { Byte.lowercased(bytes[$0]) } }
      if lowercased.elementsEqual("http2-settings".utf8) { continue }
      fields.withValueBytes(at: index) { append(name: lowercased.span, value: $0) }
    }
  }
}
