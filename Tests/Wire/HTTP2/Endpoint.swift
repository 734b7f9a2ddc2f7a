import TapelineHTTP
import TapelineHTTP2
import TapelineTime

/// One side of a connection without sockets: what it reads becomes a transcript, what it has to send is pulled from here.
final class Endpoint {
  var connection: HTTP2Connection
  /// The next answers to pulls.
  var contents: [HTTP2StreamID: [HTTP2Content]] = [:]
  /// One line for each event; content that came in one run is one line.
  private(set) var transcript: [String] = []
  private(set) var received: [HTTP2StreamID: Int] = [:]
  private(set) var requests: [HTTP2StreamID: HTTP2RequestHead] = [:]
  private(set) var responses: [HTTP2StreamID: HTTP2ResponseHead] = [:]
  private(set) var violation: HTTP2Violation?
  private(set) var refusals: [HTTP2StreamID: HTTP2Violation] = [:]
  private(set) var oversized: [HTTP2StreamID: (excess: HTTP2Violation.Excess, method: String?)] = [:]
  private(set) var eventCount = 0
  var now = MonotonicInstant(nanoseconds: 0)
  /// The streams whose content nobody takes.
  var stopped: Set<HTTP2StreamID> = []
  var keepsTranscript = true
  private var run: (stream: HTTP2StreamID, bytes: [UInt8])?

  init(_ role: HTTP2Role, limits: HTTP2Limits = HTTP2Limits(), offersExtendedConnect: Bool = false) {
    connection = HTTP2Connection(role: role, limits: limits, offersExtendedConnect: offersExtendedConnect)
  }

  // For expectations, which cannot look into a value that is not copyable.
  var isFinished: Bool { connection.isFinished }
  var mayOpenStream: Bool { connection.mayOpenStream }
  var openStreams: Int { connection.openStreams }
  var peerSettings: HTTP2PeerSettings { connection.peerSettings }

  /// Opens a stream with a request of this head.
  @discardableResult
  func submit(
    _ lines: [(String, String)] = request(), method: HTTPMethod = .get, hasContent: Bool = false
  ) -> HTTP2StreamID? {
    connection.submitRequest(HTTP2HeaderList(lines), method: method, hasContent: hasContent)
  }

  func respond(_ stream: HTTP2StreamID, _ lines: [(String, String)] = [(":status", "200")], hasContent: Bool = false) {
    connection.submitResponse(HTTP2HeaderList(lines), on: stream, hasContent: hasContent)
  }

  func read(_ bytes: [UInt8]) {
    var offset = 0
    while let event = connection.receive(bytes.span, from: &offset, at: now) { handle(event, of: bytes) }
  }

  func read(_ frames: [Frame]) {
    read(frames.flatMap(\.bytes))
  }

  @discardableResult
  func write(limit: Int = 1 << 30) -> [UInt8] {
    var output: [UInt8] = []
    connection.nextOutput(into: &output, limit: limit) { stream, limit in self.pull(stream, limit) }
    drainEvents()
    return output
  }

  func drainEvents() {
    while let event = connection.nextEvent() { handle(event, of: []) }
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

  private func handle(_ event: HTTP2Event, of input: [UInt8]) {
    eventCount += 1
    switch event {
    case .data(let stream, let range):
      received[stream, default: 0] += range.count
      if !stopped.contains(stream) { connection.consume(range.count, on: stream) }
      if keepsTranscript { note(input[range], on: stream) }
      return
    case .request(let stream, let head, _): requests[stream] = head
    case .response(let stream, let head, _): responses[stream] = head
    case .refused(let stream, let violation): refusals[stream] = violation
    case .oversizedRequest(let stream, let excess, let method, _): oversized[stream] = (excess, method)
    case .failed(let violation): self.violation = violation
    default: break
    }
    if keepsTranscript {
      endRun()
      transcript.append(Self.text(of: event))
    }
  }

  private func note(_ bytes: ArraySlice<UInt8>, on stream: HTTP2StreamID) {
    if run?.stream != stream { endRun() }
    run = (stream, (run?.bytes ?? []) + bytes)
  }

  func endRun() {
    guard let run else { return }
    transcript.append("\(run.stream) data \(String(decoding: run.bytes, as: UTF8.self))")
    self.run = nil
  }

  private static func text(of event: HTTP2Event) -> String {
    switch event {
    case .request(let stream, let head, let ends):
      "\(stream) request \(text(of: head.list)) wire \(head.wireSize)\(ends ? " end" : "")"
    case .oversizedRequest(let stream, let excess, let method, let ends):
      "\(stream) oversized \(excess.rawValue) \(method ?? "?")\(ends ? " end" : "")"
    case .interim(let stream, let head): "\(stream) interim \(text(of: head.list))"
    case .response(let stream, let head, let ends):
      "\(stream) response \(text(of: head.list)) wire \(head.wireSize)\(ends ? " end" : "")"
    case .data: ""
    case .trailers(let stream, let trailers): "\(stream) trailers \(text(of: trailers.list))"
    case .end(let stream): "\(stream) end"
    case .reset(let stream, let code, let resetter): "\(stream) reset \(code.name) by \(resetter)"
    case .refused(let stream, let violation): "\(stream) refused \(violation.name)"
    case .closed(let stream): "\(stream) closed"
    case .headSent(let stream, let size): "\(stream) head sent \(size)"
    case .endSent(let stream): "\(stream) end sent"
    case .settings(let settings): "settings streams \(settings.maxConcurrentStreams) window \(settings.initialWindowSize)"
    case .settingsAcknowledged: "settings acknowledged"
    case .pong(let payload): "pong \(payload)"
    case .priority(let stream, let value): "\(stream) priority \(value)"
    case .goAway(let last, let code): "goaway \(last) \(code.name)"
    case .failed(let violation): "failed \(violation.name)"
    }
  }

  private static func text(of list: HTTP2HeaderList) -> String {
    list.texts.map { "\($0.name)=\($0.value)" }.joined(separator: " ")
  }
}

/// Carries bytes both ways until nothing moves.
func exchange(_ left: Endpoint, _ right: Endpoint, limit: Int = 1 << 30) {
  while true {
    let there = left.write(limit: limit)
    if !there.isEmpty { right.read(there) }
    let back = right.write(limit: limit)
    if !back.isEmpty { left.read(back) }
    if there.isEmpty, back.isEmpty { return }
  }
}

/// A request for `path` of `https://a`.
func request(_ path: String = "/", method: String = "GET", _ fields: [(String, String)] = []) -> [(String, String)] {
  [(":method", method), (":scheme", "https"), (":authority", "a"), (":path", path)] + fields
}

extension Endpoint {
  /// A server that has read the beginning of a client that writes frames by hand.
  static func server(limits: HTTP2Limits = HTTP2Limits(), offersExtendedConnect: Bool = false) -> Endpoint {
    let server = Endpoint(.server, limits: limits, offersExtendedConnect: offersExtendedConnect)
    server.read(Frame.preface + Frame.settings().bytes)
    server.write()
    server.read([.settingsAcknowledgement])
    return server
  }

  /// A client that has sent a request on stream 1 and others after it, and has read the beginning of a server that writes frames
  /// by hand.
  static func client(limits: HTTP2Limits = HTTP2Limits(), requests: Int = 1, method: HTTPMethod = .get) -> Endpoint {
    let client = Endpoint(.client, limits: limits)
    for _ in 0..<requests {
      client.submit(request(method: method.rawValue), method: method)
    }
    client.write()
    client.read([.settings(), .settingsAcknowledgement])
    client.write()
    return client
  }
}
