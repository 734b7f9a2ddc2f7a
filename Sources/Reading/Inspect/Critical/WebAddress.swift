internal import TapelineBase

/// An absolute URL in the form in which equal ones are equal texts: without userinfo, default port and fragment (RFC 3986 6.2).
///
/// A capture has millions of them, so they hold one text and the places where its parts end.
struct WebAddress: Hashable, Sendable {
  /// With the query.
  let text: String
  private let originEnd: Int32
  private let placeEnd: Int32

  init?(_ text: String) {
    self.init(URIReference(text), from: text)
  }

  /// - Parameter written: a text that is kept in place of an equal one: most are as they should be.
  private init?(_ reference: URIReference, from written: String = "") {
    guard let scheme = reference.scheme, var authority = reference.hostAndPort?.withoutCapitals, !authority.isEmpty else {
      return nil
    }
    for (name, port) in [("http", ":80"), ("https", ":443")] where scheme == name && authority.hasSuffix(port) {
      authority.removeLast(port.utf8.count)
    }
    let origin = scheme + "://" + authority
    let place = origin + (reference.path.isEmpty ? "/" : reference.path)
    guard let originEnd = Int32(exactly: origin.utf8.count), let placeEnd = Int32(exactly: place.utf8.count) else { return nil }
    let text = reference.query.map { place + "?" + $0 } ?? place
    self.text = text == written ? written : text
    self.originEnd = originEnd
    self.placeEnd = placeEnd
  }

  /// Scheme and authority.
  var origin: Substring { text[utf8: 0..<Int(originEnd)] }

  /// The authority in `origin`: the host, and a port that is not the scheme's.
  var authority: Substring {
    let bytes = origin.utf8
    return text[(bytes.lastIndex(of: UInt8(ascii: "/")).map { bytes.index(after: $0) } ?? bytes.startIndex)..<bytes.endIndex]
  }

  /// Without the query.
  var place: Substring { text[utf8: 0..<Int(placeEnd)] }

  /// The last segment of the path: a reference to this address ends with it.
  var tail: Substring {
    let bytes = place.utf8
    return place[bytes.index(after: bytes.lastIndex(of: UInt8(ascii: "/")) ?? bytes.startIndex)...]
  }

  /// Resolves the references in a body of this address.
  struct Base: Sendable {
    private let reference: URIReference

    init(_ address: WebAddress) {
      reference = URIReference(address.text)
    }

    /// RFC 3986 5.2.
    func resolving(_ text: String) -> WebAddress? {
      WebAddress(URIReference(text).resolved(against: reference))
    }
  }
}
