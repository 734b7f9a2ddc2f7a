internal import TapelineHTTP

extension ProxyConfiguration {
  /// Whether a body with these header fields is recorded.
  func keeps(_ fields: HeaderFields) -> Bool {
    switch bodies {
    case .none: false
    case .all: true
    case .text: fields.first(of: .contentType).map(Self.isText) ?? false
    }
  }

  /// Limits of the recorded messages of a WebSocket connection, in each direction.
  var webSocketLimits: WebSocketObserver.Limits {
    var limits = WebSocketObserver.Limits()
    limits.bytesPerText = bodies == .none ? 0 : maxBody
    limits.bytesPerBinary = bodies == .all ? maxBody : 0
    return limits
  }

  /// Whether a media type (RFC 9110 8.3.1) is for reading: `text/…`, JSON, XML, forms, scripts.
  static func isText(_ contentType: String) -> Bool {
    let mediaType = mediaType(in: contentType)
    if mediaType.hasPrefix("text/") || mediaType.hasSuffix("+json") || mediaType.hasSuffix("+xml") { return true }
    return textTypes.contains(mediaType)
  }

  /// Whether a media type has no end of its own: events (`EventSource`), and pictures that replace each other (cameras).
  static func isStream(_ contentType: String) -> Bool {
    ["text/event-stream", "multipart/x-mixed-replace"].contains(mediaType(in: contentType))
  }

  /// The media type without parameters, in lower case.
  private static func mediaType(in contentType: String) -> String {
    contentType.prefix { $0 != ";" && $0 != " " }.lowercased()
  }

  private static let textTypes: Set<String> = [
    "application/json", "application/xml", "application/javascript", "application/x-javascript", "application/ecmascript",
    "application/x-www-form-urlencoded", "application/graphql", "application/x-ndjson", "application/yaml", "application/toml",
  ]
}
