internal import TapelineHTTP
package import TapelineHTTP2
internal import TapelineTime

/// A blocking stream of bytes, in clear or over TLS.
package protocol ByteWire {
  func send(_ bytes: [UInt8]) throws
  func receive(exactly count: Int) throws -> [UInt8]
}

extension RawClient: ByteWire {}

/// An HTTP/2 client over a blocking stream: it opens streams as the test says, with any header list, and reads only while the
/// test waits for something.
package final class HTTP2Client {
  /// The message that has come on a stream.
  package struct Response {
    package var interim: [HTTP2ResponseHead] = []
    package var head: HTTP2ResponseHead?
    package var body: [UInt8] = []
    package var trailers: HTTP2Trailers?
    package var ended = false
    package var reset: HTTP2ErrorCode?

    package var isOver: Bool { ended || reset != nil }
    package var status: Int { head?.status ?? 0 }
    package var bodyText: String { String(decoding: body, as: UTF8.self) }

    package func values(of name: String) -> [String] { head?.fields.values(named: name) ?? [] }
  }

  private let wire: any ByteWire
  private var connection: HTTP2Connection
  /// Content that waits for the server's windows; the flag: it is the last.
  private var outgoing: [HTTP2StreamID: (bytes: [UInt8], isLast: Bool)] = [:]
  private var requestTrailers: [HTTP2StreamID: HTTP2HeaderList] = [:]
  package private(set) var responses: [HTTP2StreamID: Response] = [:]
  /// The streams whose content is read and not consumed, so that their windows close.
  package var stopped: Set<HTTP2StreamID> = []
  package private(set) var settings: HTTP2PeerSettings?
  package private(set) var goAway: HTTP2ErrorCode?
  package private(set) var violation: HTTP2Violation?

  package init(over wire: any ByteWire, limits: HTTP2Limits = HTTP2Limits()) {
    self.wire = wire
    connection = HTTP2Connection(role: .client, limits: limits)
  }

  // MARK: Requests

  /// Opens a stream with these lines.
  package func open(_ lines: [(String, String)], hasContent: Bool = false) throws -> HTTP2StreamID {
    let method = lines.first { $0.0 == ":method" }?.1 ?? "GET"
    guard
      let stream = connection.submitRequest(
        HTTP2HeaderList(lines), method: HTTPMethod(rawValue: method), hasContent: hasContent)
    else { throw TestSupportError.malformed("the connection takes no more requests") }
    responses[stream] = Response()
    try flush()
    return stream
  }

  package func send(_ bytes: [UInt8], on stream: HTTP2StreamID, isLast: Bool = false) throws {
    outgoing[stream, default: ([], false)].bytes += bytes
    outgoing[stream]?.isLast = isLast
    connection.resume(stream)
    try flush()
  }

  package func end(_ stream: HTTP2StreamID, trailers: [(String, String)]) throws {
    requestTrailers[stream] = HTTP2HeaderList(trailers)
    try send([], on: stream, isLast: true)
  }

  package func reset(_ stream: HTTP2StreamID, _ code: HTTP2ErrorCode = .cancel) throws {
    connection.reset(stream, code)
    try flush()
  }

  package func leave() throws {
    connection.beginShutdown()
    try flush()
  }

  /// Bytes that no library would write.
  package func send(raw bytes: [UInt8]) throws {
    try flush()
    try wire.send(bytes)
  }

  /// The stream's content may come again.
  package func resumeReading(_ stream: HTTP2StreamID) throws {
    stopped.remove(stream)
    try consume(connection.unconsumed(on: stream), on: stream)
  }

  /// So much more of a stopped stream's content may come.
  package func consume(_ count: Int, on stream: HTTP2StreamID) throws {
    connection.consume(count, on: stream)
    try flush()
  }

  /// Content of a request that waits for the server's windows.
  package func waitingBytes(on stream: HTTP2StreamID) -> Int { outgoing[stream]?.bytes.count ?? 0 }

  /// Content that came on a stream and was not consumed.
  package func unconsumed(on stream: HTTP2StreamID) -> Int { connection.unconsumed(on: stream) }

  package func updatePriority(of stream: HTTP2StreamID, _ value: String) throws {
    connection.updatePriority(of: stream, fieldValue: value)
    try flush()
  }

  // MARK: Waiting

  /// The response, once the stream is over.
  package func response(to stream: HTTP2StreamID) throws -> Response {
    try wait { $0.responses[stream]?.isOver ?? false }
    return responses[stream] ?? Response()
  }

  /// Reads frames until `isMet`.
  package func wait(until isMet: (HTTP2Client) throws -> Bool) throws {
    try flush()
    while try !isMet(self) { try readFrame() }
  }

  private func readFrame() throws {
    var frame = try wire.receive(exactly: 9)
    let length = Int(frame[0]) << 16 | Int(frame[1]) << 8 | Int(frame[2])
    frame += try wire.receive(exactly: length)
    var offset = 0
    while let event = connection.receive(frame.span, from: &offset, at: .now) { handle(event, of: frame) }
    try flush()
  }

  package func flush() throws {
    while true {
      var output: [UInt8] = []
      connection.nextOutput(into: &output, limit: 1 << 20) { [self] stream, limit in pull(stream, limit) }
      while let event = connection.nextEvent() { handle(event, of: []) }
      if output.isEmpty { return }
      try wire.send(output)
    }
  }

  private func pull(_ stream: HTTP2StreamID, _ limit: Int) -> HTTP2Content {
    guard let waiting = outgoing[stream] else { return .later }
    if waiting.bytes.isEmpty {
      guard waiting.isLast else { return .later }
      return requestTrailers[stream].map { .trailers($0) } ?? .end
    }
    outgoing[stream]?.bytes = Array(waiting.bytes.dropFirst(limit))
    let isLast = waiting.isLast && waiting.bytes.count <= limit && requestTrailers[stream] == nil
    return .bytes(Array(waiting.bytes.prefix(limit)), isLast: isLast)
  }

  private func handle(_ event: HTTP2Event, of bytes: [UInt8]) {
    switch event {
    case .interim(let stream, let head): responses[stream]?.interim.append(head)
    case .response(let stream, let head, endsStream: _): responses[stream]?.head = head
    case .data(let stream, let range):
      responses[stream]?.body += bytes[range]
      if !stopped.contains(stream) { connection.consume(range.count, on: stream) }
    case .trailers(let stream, let trailers): responses[stream]?.trailers = trailers
    case .end(let stream): responses[stream]?.ended = true
    case .reset(let stream, let code, by: _): responses[stream]?.reset = code
    case .refused(let stream, let violation): responses[stream]?.reset = violation.code
    case .settings(let settings): self.settings = settings
    case .goAway(last: _, let code): goAway = code
    case .failed(let violation): self.violation = violation
    case .request, .oversizedRequest, .closed, .headSent, .endSent, .settingsAcknowledged, .pong, .priority: break
    }
  }
}
