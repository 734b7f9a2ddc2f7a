internal import TapelineHTTP
internal import TapelineBase

/// Everything that one direction of a connection yields, in a form that does not depend on how its bytes were split.
struct ConnectionTranscript {
  enum Event: Equatable {
    case request(method: String, target: String, HTTPVersion, HeaderFields, size: Int, BodyFraming)
    case informational(status: Int, reason: String, HeaderFields, HeadAnomalies, size: Int)
    case response(status: Int, reason: String, HTTPVersion, HeaderFields, HeadAnomalies, size: Int, BodyFraming)
    /// All content that came without another event in between.
    case body([UInt8])
    case trailers(HeaderFields)
    case end
    /// Bytes of the next protocol.
    case opaque([UInt8])
    /// `ofHead` tells whether the failed message was a HEAD, whose response has no content.
    case failed(HTTPParseError, ofHead: Bool)
  }

  private(set) var events: [Event] = []
  private(set) var requests: [RequestHead] = []
  /// Including informational responses.
  private(set) var responses: [ResponseHead] = []

  /// Feeds `input`, then closes.
  ///
  /// - Parameter method: the method that every response answers; client role only.
  init(
    of input: [UInt8], _ segmentation: Segmentation = .whole, role: HTTP1Connection.Role, method: HTTPMethod = .get
  ) throws(OracleViolation) {
    var connection = HTTP1Connection(role: role)
    if role == .client { connection.expectResponse(to: method) }
    for range in segmentation.pieces(of: input.count) {
      guard try feed(input.span.extracting(range), to: &connection, method) else { return }
    }
    do throws(HTTPParseError) {
      if let event = try connection.receiveEnd() { record(event, of: [UInt8]().span, connection.framing) }
    } catch {
      events.append(.failed(error, ofHead: connection.refusedHead))
    }
  }

  /// Returns whether the connection accepts more bytes.
  private mutating func feed(
    _ piece: Span<UInt8>, to connection: inout HTTP1Connection, _ method: HTTPMethod
  ) throws(OracleViolation) -> Bool {
    var offset = 0
    // Every event takes a byte, or ends a message that has taken some.
    var eventsLeft = 2 * piece.count + 2
    do throws(HTTPParseError) {
      while let event = try connection.receive(piece, from: &offset) {
        record(event, of: piece, connection.framing)
        if case .end = event, connection.role == .client, connection.isIdle { connection.expectResponse(to: method) }
        eventsLeft -= 1
        if eventsLeft < 0 { break }
      }
    } catch {
      events.append(.failed(error, ofHead: connection.refusedHead))
      return false
    }
    try OracleViolation.require(eventsLeft >= 0, "a connection yields no more events than its bytes hold")
    if connection.isOpaque {
      append(opaque: [UInt8](copying: piece.extracting(offset...)))
    } else {
      try OracleViolation.requireEqual(offset, piece.count, "a connection that asks for more has taken what there was")
    }
    return true
  }

  private mutating func record(_ event: HTTPEvent, of piece: Span<UInt8>, _ framing: BodyFraming) {
    switch event {
    case .requestHead(let head):
      requests.append(head)
      events.append(
        .request(
          method: head.method.rawValue, target: head.targetText, head.version, head.fields, size: head.size, framing))
    case .informational(let head):
      responses.append(head)
      events.append(
        .informational(status: head.status, reason: head.reason, head.fields, head.anomalies, size: head.size))
    case .responseHead(let head):
      responses.append(head)
      events.append(
        .response(
          status: head.status, reason: head.reason, head.version, head.fields, head.anomalies, size: head.size, framing))
    case .body(let range):
      append(body: [UInt8](copying: piece.extracting(range)))
    case .trailers(let fields):
      events.append(.trailers(fields))
    case .end:
      events.append(.end)
    }
  }

  private mutating func append(body bytes: [UInt8]) {
    if case .body(let before) = events.last {
      events[events.count - 1] = .body(before + bytes)
    } else {
      events.append(.body(bytes))
    }
  }

  private mutating func append(opaque bytes: [UInt8]) {
    if case .opaque(let before) = events.last {
      events[events.count - 1] = .opaque(before + bytes)
    } else {
      events.append(.opaque(bytes))
    }
  }
}

extension ConnectionTranscript {
  /// Reads `input` in every segmentation, and requires that all readings are equal.
  static func agreed(
    on input: [UInt8], role: HTTP1Connection.Role, method: HTTPMethod = .get
  ) throws(OracleViolation) -> ConnectionTranscript {
    let whole = try ConnectionTranscript(of: input, role: role, method: method)
    for segmentation in Segmentation.all(of: input) {
      let cut = try ConnectionTranscript(of: input, segmentation, role: role, method: method)
      try OracleViolation.requireEqual(cut.events, whole.events, "\(segmentation) and in one piece is the same")
    }
    return whole
  }

  /// The lines of all heads, interim ones included, and of all trailer sections.
  var fields: [HeaderFields] {
    events.compactMap { event in
      switch event {
      case .request(_, _, _, let fields, _, _), .informational(_, _, let fields, _, _), .response(_, _, _, let fields, _, _, _),
        .trailers(let fields):
        fields
      case .body, .end, .opaque, .failed: nil
      }
    }
  }

  /// The first message of the transcript.
  var firstMessage: Message {
    var message = Message()
    for event in events {
      switch event {
      case .request, .informational, .response, .opaque: break
      case .body(let bytes): message.content += bytes
      case .trailers(let fields): message.trailers = fields
      case .failed(let error, _):
        message.failure = error.kind
        return message
      case .end:
        message.isComplete = true
        return message
      }
    }
    return message
  }

  struct Message: Equatable {
    var content: [UInt8] = []
    var trailers: HeaderFields?
    var isComplete = false
    var failure: HTTPParseError.Kind?
  }
}

/// The fields of a head that a proxy must forward unchanged, byte by byte, in their order.
struct EndToEndFields: Equatable {
  private(set) var lines: [[UInt8]] = []

  /// - Parameter isLeftOut: whether to leave out the line at an index.
  init(of fields: HeaderFields, without isLeftOut: (Int) -> Bool) {
    for index in fields.indices where !isLeftOut(index) {
      lines.append(fields.bytes[fields.nameRange(at: index)] + [UInt8(ascii: ":")] + fields.bytes[fields.valueRange(at: index)])
    }
  }

  /// Removes the date that was added; returns whether it was there.
  mutating func removeDate(_ date: String) -> Bool {
    lines.popLast() == Array("Date:\(date)".utf8)
  }
}

/// How an input is split into pieces.
enum Segmentation: CustomStringConvertible {
  case whole
  case byteByByte
  case halves(Int)

  /// The segmentations to compare with the whole input. The bytes decide the place of the cut, so inputs need no room for it.
  static func all(of input: [UInt8]) -> [Segmentation] {
    [.byteByByte, .halves(SeededGenerator.cut(of: input))]
  }

  func pieces(of count: Int) -> [Range<Int>] {
    switch self {
    case .whole: [0..<count]
    case .byteByByte: (0..<count).map { $0..<$0 + 1 }
    case .halves(let cut): [0..<cut, cut..<count]
    }
  }

  var description: String {
    switch self {
    case .whole: "in one piece"
    case .byteByByte: "byte by byte"
    case .halves(let cut): "cut at \(cut)"
    }
  }
}
