/// A request method (RFC 9110 9). Methods are case-sensitive, and one we do not know is forwarded like any other.
///
/// Every registered method fits into a small string, so that making one allocates nothing.
package struct HTTPMethod: RawRepresentable, Hashable, Sendable {
  package let rawValue: String

  package init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// Reads a method that has been checked to be a token. The common ones are told by length and first octet.
  init(token: Span<UInt8>) {
    let candidate: HTTPMethod? =
      switch (token.count, token[0]) {
      case (3, UInt8(ascii: "G")): .get
      case (4, UInt8(ascii: "P")): .post
      case (4, UInt8(ascii: "H")): .head
      case (3, UInt8(ascii: "P")): .put
      case (7, UInt8(ascii: "C")): .connect
      default: nil
      }
    if let candidate, token.equals(candidate.rawValue.utf8.span) {
      self = candidate
    } else {
      self.init(rawValue: String(octets: token))
    }
  }

  package static let get = HTTPMethod(rawValue: "GET")
  package static let head = HTTPMethod(rawValue: "HEAD")
  package static let post = HTTPMethod(rawValue: "POST")
  package static let put = HTTPMethod(rawValue: "PUT")
  package static let delete = HTTPMethod(rawValue: "DELETE")
  package static let connect = HTTPMethod(rawValue: "CONNECT")
  package static let options = HTTPMethod(rawValue: "OPTIONS")
  package static let trace = HTTPMethod(rawValue: "TRACE")
  package static let patch = HTTPMethod(rawValue: "PATCH")

  /// Whether doing it twice intends the same as doing it once (RFC 9110 9.2.2): the condition for a retry.
  package var isIdempotent: Bool {
    switch self {
    case .get, .head, .options, .trace, .put, .delete: true
    default: false
    }
  }
}
