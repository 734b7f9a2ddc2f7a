/// An HTTP/1 message as it came, read by the simplest rules that work, deliberately not by the project's own parser: equipment
/// that shares the parser's mistakes would not see them.
package struct RawMessage: Sendable {
  /// Start line and fields, with the empty line.
  package let head: [UInt8]
  /// Without the framing.
  package let body: [UInt8]
  /// The body with its framing, as on the wire.
  package let wireBody: [UInt8]
  /// After a chunked body.
  package let trailers: [(name: String, value: String)]

  package init(
    head: [UInt8], body: [UInt8] = [], wireBody: [UInt8] = [], trailers: [(name: String, value: String)] = []
  ) {
    self.head = head
    self.body = body
    self.wireBody = wireBody
    self.trailers = trailers
  }

  package var startLine: String {
    let line = text.prefix { $0 != "\r\n" }
    return String(line)
  }

  /// The response's status; 0 if the start line has none.
  package var status: Int {
    let words = startLine.split(separator: " ", maxSplits: 2)
    return words.count > 1 ? Int(words[1]) ?? 0 : 0
  }

  /// In order, as spelled.
  package var fields: [(name: String, value: String)] {
    fieldLines(of: head, skippingStartLine: true)
  }

  package func values(of name: String) -> [String] {
    fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
  }

  /// The values of all lines named `name`, as one list; `nil` when no line has this name.
  package func value(of name: String) -> String? {
    let values = values(of: name)
    return values.isEmpty ? nil : values.joined(separator: ", ")
  }

  package var text: String { String(decoding: head, as: UTF8.self) }
  package var bodyText: String { String(decoding: body, as: UTF8.self) }
}

extension RawMessage: CustomStringConvertible {
  package var description: String { "\(text.debugDescription) and \(wireBody.count) bytes" }
}

func fieldLines(of bytes: [UInt8], skippingStartLine: Bool) -> [(name: String, value: String)] {
  let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n", omittingEmptySubsequences: true)
  return lines.dropFirst(skippingStartLine ? 1 : 0).map { line in
    let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let value = parts.count > 1 ? parts[1].drop { $0 == " " } : ""
    return (String(parts[0]), String(value))
  }
}

extension ReceivedStream {
  func takeHead(before deadline: Deadline, what: String = "a message head") throws(TestSupportError) -> [UInt8] {
    try take(through: Array("\r\n\r\n".utf8), before: deadline, what: what)
  }

  /// A head and the body that its fields announce. As servers do, sends `100 Continue` to a peer that waits for it.
  func takeRequest(before deadline: Deadline) throws(TestSupportError) -> RawMessage {
    let head = try takeHead(before: deadline, what: "a request")
    if RawMessage(head: head, body: [], wireBody: [], trailers: []).value(of: "Expect")?.lowercased() == "100-continue" {
      try send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8), before: deadline)
    }
    return try takeMessage(head: head, untilEnd: false, hasBody: true, before: deadline)
  }

  /// A head and its body; `requestMethod` and the status decide whether there is a body.
  func takeResponse(to requestMethod: String, before deadline: Deadline) throws(TestSupportError) -> RawMessage {
    let head = try takeHead(before: deadline, what: "a response to \(requestMethod)")
    let status = RawMessage(head: head, body: [], wireBody: [], trailers: []).status
    let isBodiless =
      requestMethod == "HEAD" || status / 100 == 1 || status == 204 || status == 304
      || (requestMethod == "CONNECT" && status / 100 == 2)
    return try takeMessage(head: head, untilEnd: true, hasBody: !isBodiless, before: deadline)
  }

  private func takeMessage(
    head: [UInt8], untilEnd: Bool, hasBody: Bool, before deadline: Deadline
  ) throws(TestSupportError) -> RawMessage {
    let bare = RawMessage(head: head, body: [], wireBody: [], trailers: [])
    guard hasBody else { return bare }
    if bare.value(of: "Transfer-Encoding")?.lowercased().hasSuffix("chunked") == true {
      return try takeChunked(after: head, before: deadline)
    }
    if let length = bare.value(of: "Content-Length") {
      guard let count = Int(length) else { throw .malformed("Content-Length: \(length)") }
      let body = try take(exactly: count, before: deadline, what: "a body of \(count) bytes")
      return RawMessage(head: head, body: body, wireBody: body, trailers: [])
    }
    guard untilEnd else { return bare }
    let body = try takeRest(before: deadline).bytes
    return RawMessage(head: head, body: body, wireBody: body, trailers: [])
  }

  private func takeChunked(after head: [UInt8], before deadline: Deadline) throws(TestSupportError) -> RawMessage {
    let lineEnd = Array("\r\n".utf8)
    var body: [UInt8] = []
    var wire: [UInt8] = []
    while true {
      let line = try take(through: lineEnd, before: deadline, what: "a chunk's size")
      wire += line
      let digits = String(decoding: line.dropLast(2), as: UTF8.self).prefix { $0 != ";" && $0 != " " }
      guard let size = Int(digits, radix: 16) else { throw .malformed("chunk size \(digits)") }
      guard size > 0 else { break }
      let chunk = try take(exactly: size + 2, before: deadline, what: "a chunk of \(size) bytes")
      wire += chunk
      body += chunk.dropLast(2)
    }
    var trailers: [UInt8] = []
    while true {
      let line = try take(through: lineEnd, before: deadline, what: "a trailer or the last line")
      wire += line
      guard line.count > 2 else { break }
      trailers += line
    }
    return RawMessage(
      head: head, body: body, wireBody: wire, trailers: fieldLines(of: trailers, skippingStartLine: false))
  }
}
