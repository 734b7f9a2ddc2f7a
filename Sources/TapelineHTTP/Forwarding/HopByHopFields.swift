internal import TapelineText

/// The fields of one message that end at the proxy (RFC 9110 7.6.1): those that always do, and those that `Connection` names.
package struct HopByHopFields: Sendable {
  private var known: FieldNameSet
  /// The names in `Connection` that are not a known `FieldName`: rare, and compared byte by byte.
  private var others: [[UInt8]] = []

  private static let always = FieldNameSet(
    .connection, .keepAlive, .proxyConnection, .proxyAuthenticate, .proxyAuthorization, .te, .upgrade)

  package init(of fields: HeaderFields) {
    known = Self.always
    for index in fields.indices where fields.knownName(at: index) == .connection {
      insertNames(of: fields, at: index)
    }
  }

  /// Whether the line at `index` of `fields`, the head's or its trailers', ends here.
  package func removes(_ fields: HeaderFields, at index: Int) -> Bool {
    let name = fields.knownName(at: index)
    guard name == .other else { return known.contains(name) }
    let bytes = fields.bytes.span.extracting(fields.nameRange(at: index))
    // For the next client only (RFC 9110 11.7.3): it is about credentials that only that client has given.
    if bytes.equalsIgnoringCase("Proxy-Authentication-Info".utf8.span) { return true }
    return others.contains { bytes.equalsIgnoringCase($0.span) }
  }

  /// Whether the trailer at `index` ends here. Framing and routing also end: a trailer must not change them (RFC 9110 6.5.1).
  package func removesTrailer(_ trailers: HeaderFields, at index: Int) -> Bool {
    Self.isProtected(trailers.knownName(at: index)) || removes(trailers, at: index)
  }

  /// Fields that `Connection` cannot remove: without them another reader would see another message.
  private static func isProtected(_ name: FieldName) -> Bool {
    name == .contentLength || name == .transferEncoding || name == .host
  }

  private mutating func insertNames(of fields: HeaderFields, at index: Int) {
    var members = ListMembers(of: fields.valueRange(at: index))
    while let member = members.next(in: fields.bytes.span) {
      let bytes = fields.bytes.span.extracting(member)
      guard isToken(bytes) else { continue }
      let name = FieldName(token: bytes)
      if name != .other {
        if !Self.isProtected(name) { known.insert(name) }
      } else if !isOption(bytes) {
        others.append([UInt8](copying: bytes))
      }
    }
  }

  private func isToken(_ bytes: Span<UInt8>) -> Bool {
    bytes.indices.allSatisfy { ByteSet.token.contains(bytes[$0]) }
  }

  /// `close` is an option of the connection itself; no field has this name (RFC 9110 18.4).
  private func isOption(_ bytes: Span<UInt8>) -> Bool {
    bytes.equalsIgnoringCase("close".utf8.span)
  }
}
