internal import TapelineBase

/// The parameters of permessage-deflate that the server agreed to (RFC 7692 7.1).
package struct MessageCompression: Hashable, Sendable {
  /// Whether each message from the client begins with an empty window.
  package private(set) var clientForgets = false
  package private(set) var serverForgets = false
  /// The largest window of the client's messages, as its binary logarithm.
  package private(set) var clientWindowBits = 15
  /// Whether it is an answer to `offer` that a client may accept.
  package private(set) var isAcceptable = true

  /// The offer of our own requests.
  package static let offer = "permessage-deflate; client_max_window_bits"

  /// `nil` when the response does not agree to compression.
  package init?(of fields: HeaderFields) {
    var extensions: [[[UInt8]]] = []
    for value in fields.values(named: "Sec-WebSocket-Extensions") {
      extensions += value.split(separator: ",").map { $0.split(separator: ";").map { Array($0.utf8) } }
    }
    guard let parts = extensions.first(where: { Self.parameter($0.first ?? []).name == "permessage-deflate" }) else { return nil }
    isAcceptable = extensions.count == 1
    var seen: Set<String> = []
    for part in parts.dropFirst() {
      let (name, value) = Self.parameter(part)
      if !seen.insert(name).inserted { isAcceptable = false }
      note(name, value)
    }
  }

  private mutating func note(_ name: String, _ value: String?) {
    let bits = value.flatMap(Int.init).flatMap { (8...15).contains($0) ? $0 : nil }
    switch name {
    case "client_no_context_takeover":
      clientForgets = true
      if value != nil { isAcceptable = false }
    case "server_no_context_takeover":
      serverForgets = true
      if value != nil { isAcceptable = false }
    case "client_max_window_bits":
      clientWindowBits = bits ?? 15
      if bits == nil { isAcceptable = false }
    // The largest window inflates messages of all windows.
    case "server_max_window_bits": if bits == nil { isAcceptable = false }
    default: isAcceptable = false
    }
  }

  /// Name and value in lower case, without blanks and quotes.
  private static func parameter(_ bytes: [UInt8]) -> (name: String, value: String?) {
    let end = bytes.span.first(of: UInt8(ascii: "=")) ?? bytes.count
    func text(_ range: Range<Int>) -> String {
      String(decoding: bytes.span.extracting(bytes.span.trimmed(range)).asciiLowercased, as: UTF8.self)
    }
    guard end < bytes.count else { return (text(0..<end), nil) }
    let value = text(end + 1..<bytes.count)
    let isQuoted = value.count > 1 && value.hasPrefix("\"") && value.hasSuffix("\"")
    return (text(0..<end), isQuoted ? String(value.dropFirst().dropLast()) : value)
  }
}
