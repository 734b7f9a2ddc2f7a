package import TapelineHTTP
internal import TapelineBase

/// A request's head that has passed the rules of RFC 9113 8.2 and 8.3: its meaning, and its lines as they came.
///
/// An object, as it is handed from hand to hand, and a copy would count the references of all its parts.
package final class HTTP2RequestHead: Sendable {
  package let method: HTTPMethod
  /// `nil` for CONNECT.
  package let scheme: URIScheme?
  /// Host, and port if one was named, as spelled; that of `Host` if `:authority` is missing.
  package let authority: String
  /// The protocol of an extended CONNECT (RFC 8441 4).
  package let `protocol`: String?
  /// The lines that are not pseudo-fields, as they came: `Host` included, the crumbs of cookies apart. The target follows them.
  package let fields: HeaderFields
  /// Where the target is in the bytes of `fields`: scheme and authority, which are pseudo-fields in HTTP/2, with path and query.
  let target: Range<Int>
  package let contentLength: UInt64?
  /// All lines as they came.
  package let list: HTTP2HeaderList
  /// Bytes of the header block on the wire: compressed, without padding and frame headers.
  package let wireSize: Int
  /// Deviations from the rules that were understood nevertheless.
  let anomalies: HeadAnomalies

  typealias Malformation = HTTP2Violation.Malformation

  /// - Parameter offersProtocols: whether we have offered extended CONNECT.
  package init(
    _ list: HTTP2HeaderList, wireSize: Int = 0, offersProtocols: Bool = false, tolerating tolerance: Tolerance = []
  ) throws(HTTP2Violation.Malformation) {
    var rules = HTTP2FieldRules(.request, tolerating: tolerance)
    try rules.read(list)
    anomalies = rules.anomalies
    var fields = rules.fields
    self.list = list
    self.wireSize = wireSize
    let bytes = list.bytes.span

    guard let method = rules.value(of: .method, in: list) else { throw .missingPseudoField }
    self.method = HTTPMethod(rawValue: list.text(method))
    guard self.method.isToken else { throw .invalidMethod }

    self.protocol = rules.value(of: .protocol, in: list).map { list.text($0) }
    if let name = self.protocol {
      guard offersProtocols else { throw .unofferedProtocol }
      guard self.method == .connect else { throw .unexpectedPseudoField }
      guard name.isToken else { throw .invalidProtocol }
    }

    let named = rules.value(of: .authority, in: list)
    let namedScheme = rules.value(of: .scheme, in: list)
    let namedPath = rules.value(of: .path, in: list)
    if let named, !Self.isAuthority(bytes, named) { throw .invalidAuthority }

    if self.method == .connect, self.protocol == nil {
      // RFC 9113 8.5: the target is the authority alone, with a port.
      guard namedScheme == nil, namedPath == nil else { throw .unexpectedPseudoField }
      guard let named else { throw .missingPseudoField }
      guard Authority(bytes, in: named)?.port != nil else { throw .invalidAuthority }
      scheme = nil
    } else {
      guard let scheme = namedScheme, let path = namedPath else { throw .missingPseudoField }
      guard Self.isScheme(bytes.extracting(scheme)) else { throw .invalidScheme }
      guard Self.isPath(bytes.extracting(path), of: self.method) else { throw .invalidPath }
      self.scheme = URIScheme(list.text(scheme))
    }
    authority = try Self.authority(named.map { list.text($0) }, fields, scheme)
    target = fields.appendTarget(scheme, authority: authority, path: bytes.extracting(namedPath ?? 0..<0))
    self.fields = fields

    contentLength = try HTTP2FieldRules.contentLength(of: fields, in: .request)
    if self.method == .connect, contentLength ?? 0 != 0 { throw .forbiddenContent }
  }

  /// `:authority` and `Host` name the same host and port (RFC 9113 8.3.1), and one of them is there.
  private static func authority(_ named: String?, _ fields: HeaderFields, _ scheme: URIScheme?) throws(Malformation) -> String {
    let hosts = fields.indices.filter { fields.knownName(at: $0) == .host }
    guard hosts.count <= 1 else { throw .severalHosts }
    guard let index = hosts.first else {
      guard let named else { throw .missingAuthority }
      return named
    }
    guard isAuthority(fields.bytes.span, fields.valueRange(at: index)) else { throw .invalidAuthority }
    let host = fields.value(at: index)
    guard let named, named != host else { return host }
    guard let left = Authority(named), let right = Authority(host), left.host == right.host,
      left.port ?? scheme?.defaultPort == right.port ?? scheme?.defaultPort
    else { throw .differentHost }
    return named
  }

  /// A host with an optional port, without userinfo (RFC 9113 8.3.1).
  private static func isAuthority(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
    guard !range.isEmpty else { return false }
    if bytes[range.lowerBound] == UInt8(ascii: "[") {
      guard let authority = Authority(bytes, in: range) else { return false }
      return authority.port != 0
    }
    // The common form, without text.
    guard let authority = AuthorityParts(in: bytes, range) else { return false }
    return !authority.hasUserinfo && !authority.host.isEmpty
  }

  /// RFC 3986 3.1.
  private static func isScheme(_ bytes: Span<UInt8>) -> Bool {
    guard !bytes.isEmpty, Byte.isLetter(bytes[0]) else { return false }
    return bytes.indices.allSatisfy { ByteSet.scheme.contains(bytes[$0]) }
  }

  /// An absolute path with an optional query, or `*` for OPTIONS (RFC 9113 8.3.1): no blank, no control byte, and no fragment, at
  /// which readers of HTTP/1.1 would end it.
  private static func isPath(_ bytes: Span<UInt8>, of method: HTTPMethod) -> Bool {
    guard !bytes.isEmpty else { return false }
    if bytes.count == 1, bytes[0] == UInt8(ascii: "*") { return method == .options }
    guard bytes[0] == Byte.slash else { return false }
    return bytes.indices.allSatisfy {
      bytes[$0] > Byte.space && bytes[$0] != Byte.delete && bytes[$0] != UInt8(ascii: "#")
    }
  }
}
