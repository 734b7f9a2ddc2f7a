/// Whether a connection may carry another message after one with these fields (RFC 9112 9.3).
package enum Persistence {
  /// `close` ends the connection; otherwise HTTP/1.1 persists, and HTTP/1.0 does so on request.
  package static func isAllowed(by fields: HeaderFields, version: HTTPVersion) -> Bool {
    if fields.listContains(token: "close", in: .connection) { return false }
    return version >= .http11 || fields.listContains(token: "keep-alive", in: .connection)
  }
}
