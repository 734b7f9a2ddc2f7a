import TapelineTestSupport
import Testing

/// A request that is refused, and how.
struct RefusedRequest {
  let bytes: [UInt8]
  let status: Int
  /// The `kind` in the entry's `_error`.
  let kind: String

  /// - Parameter text: one byte for each scalar, so that a test can say which bytes it sends.
  init(_ text: String, _ kind: String, _ status: Int = 400) {
    bytes = .latin1(text)
    self.status = status
    self.kind = kind
  }
}

extension ScriptedOrigin {
  /// Answers each request with the bytes that came, so that a client sees what its request has become.
  static func echo(on loopback: Loopback = .v4) throws -> ScriptedOrigin {
    try ScriptedOrigin(on: loopback, [.forever([.answer { .response(body: $0.head + $0.wireBody) }])])
  }
}

extension TapelineProcess {
  /// Sends a request, on a connection of its own, to an origin that echoes: what arrived there.
  func forwarded(_ text: String, method: String = "GET") throws -> [UInt8] {
    let client = try connect()
    try client.send(.latin1(text))
    let response = try client.receiveResponse(to: method)
    try #require(response.status == 200, "\(text.debugDescription): \(response) \(response.bodyText)")
    return response.body
  }

  /// Sends a request, on a connection of its own, to an origin that echoes, and compares what arrived there.
  func expectForwarded(
    _ text: String, as expected: String, method: String = "GET", _ comment: Comment? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let arrived = try forwarded(text, method: method)
    guard arrived != .latin1(expected) else { return }
    let text = String(decoding: arrived, as: UTF8.self).debugDescription
    Issue.record(
      "\(comment.map { "\($0): " } ?? "")arrived as \(text), not \(expected.debugDescription)", sourceLocation: sourceLocation)
  }

  /// Sends `request` on a connection of its own and looks at all that a refusal owes: the status, a short text, the error's type,
  /// and the end of the connection with not a byte more.
  func expectRefused(_ request: RefusedRequest, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let what = "\(String(decoding: request.bytes.prefix(300), as: UTF8.self).debugDescription)"
    let client = try connect()
    // What is refused at its first bytes may be answered, and its connection closed, before the rest was sent.
    do { try client.send(request.bytes) } catch TestSupportError.system {}
    let isHead = request.bytes.starts(with: Array("HEAD ".utf8))
    let response: RawMessage
    do {
      response = try client.receiveResponse(to: isHead ? "HEAD" : "GET")
    } catch {
      Issue.record("\(what): \(error)", sourceLocation: sourceLocation)
      return
    }
    #expect(response.status == request.status, "\(what): \(response.bodyText)", sourceLocation: sourceLocation)
    #expect(response.values(of: "Connection") == ["close"], "\(what)", sourceLocation: sourceLocation)
    #expect(response.values(of: "Content-Type") == ["text/plain; charset=utf-8"], "\(what)", sourceLocation: sourceLocation)
    #expect(
      response.values(of: "Proxy-Status") == ["tapeline; error=http_request_error"], "\(what)", sourceLocation: sourceLocation)
    #expect(isHead || response.bodyText.hasPrefix("tapeline: "), "\(what)", sourceLocation: sourceLocation)
    let (rest, end) = try client.receiveToEnd()
    #expect(rest == [] && end == .closed, "\(what): \(rest)", sourceLocation: sourceLocation)
  }
}

/// Each request, on a connection of its own, is refused and recorded with the reason, and the origin that it names hears of none.
func expectRefused(
  _ options: [String] = [], sourceLocation: SourceLocation = #_sourceLocation, _ requests: (_ origin: String) -> [RefusedRequest]
) throws {
  let origin = try ScriptedOrigin([.expectEnd])
  let requests = requests(origin.authority)
  let recording = try recording(options, sourceLocation: sourceLocation) { proxy in
    for request in requests { try proxy.expectRefused(request, sourceLocation: sourceLocation) }
  }
  #expect(origin.connections.isEmpty, "the origin heard of it", sourceLocation: sourceLocation)
  #expect(recording.entriesAsTheyCame.map { $0.error?["kind"]?.string } == requests.map(\.kind), sourceLocation: sourceLocation)
  // What exceeds a limit of ours is not the client's fault.
  for error in recording.entries.map(\.error) {
    let isLimit = error?["option"]?.string?.hasPrefix("--max-") ?? false
    #expect(error?["origin"]?.string == (isLimit ? "local" : "client"), sourceLocation: sourceLocation)
  }
  #expect(recording.entries.allSatisfy { $0.status == 0 || $0.status == nil }, sourceLocation: sourceLocation)
}

/// Each request of one group of a file that is passed on arrives at an origin as the file says.
func expectForwarded(
  vectors file: String, _ group: String, _ options: [String] = [], on loopback: Loopback = .v4,
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let origin = try ScriptedOrigin.echo(on: loopback)
  _ = try recording(options, sourceLocation: sourceLocation) { proxy in
    try proxy.expectForwarded(vectors: file, group, to: origin, sourceLocation: sourceLocation)
  }
}

extension TapelineProcess {
  /// The same with a proxy and an origin that are there.
  func expectForwarded(
    vectors file: String, _ group: String, to origin: ScriptedOrigin, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for message in try WireVectors.read(file).passed(group, origin: origin.authority) {
      let becomes = try #require(message.becomes, sourceLocation: sourceLocation)
      try expectForwarded(
        message.text, as: becomes, method: message.method, "\(message.text.debugDescription)", sourceLocation: sourceLocation)
    }
  }
}

extension [UInt8] {
  /// One byte for each scalar.
  static func latin1(_ text: String) -> [UInt8] {
    text.unicodeScalars.map { scalar in
      precondition(scalar.value < 0x100, "a byte has no more than 8 bits")
      return UInt8(scalar.value)
    }
  }
}
