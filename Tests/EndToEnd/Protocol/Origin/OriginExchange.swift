import TapelineTestSupport
import Testing

/// One exchange with an origin that is scripted to the byte, through the real program.
struct OriginExchange {
  let origin: ScriptedOrigin
  /// All that the client got, and how it ended.
  let bytes: [UInt8]
  let end: StreamEnd
  let entry: RecordedEntry

  var text: String { String(decoding: bytes, as: UTF8.self) }
  /// All that the origin got on its first connection.
  var receivedText: String { origin.connections.first?.receivedText ?? "" }
}

/// Asks an origin that plays `script` on every connection, as a client that wants one answer.
func relaying(
  _ script: [OriginStep], options: [String] = [], request lines: [String] = [], method: String = "GET", version: String = "1.1",
  body: String = "", sourceLocation: SourceLocation = #_sourceLocation
) throws -> OriginExchange {
  let exchanges = try relayingEach(
    [script], options: options, request: lines, method: method, version: version, body: body, sourceLocation: sourceLocation)
  return try #require(exchanges.first, sourceLocation: sourceLocation)
}

/// The same with one script after the other, each an origin's of its own, through one proxy.
func relayingEach(
  _ scripts: [[OriginStep]], options: [String] = [], request lines: [String] = [], method: String = "GET",
  version: String = "1.1", body: String = "", sourceLocation: SourceLocation = #_sourceLocation
) throws -> [OriginExchange] {
  var results: [(origin: ScriptedOrigin, bytes: [UInt8], end: StreamEnd)] = []
  let recording = try recording(options, sourceLocation: sourceLocation) { proxy in
    for (number, script) in scripts.enumerated() {
      let origin = try ScriptedOrigin(script)
      let close = version == "1.1" ? ["Connection: close"] : []
      let client = try proxy.request(
        origin.absoluteRequest("/x\(number)", method: method, version: version, lines: lines + close) + body)
      let (bytes, end) = try client.receiveToEnd()
      results.append((origin, bytes, end))
    }
  }
  return try results.enumerated().map { number, result in
    OriginExchange(
      origin: result.origin, bytes: result.bytes, end: result.end,
      entry: try recording.entry("/x\(number)", sourceLocation: sourceLocation))
  }
}

/// Each of `responses` is answered with 502 and is an entry; its connection is not used again, and the client's goes on.
func expectRefusals(
  _ responses: [[UInt8]], kind: String = "protocol-violation", blamed blame: String = "upstream",
  proxyStatus: String = "http_protocol_error",
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let recording = try recording(sourceLocation: sourceLocation) { proxy in
    for (number, response) in responses.enumerated() {
      let client = try proxy.connect()
      let origin = try ScriptedOrigin { connection in
        connection == 0 ? [.expectRequest, .send(response), .expectEnd] : [.forever([.expectRequest, .respond(body: "good")])]
      }
      let comment = shown(response)
      try client.send(origin.absoluteRequest("/bad/\(number)"))
      let refusal = try client.receiveResponse()
      #expect(refusal.status == 502, comment, sourceLocation: sourceLocation)
      #expect(refusal.value(of: "Proxy-Status") == "tapeline; error=\(proxyStatus)", comment, sourceLocation: sourceLocation)
      #expect(refusal.value(of: "Connection") == nil, comment, sourceLocation: sourceLocation)
      try client.send(origin.absoluteRequest("/good"))
      #expect(try client.receiveResponse().bodyText == "good", comment, sourceLocation: sourceLocation)
      #expect(origin.connections.count == 2, comment, sourceLocation: sourceLocation)
      let first = try #require(try origin.waitForFinished(1).first { $0.number == 0 })
      #expect(first.requests.count == 1, comment, sourceLocation: sourceLocation)
    }
  }
  for (number, response) in responses.enumerated() {
    let comment = shown(response)
    let entry = try recording.entry("/bad/\(number)", sourceLocation: sourceLocation)
    #expect(entry.error?["origin"]?.string == blame, comment, sourceLocation: sourceLocation)
    #expect(entry.error?["kind"]?.string == kind, comment, sourceLocation: sourceLocation)
    #expect(entry.tree["_localStatus"]?.integer == 502, comment, sourceLocation: sourceLocation)
  }
}

private func shown(_ response: [UInt8]) -> Comment {
  Comment(rawValue: String(decoding: response.prefix(200), as: UTF8.self).debugDescription)
}

/// The responses that are refused, of one group of a file, are refused as the file says.
func expectRefusals(vectors file: String, _ group: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
  let refusals = try WireVectors.read(file).refusedResponses(group)
  #expect(!refusals.isEmpty, "\(file) has such responses", sourceLocation: sourceLocation)
  for alike in Dictionary(grouping: refusals, by: { [$0.kind, $0.blamed] }).values {
    let proxyStatus =
      switch alike[0].kind {
      case "transfer-coding": "http_response_transfer_coding"
      case "head-too-large": "http_response_header_section_size"
      default: "http_protocol_error"
      }
    try expectRefusals(
      alike.map(\.bytes), kind: alike[0].kind, blamed: alike[0].blamed, proxyStatus: proxyStatus, sourceLocation: sourceLocation)
  }
}

/// Asks an origin that plays `[.expectRequest, .send(response)] + ending`, for each response of one group of a file that is
/// passed on. What goes out and is noted must be what the file says.
@discardableResult
func expectRelayed(
  vectors file: String, _ group: String, then ending: [OriginStep] = [.expectEnd],
  sourceLocation: SourceLocation = #_sourceLocation
) throws -> [OriginExchange] {
  try WireVectors.read(file).passed(group).map { message in
    let response: [UInt8] = .latin1(message.text)
    let exchange = try relaying(
      [.expectRequest, .send(response)] + ending, method: message.method, version: message.version,
      sourceLocation: sourceLocation)
    let comment = shown(response)
    if let becomes = message.becomes {
      #expect(
        exchange.bytes == .latin1(becomes), "\(comment) became \(exchange.text.debugDescription)", sourceLocation: sourceLocation)
    }
    if let anomalies = message.anomalies {
      let noted = exchange.entry.tree["_anomalies"]?.elements.compactMap(\.string) ?? []
      #expect(noted == anomalies, comment, sourceLocation: sourceLocation)
    }
    if let content = message.content {
      #expect(exchange.entry.contentText == content, comment, sourceLocation: sourceLocation)
    }
    return exchange
  }
}

extension ScriptedOrigin {
  /// The head of a request to this origin, as a proxy is sent it.
  func absoluteRequest(
    _ path: String, method: String = "GET", version: String = "1.1", lines: [String] = []
  ) -> String {
    (["\(method) \(url(path)) HTTP/\(version)", "Host: \(authority)"] + lines + ["", ""]).joined(separator: "\r\n")
  }
}
