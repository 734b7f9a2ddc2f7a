import TapelineTestSupport
import Testing

extension EndToEnd {
  /// HTTP/2 on both legs, with clients and servers that people use.
  @Suite(.enabled(if: HTTP2Support.isReady)) enum HTTP2 {}
}

enum HTTP2Support {
  /// Whether the program speaks HTTP/2 without being asked to.
  static let isReady = true
}

extension RecordedEntry {
  var version: String? { request?["httpVersion"]?.string }
  var responseVersion: String? { response?["httpVersion"]?.string }
  /// To the origin; `nil` if it was asked over HTTP/1.
  var streamID: Int? { tree["_http2"]?["streamId"]?.integer }
  /// From the client; `nil` if it spoke HTTP/1.
  var clientStreamID: Int? { tree["_http2"]?["clientStreamId"]?.integer }
  var reset: JSONTree? { tree["_http2"]?["reset"] }
  var grpc: JSONTree? { tree["_grpc"] }
}

/// HTTP/2 from the client to the origin, without a fault.
func expectHTTP2(_ entry: RecordedEntry, sourceLocation: SourceLocation = #_sourceLocation) {
  #expect(entry.version == "HTTP/2", sourceLocation: sourceLocation)
  #expect(entry.responseVersion == "HTTP/2", sourceLocation: sourceLocation)
  #expect(entry.streamID ?? 0 > 0, "\(entry.tree)", sourceLocation: sourceLocation)
  #expect(entry.clientStreamID ?? 0 > 0, "\(entry.tree)", sourceLocation: sourceLocation)
  #expect(entry.error == nil, "\(entry.tree)", sourceLocation: sourceLocation)
  // Pseudo-fields have a place of their own.
  let names = [entry.request, entry.response].flatMap { $0?["headers"]?.elements ?? [] }.compactMap { $0["name"]?.string }
  #expect(!names.contains { $0.hasPrefix(":") }, sourceLocation: sourceLocation)
}

/// All of them on one connection to the origin, which the first has paid for.
func expectOneConnection(_ entries: [RecordedEntry], sourceLocation: SourceLocation = #_sourceLocation) {
  #expect(Set(entries.map(\.connectionID)).count == 1, sourceLocation: sourceLocation)
  #expect(entries.filter { $0.phase("connect") >= 0 }.count == 1, sourceLocation: sourceLocation)
  #expect(Set(entries.map(\.streamID)).count == entries.count, "each has a stream of its own", sourceLocation: sourceLocation)
}
