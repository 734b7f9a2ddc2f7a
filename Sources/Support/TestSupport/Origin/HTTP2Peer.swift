package import TapelineHTTP2
package import TapelineTLS
internal import TapelineBase
internal import TapelineTime

/// A scripted origin's side of an HTTP/2 connection, in clear or over TLS, for the script of a connection: blocking, on the
/// connection's own thread.
///
/// Each call that waits reads frames and keeps what they say; what was said so far is sent before.
package final class HTTP2Peer {
  package let origin: OriginConnection
  private let engine: TLSEngine?
  private let buffer = PlaintextBuffer()
  private var http: HTTP2Connection
  /// Over TLS, for a client that did not choose HTTP/2: what was decrypted and not taken.
  private var plaintext: [UInt8] = []

  /// The streams in the order of their requests.
  package private(set) var streams: [HTTP2StreamID] = []
  package private(set) var requests: [HTTP2StreamID: HTTP2RequestHead] = [:]
  package private(set) var bodies: [HTTP2StreamID: [UInt8]] = [:]
  package private(set) var trailers: [HTTP2StreamID: HTTP2Trailers] = [:]
  /// Streams whose requests are complete.
  package private(set) var ended: Set<HTTP2StreamID> = []
  package private(set) var resets: [HTTP2StreamID: HTTP2ErrorCode] = [:]
  /// The last wish for each stream (RFC 9218 7).
  package private(set) var priorities: [HTTP2StreamID: String] = [:]
  package private(set) var goAway: HTTP2ErrorCode?
  package private(set) var violation: HTTP2Violation?
  /// Streams whose content nobody takes: their windows stay closed.
  package var stopped: Set<HTTP2StreamID> = []
  private var contents: [HTTP2StreamID: [HTTP2Content]] = [:]
  private var taken = 0

  init(on origin: OriginConnection, engine: TLSEngine?, limits: HTTP2Limits, offersExtendedConnect: Bool) {
    self.origin = origin
    self.engine = engine
    http = HTTP2Connection(role: .server, limits: limits, offersExtendedConnect: offersExtendedConnect)
  }

  /// Completes the TLS handshake; of one that fails, sends the alert first.
  func shakeHands() throws {
    guard let engine else { return }
    while !engine.isEstablished {
      let record = try receiveRecord()
      do {
        _ = try engine.handshake(record.span)
      } catch {
        try flushCiphertext()
        throw TestSupportError.malformed("TLS: \(error)")
      }
      try flushCiphertext()
    }
  }

  /// The protocol that ALPN agreed on; `nil` without TLS.
  package var applicationProtocol: ApplicationProtocol? { engine?.parameters.applicationProtocol }

  // MARK: Waiting

  /// Does nothing for a while: the server's slowness is part of the script.
  package func rest(milliseconds: Int) { pause(milliseconds: milliseconds) }

  /// The next request, in the order in which they came.
  package func nextRequest() throws -> HTTP2StreamID {
    try wait { self.streams.count > self.taken }
    taken += 1
    return streams[taken - 1]
  }

  /// The content of a request, once it is complete.
  @discardableResult
  package func receiveBody(of stream: HTTP2StreamID) throws -> [UInt8] {
    try wait { self.ended.contains(stream) }
    return bodies[stream] ?? []
  }

  /// Reads until the condition holds.
  package func wait(until condition: () -> Bool) throws {
    try flush()
    while !condition() {
      try read()
      try flush()
    }
  }

  /// Reads until the peer ends the connection.
  package func waitForEnd() throws {
    do {
      try wait { false }
    } catch TestSupportError.ended {
      return
    }
  }

  // MARK: Saying

  package func respond(
    _ stream: HTTP2StreamID, _ status: Int = 200, _ fields: [(String, String)] = [], body: String = ""
  ) throws {
    http.submitResponse(Self.list(status, fields), on: stream, hasContent: !body.isEmpty)
    // In one piece with the head: a client that acts on the head has the body by then.
    if !body.isEmpty { contents[stream, default: []].append(.bytes(Array(body.utf8), isLast: true)) }
    try flush()
  }

  package func sendInterim(_ status: Int, _ fields: [(String, String)] = [], on stream: HTTP2StreamID) throws {
    http.submitInterim(Self.list(status, fields), on: stream)
    try flush()
  }

  package func sendHead(
    _ stream: HTTP2StreamID, _ status: Int = 200, _ fields: [(String, String)] = [], hasContent: Bool = true
  ) throws {
    http.submitResponse(Self.list(status, fields), on: stream, hasContent: hasContent)
    try flush()
  }

  /// Sends content as far as the windows allow; the rest follows while the script waits.
  package func send(_ bytes: [UInt8], on stream: HTTP2StreamID, isLast: Bool = false) throws {
    contents[stream, default: []].append(.bytes(bytes, isLast: isLast))
    http.resume(stream)
    try flush()
  }

  package func send(_ text: String, on stream: HTTP2StreamID, isLast: Bool = false) throws {
    try send(Array(text.utf8), on: stream, isLast: isLast)
  }

  package func end(_ stream: HTTP2StreamID, trailers: [(String, String)]? = nil) throws {
    contents[stream, default: []].append(trailers.map { .trailers(HTTP2HeaderList($0)) } ?? .end)
    http.resume(stream)
    try flush()
  }

  package func reset(_ stream: HTTP2StreamID, _ code: HTTP2ErrorCode) throws {
    http.reset(stream, code)
    try flush()
  }

  /// Takes the content that was left in the window.
  package func consume(_ stream: HTTP2StreamID) throws {
    stopped.remove(stream)
    http.consume(http.unconsumed(on: stream), on: stream)
    try flush()
  }

  /// Goes away: names the last stream that has come, at once.
  package func leave() throws {
    http.beginShutdown()
    http.completeShutdown()
    try flush()
  }

  /// Bytes as they are: frames that no library writes.
  package func sendRaw(_ bytes: [UInt8]) throws {
    try flush()
    try write(bytes)
  }

  /// A frame written by hand (RFC 9113 4.1).
  package func sendFrame(type: UInt8, flags: UInt8 = 0, on stream: HTTP2StreamID, _ payload: [UInt8]) throws {
    let length = [UInt8(payload.count >> 16), UInt8(payload.count >> 8 & 0xFF), UInt8(payload.count & 0xFF)]
    let number = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: stream >> $0) }
    try sendRaw(length + [type, flags] + number + payload)
  }

  /// Bytes of content that the peer lets us send on a stream.
  package func sendWindow(of stream: HTTP2StreamID) -> Int { http.sendWindow(of: stream) }

  /// Bytes that wait for the peer's windows.
  package func waitingBytes(on stream: HTTP2StreamID) -> Int {
    (contents[stream] ?? []).reduce(0) { sum, content in
      if case .bytes(let bytes, _) = content { sum + bytes.count } else { sum }
    }
  }

  // MARK: HTTP/1.1, if ALPN chose it

  package func receiveHead() throws -> String {
    let mark = Array("\r\n\r\n".utf8)
    while true {
      if let match = plaintext.firstRange(of: mark) {
        defer { plaintext.removeFirst(match.upperBound) }
        return String(decoding: plaintext[..<match.upperBound], as: UTF8.self)
      }
      plaintext += try receivePlaintext()
    }
  }

  package func send(_ text: String) throws {
    try write(Array(text.utf8))
  }

  // MARK: Frames

  private static func list(_ status: Int, _ fields: [(String, String)]) -> HTTP2HeaderList {
    HTTP2HeaderList([(":status", "\(status)")] + fields)
  }

  private func read() throws {
    let bytes = try receivePlaintext()
    var offset = 0
    while let event = http.receive(bytes.span, from: &offset, at: .now) { note(event, of: bytes) }
  }

  package func flush() throws {
    var output: [UInt8] = []
    http.nextOutput(into: &output, limit: 1 << 30) { [self] in pull($0, $1) }
    while let event = http.nextEvent() { note(event, of: []) }
    if !output.isEmpty { try write(output) }
  }

  private func pull(_ stream: HTTP2StreamID, _ limit: Int) -> HTTP2Content {
    guard let next = contents[stream]?.first else { return .later }
    if case .bytes(let bytes, let isLast) = next, bytes.count > limit {
      contents[stream]?[0] = .bytes(Array(bytes[limit...]), isLast: isLast)
      return .bytes(Array(bytes[..<limit]))
    }
    contents[stream]?.removeFirst()
    return next
  }

  private func note(_ event: HTTP2Event, of bytes: [UInt8]) {
    switch event {
    case .request(let stream, let head, _):
      streams.append(stream)
      requests[stream] = head
    case .data(let stream, let range):
      bodies[stream, default: []] += bytes[range]
      if !stopped.contains(stream) { http.consume(range.count, on: stream) }
    case .trailers(let stream, let section): trailers[stream] = section
    case .end(let stream): ended.insert(stream)
    case .reset(let stream, let code, _): resets[stream] = code
    case .priority(let stream, let value): priorities[stream] = value
    case .goAway(_, let code): goAway = code
    case .failed(let violation): self.violation = violation
    case .oversizedRequest, .interim, .response, .refused, .closed, .headSent, .endSent, .settings, .settingsAcknowledged, .pong:
      break
    }
  }

  // MARK: Bytes

  private func write(_ bytes: [UInt8]) throws {
    guard let engine else { return try origin.send(bytes) }
    var output: [UInt8] = []
    try engine.write(bytes.span, into: &output)
    try origin.send(output)
  }

  private func receivePlaintext() throws -> [UInt8] {
    guard let engine else { return try receiveFrame() }
    var bytes: [UInt8] = []
    let record = try receiveRecord()
    let input = try engine.receive(record.span, using: buffer) { bytes.append(bytes: $0) }
    try flushCiphertext()
    if case .ended = input { throw TestSupportError.ended(.closed, waitingFor: "more plaintext", received: bytes) }
    return bytes
  }

  private var hasPreface = false

  /// In clear: the preface, and then frame by frame.
  private func receiveFrame() throws -> [UInt8] {
    guard hasPreface else {
      hasPreface = true
      return try origin.receive(exactly: 24)
    }
    let header = try origin.receive(exactly: 9)
    let length = Int(header[0]) << 16 | Int(header[1]) << 8 | Int(header[2])
    return length == 0 ? header : header + (try origin.receive(exactly: length))
  }

  /// One record (RFC 8446 5.1).
  private func receiveRecord() throws -> [UInt8] {
    let header = try origin.receive(exactly: 5)
    return header + (try origin.receive(exactly: Int(header[3]) << 8 | Int(header[4])))
  }

  private func flushCiphertext() throws {
    guard let engine, engine.hasCiphertext else { return }
    var output: [UInt8] = []
    engine.takeCiphertext(into: &output)
    try origin.send(output)
  }
}

