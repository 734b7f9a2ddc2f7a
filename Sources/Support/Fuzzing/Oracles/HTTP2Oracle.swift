internal import TapelineHTTP
internal import TapelineHTTP2
internal import TapelineTime

/// Frames of HTTP/2, after the preface of a client and of an origin: the split into pieces changes nothing, no more comes out
/// than went in, and every request that passes is one request of HTTP/1.1.
enum HTTP2Oracle {
  static func check(_ input: [UInt8]) throws(OracleViolation) {
    for role in [HTTP2Role.server, .client] {
      let whole = try Reading(of: input, as: role, .whole)
      for segmentation in Segmentation.all(of: input) {
        let other = try Reading(of: input, as: role, segmentation)
        try OracleViolation.requireEqual(
          other.events, whole.events, "events of the \(role) \(segmentation) and in one piece are the same")
        try OracleViolation.requireEqual(
          other.output, whole.output, "what the \(role) sends \(segmentation) and in one piece is the same")
      }
    }
  }

  /// One side's reading of the bytes.
  private struct Reading {
    private(set) var events: [String] = []
    private(set) var output: [UInt8] = []
    private var contentCount = 0
    private var content: (stream: HTTP2StreamID, bytes: [UInt8])?

    init(of input: [UInt8], as role: HTTP2Role, _ segmentation: Segmentation) throws(OracleViolation) {
      var connection = HTTP2Connection(role: role, offersExtendedConnect: true)
      let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]
      switch role {
      case .server:
        try read(Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + settings, from: &connection)
      case .client:
        let lines = [(":method", "GET"), (":scheme", "https"), (":authority", "a"), (":path", "/")]
        for method in [HTTPMethod.get, .head, .connect] {
          _ = connection.submitRequest(HTTP2HeaderList(lines), method: method, hasContent: false)
        }
        connection.nextOutput(into: &output, limit: 1 << 20) { _, _ in .end }
        output = []
        try read(settings, from: &connection)
      }
      for range in segmentation.pieces(of: input.count) { try read(Array(input[range]), from: &connection) }
      connection.nextOutput(into: &output, limit: 1 << 20) { _, _ in .end }
      while let event = connection.nextEvent() { try note(event, of: [], in: &connection) }
      endContent()
      try OracleViolation.require(contentCount <= input.count, "there is no more content than came")
      // An answer has at most as many bytes as twice the frame that it answers; GOAWAY may bring a text.
      try OracleViolation.require(output.count <= 2 * input.count + 1000, "a few bytes do not make us send many")
    }

    private mutating func read(_ bytes: [UInt8], from connection: inout HTTP2Connection) throws(OracleViolation) {
      var offset = 0
      let instant = MonotonicInstant(nanoseconds: 0)
      while let event = connection.receive(bytes.span, from: &offset, at: instant) {
        try note(event, of: bytes, in: &connection)
      }
    }

    private mutating func note(
      _ event: HTTP2Event, of input: [UInt8], in connection: inout HTTP2Connection
    ) throws(OracleViolation) {
      if case .data(let stream, let range) = event {
        contentCount += range.count
        connection.consume(range.count, on: stream)
        if content?.stream != stream { endContent() }
        content = (stream, (content?.bytes ?? []) + input[range])
        return
      }
      endContent()
      switch event {
      case .request(let stream, let head, let endsStream):
        try HTTP2Oracle.checkMeaning(of: head, endsStream: endsStream)
        try HeadRedactionOracle.check(head.fields)
        note("\(stream) request \(head.list.texts) \(head.wireSize) \(endsStream)")
      case .interim(let stream, let head):
        try HeadRedactionOracle.check(head.http1Head.fields)
        note("\(stream) interim \(head.list.texts)")
      case .response(let stream, let head, let endsStream):
        try OracleViolation.require(head.http1Head.status == head.status, "a response has its status in HTTP/1.1")
        try HeadRedactionOracle.check(head.http1Head.fields)
        note("\(stream) response \(head.list.texts) \(head.wireSize) \(endsStream)")
      case .trailers(let stream, let trailers):
        try HeadRedactionOracle.check(trailers.fields)
        note("\(stream) trailers \(trailers.list.texts)")
      // A stream that ends in the frame that we refuse is forgotten at that end or at our reset, as the pieces fall.
      case .closed: break
      case .data, .oversizedRequest, .end, .reset, .refused, .headSent, .endSent, .settings, .settingsAcknowledged, .pong,
        .priority, .goAway, .failed:
        note("\(event)")
      }
    }

    private mutating func note(_ text: String) {
      events.append(text)
    }

    private mutating func endContent() {
      guard let content else { return }
      note("\(content.stream) data \(content.bytes)")
      self.content = nil
    }
  }

  /// A request that has passed becomes one head that HTTP/1.1 reads with the same meaning, and nothing after it. A tunnel's has
  /// none.
  private static func checkMeaning(of head: HTTP2RequestHead, endsStream: Bool) throws(OracleViolation) {
    guard head.method != .connect || head.protocol != nil else { return }
    let asked: RequestHead
    do throws(HTTPParseError) {
      asked = try head.head()
    } catch {
      throw OracleViolation("a request that has passed can be written as HTTP/1.1: \(error) \(head.list.texts)")
    }
    var forwarding = RequestForwarding(framing: head.protocol == nil ? head.http1Framing(endsStream: endsStream) : .none)
    forwarding.forwardsUpgrade = head.protocol != nil
    forwarding.upgrade = head.protocol.map { RequestForwarding.Upgrade(to: $0, key: "a2V5") }
    var bytes: [UInt8] = []
    forwarding.append(asked, into: &bytes)
    let read = try reading(bytes)
    try OracleViolation.requireEqual(read.size, bytes.count, "nothing follows the head")
    try OracleViolation.requireEqual(read.head.method, head.protocol == nil ? head.method : .get, "the method stays")
    try OracleViolation.requireEqual(read.head.fields.first(of: .host), head.authority, "the host stays")
    try OracleViolation.requireEqual(read.framing, forwarding.framing, "the framing stays")
  }

  private static func reading(
    _ bytes: [UInt8]
  ) throws(OracleViolation) -> (head: RequestHead, size: Int, framing: BodyFraming) {
    var connection = HTTP1Connection(role: .server)
    var offset = 0
    do throws(HTTPParseError) {
      if case .requestHead(let head)? = try connection.receive(bytes.span, from: &offset) {
        return (head, offset, connection.framing)
      }
    } catch {
      throw OracleViolation("what was written for HTTP/1.1 is refused there: \(error) \(bytes)")
    }
    throw OracleViolation("what was written for HTTP/1.1 is one head: \(bytes)")
  }
}
