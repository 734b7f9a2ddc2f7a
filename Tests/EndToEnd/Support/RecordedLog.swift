import TapelineTestSupport
import Testing

/// A HAR as it was found on the disk.
struct RecordedLog {
  let tree: JSONTree
  let path: String

  init(contentsOf path: String) throws {
    self.path = path
    tree = try JSONTree(parsing: try readFile(path))
  }

  var entries: [RecordedEntry] {
    (tree["log"]?["entries"]?.elements ?? []).map { RecordedEntry(tree: $0) }
  }

  /// The only entry whose URL ends with `suffix`.
  func entry(
    _ suffix: String, method: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> RecordedEntry {
    let matches = entries.filter { $0.url.hasSuffix(suffix) && (method == nil || $0.method == method) }
    try #require(
      matches.count == 1, "entries for \(suffix): \(matches.count) of \(entries.map { "\($0.method) \($0.url)" })",
      sourceLocation: sourceLocation)
    return matches[0]
  }
}

struct RecordedEntry {
  let tree: JSONTree

  var request: JSONTree? { tree["request"] }
  var response: JSONTree? { tree["response"] }
  var method: String { request?["method"]?.string ?? "" }
  var url: String { request?["url"]?.string ?? "" }
  var status: Int? { response?["status"]?.integer }
  var connection: String? { tree["connection"]?.string }
  var connectionID: JSONTree? { tree["_connectionId"] }
  var error: JSONTree? { tree["_error"] }

  /// Bytes of the request's and the response's body on the wire.
  var requestBodySize: Int? { request?["bodySize"]?.integer }
  var responseBodySize: Int? { response?["bodySize"]?.integer }
  var contentSize: Int? { response?["content"]?["size"]?.integer }
  var contentText: String? { response?["content"]?["text"]?.string }
  var postText: String? { request?["postData"]?["text"]?.string }

  /// Milliseconds; −1 when the phase did not happen.
  func phase(_ name: String) -> Double { tree["timings"]?[name]?.number ?? -2 }
  var time: Double { tree["time"]?.number ?? -2 }

  func requestValues(of name: String) -> [String] { values(of: name, in: request) }
  func responseValues(of name: String) -> [String] { values(of: name, in: response) }

  private func values(of name: String, in message: JSONTree?) -> [String] {
    (message?["headers"]?.elements ?? [])
      .filter { $0["name"]?.string?.lowercased() == name.lowercased() }
      .compactMap { $0["value"]?.string }
  }
}
