internal import TapelineHTTP
internal import TapelineText

/// The parameters of permessage-deflate that the server agreed to (RFC 7692, 7.1).
struct MessageCompression: Equatable {
  /// Whether each message from the client begins with an empty window.
  var clientForgets = false
  var serverForgets = false

  /// `nil` when the response does not agree to compression.
  init?(of fields: HeaderFields) {
    for value in fields.values(named: "Sec-WebSocket-Extensions") {
      for element in value.split(separator: ",") {
        let parts = element.split(separator: ";").map { Array($0.utf8) }
        guard let name = parts.first, Self.word(name) == Array("permessage-deflate".utf8) else { continue }
        for parameter in parts.dropFirst().map(Self.word) {
          if parameter == Array("client_no_context_takeover".utf8) { clientForgets = true }
          if parameter == Array("server_no_context_takeover".utf8) { serverForgets = true }
        }
        return
      }
    }
    return nil
  }

  /// The word before any `=`, in lower case and without blanks. Window sizes need no parsing: the largest window inflates all
  /// of them.
  private static func word(_ bytes: [UInt8]) -> [UInt8] {
    let end = bytes.span.first(of: UInt8(ascii: "=")) ?? bytes.count
    return bytes.span.extracting(bytes.span.trimmed(0..<end)).asciiLowercased
  }
}
