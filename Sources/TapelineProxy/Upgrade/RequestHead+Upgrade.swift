internal import TapelineHTTP

extension RequestHead {
  /// Whether the client asks to switch to another protocol (RFC 9110 7.8) that we relay. We do not relay HTTP/2: an origin may go
  /// on with HTTP/1.1 instead (RFC 9113 3.1), and then its exchanges are seen.
  var asksForUpgrade: Bool {
    version >= .http11 && fields.contains(.upgrade) && fields.listContains(token: "upgrade", in: .connection)
      && !fields.listContains(token: "h2c", in: .upgrade)
  }
}
