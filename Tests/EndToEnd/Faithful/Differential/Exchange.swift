import TapelineTestSupport
import Testing

/// One row of the differential table: a request by its bytes, and what may happen to it and to its answer on the way.
struct Exchange: Sendable {
  enum Body: Sendable {
    case none
    case length([UInt8])
    /// Each piece is a chunk; trailer lines go behind them.
    case chunked([[UInt8]], trailers: [String] = [])
  }

  let name: String
  var method = "GET"
  /// Origin-form, or `*`.
  var target: String
  var version = "1.1"
  /// Field lines behind `Host`, as spelled.
  var fields: [String] = []
  var body = Body.none
  /// What a client adds when it knows that it speaks to a proxy: lines that are sent only there.
  var proxyFields: [String] = []
  /// What a scripted origin answers, whole; `nil` for the real servers.
  var answer: [UInt8]?
  /// What may be changed, and must then be listed: `request:proxy-connection`.
  var changes: Set<String> = []
  /// What may be changed where the request comes in absolute-form to the proxy, and not where TLS is opened.
  var plainChanges: Set<String> = []
  /// Whether the connection ends with this exchange.
  var ends = false
  /// The request's `Host` line; `nil` for the server's own, and the empty string for none.
  var host: String?

  func bytes(number: Int, authority: String, toProxy: Bool) -> [UInt8] {
    var lines = ["\(method) \(toProxy ? absolute(authority) : target) HTTP/\(version)"]
    if host != "" { lines.append("Host: \(host ?? authority)") }
    lines += fields + (toProxy ? proxyFields : []) + ["X-Exchange: \(number)"]
    var content: [UInt8] = []
    switch body {
    case .none: break
    case .length(let bytes):
      lines.append("Content-Length: \(bytes.count)")
      content = bytes
    case .chunked(let chunks, let trailers):
      lines.append("Transfer-Encoding: chunked")
      for chunk in chunks { content += Array("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + Array("\r\n".utf8) }
      content += Array((["0"] + trailers + ["", ""]).joined(separator: "\r\n").utf8)
    }
    return .latin1((lines + ["", ""]).joined(separator: "\r\n")) + content
  }

  private func absolute(_ authority: String) -> String {
    "http://\(authority)\(target == "*" ? "" : target)"
  }

  func allowed(toProxy: Bool) -> Set<String> {
    toProxy ? changes.union(plainChanges) : changes
  }
}

extension Exchange {
  /// What a client sends of its own accord: most of the table is about something else.
  static func get(_ name: String, _ target: String, _ fields: [String] = []) -> Exchange {
    Exchange(name: name, target: target, fields: fields)
  }
}

/// How clients of the table come to the server.
enum Approach: String, CaseIterable, Sendable, CustomTestStringConvertible {
  /// `http`, in absolute-form to the proxy.
  case plain
  /// `https`, opened by the proxy.
  case intercepted

  var testDescription: String { rawValue }
}