/// Origins that speak HTTP/2.
package enum HTTP2Origin {
  /// A server's needs for TLS.
  package struct TLS: Sendable {
    package let context: TLSServerContext
    package let credentials: TLSCredentials

    package init(context: TLSServerContext, credentials: TLSCredentials) {
      self.context = context
      self.credentials = credentials
    }
  }

  /// - Parameters:
  ///   - tls: `nil` for HTTP/2 in clear, by prior knowledge.
  ///   - script: what the origin does on the connection with this number, counted from 0, after the TLS handshake.
  package static func start(
    _ tls: TLS?, limits: HTTP2Limits = HTTP2Limits(), offersExtendedConnect: Bool = false, patience: Int64 = 20,
    script: @escaping @Sendable (_ peer: HTTP2Peer, _ connection: Int) throws -> Void
  ) throws -> ScriptedOrigin {
    try ScriptedOrigin(patience: patience) { _ in
      [
        .run { connection in
          let engine = try tls.map { try TLSEngine(server: $0.context, credentials: $0.credentials) }
          let peer = HTTP2Peer(on: connection, engine: engine, limits: limits, offersExtendedConnect: offersExtendedConnect)
          try peer.shakeHands()
          try script(peer, connection.number)
        }
      ]
    }
  }
}

extension HTTP2RequestHead {
  /// The value of `:path`; empty in a request without it.
  package var path: [UInt8] {
    let name = Array(":path".utf8)
    let line = (0..<list.count).first { Array(list.bytes[list.nameRange(at: $0)]) == name }
    return line.map { Array(list.bytes[list.valueRange(at: $0)]) } ?? []
  }
}
