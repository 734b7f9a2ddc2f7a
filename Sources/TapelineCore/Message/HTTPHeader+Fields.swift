internal import FoundationEssentials

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
