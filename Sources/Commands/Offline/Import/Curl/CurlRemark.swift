internal import TapelineBase

/// The meaning of a remark in curl's trace, in the words of curl 7 and 8.
enum CurlRemark: Equatable {
  /// The name was looked up. The trace does not say since when.
  case resolved
  case trying
  case connected(host: String, address: String, port: UInt16, number: Int?)
  case reusing(number: Int?, host: String?)
  case clientHello
  case finished
  case agreed(version: String, cipher: String)
  case accepted(protocol: String)
  case stream(Int32)
  /// The whole request has left.
  case sent
  /// The exchange ended, and the connection stays or goes.
  case ended
  case failed(CurlFailure)
  /// Another exchange begins.
  case begins
  case other

  init(_ text: String) {
    let text = text.drop { $0 == " " }
    self = Self.ofConnection(text) ?? Self.ofTLS(text) ?? Self.ofExchange(text) ?? CurlFailure(text).map(Self.failed) ?? .other
  }

  private static func ofConnection(_ text: Substring) -> CurlRemark? {
    if text.hasPrefix("Trying ") { return .trying }
    if text.hasPrefix("Host "), text.contains(" was resolved") { return .resolved }
    if let rest = text.after("Connected to ") { return connected(rest, portAfter: ") port ") }
    if let rest = text.after("Established connection to ") { return connected(rest, portAfter: " port ") }
    if let rest = text.after("Re-using existing ") ?? text.after("Reusing existing ") {
      return .reusing(number: number(after: "#", in: rest), host: word(after: "with host ", in: rest))
    }
    return nil
  }

  /// `localhost (127.0.0.1) port 80 (#0)`, or `localhost (127.0.0.1 port 80) from 127.0.0.1 port 50000`.
  private static func connected(_ text: Substring, portAfter separator: String) -> CurlRemark? {
    guard let open = text.range(of: " ("), let middle = text[open.upperBound...].range(of: separator) else { return nil }
    let digits = text[middle.upperBound...].prefix { $0.isASCII && $0.isNumber }
    guard let port = UInt16(digits) else { return nil }
    return .connected(
      host: String(text[..<open.lowerBound]), address: String(text[open.upperBound..<middle.lowerBound]), port: port,
      number: number(after: "(#", in: text))
  }

  private static func ofTLS(_ text: Substring) -> CurlRemark? {
    if text.contains("TLS handshake, ") {
      if text.contains("Client hello (1)") { return .clientHello }
      if text.contains("Finished (20)") { return .finished }
    }
    if let rest = text.after("SSL connection using ") {
      let parts = rest.split(separator: "/", maxSplits: 2).map { $0.trimmingBlanks }
      return .agreed(version: parts.first ?? "", cipher: parts.count > 1 ? parts[1] : "")
    }
    if let rest = text.after("ALPN: server accepted ") ?? text.after("ALPN, server accepted to use ") {
      return .accepted(protocol: rest.trimmingBlanks)
    }
    return nil
  }

  private static func ofExchange(_ text: Substring) -> CurlRemark? {
    if let number = number(after: "Using Stream ID: ", in: text) { return .stream(Int32(clamping: number)) }
    if let rest = text.after("[HTTP/2] ["), rest.contains("] OPENED stream for "), let number = number(after: "", in: rest) {
      return .stream(Int32(clamping: number))
    }
    if text.hasPrefix("We are completely uploaded and fine") || text.hasPrefix("Request completely sent off")
      || text.hasPrefix("upload completely sent off")
    {
      return .sent
    }
    if text.hasPrefix("Issue another request to this URL") || text.hasPrefix("Found bundle for host")
      || text.hasPrefix("Hostname ") && text.contains("was found in DNS cache")
    {
      return .begins
    }
    if text.hasPrefix("Connection #"), text.contains("left intact") { return .ended }
    if text.hasPrefix("Closing connection") || text.hasPrefix("closing connection") || text.hasPrefix("shutting down connection")
    {
      return .ended
    }
    return nil
  }

  private static func word(after prefix: String, in text: Substring) -> String? {
    guard let range = text.range(of: prefix) else { return nil }
    return String(text[range.upperBound...].prefix { $0 != " " && $0 != "\r" })
  }

  private static func number(after prefix: String, in text: Substring) -> Int? {
    guard let start = prefix.isEmpty ? text.startIndex : text.range(of: prefix)?.upperBound else { return nil }
    return Int(text[start...].prefix { $0.isASCII && $0.isNumber })
  }
}

extension Substring {
  /// The text after `prefix`; `nil` if it does not begin with it.
  func after(_ prefix: String) -> Substring? {
    hasPrefix(prefix) ? dropFirst(prefix.count) : nil
  }

  var trimmingBlanks: String {
    let start = drop { $0 == " " }
    return String(start.reversed().drop { $0 == " " || $0 == "\r" || $0 == "\r\n" }.reversed())
  }

  /// The first place of `text`.
  func range(of text: String) -> Range<Index>? {
    ranges(of: text).first
  }
}
