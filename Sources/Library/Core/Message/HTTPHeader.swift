internal import FoundationEssentials
internal import TapelineHTTP

/// One header field: a name and a value.
public struct HTTPHeader: Sendable, Hashable {
  /// The name, spelled as it was given. Case does not matter in comparisons of names.
  public let name: String
  /// The value.
  public let value: String

  /// A field; nothing is checked here.
  public init(name: String, value: String) {
    self.name = name
    self.value = value
  }

  /// Whether the field may be sent: the name is a token, and the value has no line end, no NUL and no other control character
  /// (RFC 9110 5). A request with a field that may not be sent is refused before any of it is sent.
  public var isSendable: Bool {
    FieldSyntax.isName(name) && FieldSyntax.isValue(value)
  }
}

extension HTTPHeader: CustomStringConvertible {
  /// `Name: value`.
  public var description: String { "\(name): \(value)" }
}

extension HTTPHeader {
  /// `Accept` (RFC 9110 12.5.1).
  public static func accept(_ value: String) -> HTTPHeader {
    HTTPHeader(name: "Accept", value: value)
  }

  /// `Accept-Charset` (RFC 9110 12.5.2).
  public static func acceptCharset(_ value: String) -> HTTPHeader {
    HTTPHeader(name: "Accept-Charset", value: value)
  }

  /// `Accept-Encoding` (RFC 9110 12.5.3).
  public static func acceptEncoding(_ value: String) -> HTTPHeader {
    HTTPHeader(name: "Accept-Encoding", value: value)
  }

  /// `Accept-Language` (RFC 9110 12.5.4).
  public static func acceptLanguage(_ value: String) -> HTTPHeader {
    HTTPHeader(name: "Accept-Language", value: value)
  }

  /// `Authorization` with any scheme (RFC 9110 11.6.2).
  public static func authorization(_ value: String) -> HTTPHeader {
    HTTPHeader(name: "Authorization", value: value)
  }

  /// `Authorization` by the Basic scheme in UTF-8 (RFC 7617).
  public static func authorization(username: String, password: String) -> HTTPHeader {
    authorization("Basic " + Data("\(username):\(password)".utf8).base64EncodedString())
  }

  /// `Authorization` by the Bearer scheme (RFC 6750 2.1).
  public static func authorization(bearerToken: String) -> HTTPHeader {
    authorization("Bearer \(bearerToken)")
  }

  /// `Content-Disposition` (RFC 6266).
  public static func contentDisposition(_ value: String) -> HTTPHeader {
    HTTPHeader(name: "Content-Disposition", value: value)
  }

  /// `Content-Encoding` (RFC 9110 8.4).
  public static func contentEncoding(_ value: String) -> HTTPHeader {
    HTTPHeader(name: "Content-Encoding", value: value)
  }

  /// `Content-Type` (RFC 9110 8.3).
  public static func contentType(_ value: String) -> HTTPHeader {
    HTTPHeader(name: "Content-Type", value: value)
  }

  /// `Range` (RFC 9110 14.2).
  public static func range(_ value: String) -> HTTPHeader {
    HTTPHeader(name: "Range", value: value)
  }

  /// `User-Agent` (RFC 9110 10.1.5).
  public static func userAgent(_ value: String) -> HTTPHeader {
    HTTPHeader(name: "User-Agent", value: value)
  }

  /// `Sec-WebSocket-Protocol` (RFC 6455 11.3.4).
  public static func websocketProtocol(_ value: String) -> HTTPHeader {
    HTTPHeader(name: "Sec-WebSocket-Protocol", value: value)
  }
}
