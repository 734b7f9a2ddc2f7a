internal import TapelineBase

/// A request method (RFC 9110 9). Methods are case-sensitive, and an unknown method is sent like any other.
///
/// Every registered method fits into a small string, so that making a method allocates nothing.
public struct HTTPMethod: RawRepresentable, Hashable, Sendable {
  public let rawValue: String

  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// Reads a method that has been checked to be a token. The common ones are recognised by length and first byte.
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
      self.init(rawValue: String(bytes: token))
    }
  }

  /// `CONNECT`: opens a tunnel.
  public static let connect = HTTPMethod(rawValue: "CONNECT")
  /// `DELETE`.
  public static let delete = HTTPMethod(rawValue: "DELETE")
  /// `GET`.
  public static let get = HTTPMethod(rawValue: "GET")
  /// `HEAD`: as GET, without the content.
  public static let head = HTTPMethod(rawValue: "HEAD")
  /// `OPTIONS`.
  public static let options = HTTPMethod(rawValue: "OPTIONS")
  /// `PATCH` (RFC 5789).
  public static let patch = HTTPMethod(rawValue: "PATCH")
  /// `POST`.
  public static let post = HTTPMethod(rawValue: "POST")
  /// `PUT`.
  public static let put = HTTPMethod(rawValue: "PUT")
  /// `QUERY`: a safe, idempotent request with content.
  public static let query = HTTPMethod(rawValue: "QUERY")
  /// `TRACE`.
  public static let trace = HTTPMethod(rawValue: "TRACE")

  /// Whether the method is a token, as all methods are (RFC 9110 9.1): anything else cannot be sent.
  package var isToken: Bool {
    rawValue.isToken
  }

  /// Whether doing it twice intends the same as doing it once (RFC 9110 9.2.2): the condition for a retry.
  package var isIdempotent: Bool {
    switch self {
    case .get, .head, .options, .trace, .put, .delete: true
    default: false
    }
  }
}

/// The version of the protocol that a message names (RFC 9110 2.5).
package struct HTTPVersion: Hashable, Comparable, Sendable {
  package let major: UInt8
  package let minor: UInt8

  package init(major: UInt8, minor: UInt8) {
    self.major = major
    self.minor = minor
  }

  package static let http10 = HTTPVersion(major: 1, minor: 0)
  package static let http11 = HTTPVersion(major: 1, minor: 1)
  package static let http2 = HTTPVersion(major: 2, minor: 0)

  /// As in a start line, `HTTP/1.1`; `HTTP/2`, which has no minor versions (RFC 9113 8.3.1).
  package var text: String {
    switch self {
    case .http11: "HTTP/1.1"
    case .http10: "HTTP/1.0"
    case .http2: "HTTP/2"
    default: minor == 0 && major > 2 ? "HTTP/\(major)" : "HTTP/\(major).\(minor)"
    }
  }

  package static func < (left: HTTPVersion, right: HTTPVersion) -> Bool {
    (left.major, left.minor) < (right.major, right.minor)
  }
}
