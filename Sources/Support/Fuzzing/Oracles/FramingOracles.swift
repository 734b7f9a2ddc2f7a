internal import TapelineHTTP
internal import TapelineBase

/// WebSocket frames: the split into pieces changes nothing, and observed frames can be written again.
enum FrameOracle {
  private enum Event: Equatable {
    case head(WebSocketFrame)
    case payload([UInt8])
    case end
    case failed(WebSocketError)
  }

  static func check(_ input: [UInt8]) throws(OracleViolation) {
    let whole = try events(of: input, .whole)
    let messages = observed(input, .whole)
    for segmentation in Segmentation.all(of: input) {
      try OracleViolation.requireEqual(
        try events(of: input, segmentation), whole, "frames \(segmentation) and in one piece are the same")
      try OracleViolation.requireEqual(
        observed(input, segmentation), messages, "messages \(segmentation) and in one piece are the same")
    }
    try OracleViolation.require(messages.byteCount <= input.count, "there are no more bytes in messages than came")
    try OracleViolation.requireEqual(
      try events(of: encoded(whole), .whole).filter { !isFailure($0) }, whole.filter { !isFailure($0) },
      "frames that are written are read as they were")
  }

  private static func events(of input: [UInt8], _ segmentation: Segmentation) throws(OracleViolation) -> [Event] {
    var parser = WebSocketFrameParser()
    var events: [Event] = []
    do throws(WebSocketError) {
      for range in segmentation.pieces(of: input.count) {
        var offset = range.lowerBound
        let piece = input.span.extracting(..<range.upperBound)
        while let element = try parser.next(piece, from: &offset) { record(element, of: piece, in: &events) }
      }
    } catch {
      events.append(.failed(error))
    }
    return events
  }

  private static func record(_ element: WebSocketFrameParser.Element, of piece: Span<UInt8>, in events: inout [Event]) {
    switch element {
    case .head(let frame):
      events.append(.head(frame))
    case .payload(let range):
      let bytes = [UInt8](copying: piece.extracting(range))
      if case .payload(let before) = events.last {
        events[events.count - 1] = .payload(before + bytes)
      } else {
        events.append(.payload(bytes))
      }
    case .end:
      events.append(.end)
    }
  }

  private static func isFailure(_ event: Event) -> Bool {
    if case .failed = event { true } else { false }
  }

  private struct Observation: Equatable {
    var messages: [WebSocketObserver.Message] = []
    var messageCount: UInt64 = 0
    var failure: WebSocketError?

    var byteCount: Int { messages.reduce(0) { $0 + $1.bytes.count } }
  }

  private static func observed(_ input: [UInt8], _ segmentation: Segmentation) -> Observation {
    var observer = WebSocketObserver()
    var observation = Observation()
    for range in segmentation.pieces(of: input.count) {
      observer.receive(input.span.extracting(range)) { observation.messages.append($0) }
    }
    observation.messageCount = observer.messageCount
    observation.failure = observer.failure
    return observation
  }

  /// RFC 6455 5.2, with lengths in the shortest form.
  private static func encoded(_ events: [Event]) -> [UInt8] {
    var output: [UInt8] = []
    for event in events {
      switch event {
      case .head(let frame): append(frame, to: &output)
      case .payload(let bytes): output += bytes
      case .end, .failed: break
      }
    }
    return output
  }

  private static func append(_ frame: WebSocketFrame, to output: inout [UInt8]) {
    output.append((frame.isFinal ? 0x80 : 0) | (frame.isCompressed ? 0x40 : 0) | frame.opcode.rawValue)
    let maskBit: UInt8 = frame.mask == nil ? 0 : 0x80
    switch frame.payloadLength {
    case ..<126:
      output.append(maskBit | UInt8(frame.payloadLength))
    case ..<65536:
      output.append(maskBit | 126)
      appendBigEndian(frame.payloadLength, count: 2, to: &output)
    default:
      output.append(maskBit | 127)
      appendBigEndian(frame.payloadLength, count: 8, to: &output)
    }
    if let mask = frame.mask { appendBigEndian(UInt64(mask.key), count: 4, to: &output) }
  }

  private static func appendBigEndian(_ value: UInt64, count: Int, to output: inout [UInt8]) {
    for place in (0..<count).reversed() { output.append(UInt8(truncatingIfNeeded: value >> (8 * UInt64(place)))) }
  }
}

/// The chunked coding: it yields no more bytes than came, both directions read the same of it, and it can be written again.
enum ChunkedOracle {
  private static let requestHead = Array("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
  private static let responseHead = Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)

  static func check(_ input: [UInt8]) throws(OracleViolation) {
    let request = try ConnectionTranscript.agreed(on: requestHead + input, role: .server).firstMessage
    let response = try ConnectionTranscript.agreed(on: responseHead + input, role: .client).firstMessage
    // Responses may have blanks after a size.
    if request.failure != .invalidChunkSize {
      try OracleViolation.requireEqual(request, response, "requests and responses have one chunked coding")
    }
    try OracleViolation.require(request.content.count <= input.count, "there is no more content than bytes")
    if request.isComplete { try checkEncoding(of: request.content, trailers: request.trailers) }
    try checkEncoding(of: input, trailers: nil)
  }

  /// Content is the same after encoding and decoding, in one chunk and in two.
  private static func checkEncoding(of content: [UInt8], trailers: HeaderFields?) throws(OracleViolation) {
    for segmentation in [.whole, Segmentation.halves(content.count / 3)] {
      var output = requestHead
      for range in segmentation.pieces(of: content.count) where !range.isEmpty {
        ChunkedEncoder.appendChunkHeader(size: range.count, into: &output)
        output += content[range]
        ChunkedEncoder.appendChunkEnd(into: &output)
      }
      ChunkedEncoder.appendLastChunk(trailers: trailers, into: &output)
      let decoded = try ConnectionTranscript(of: output, role: .server).firstMessage
      try OracleViolation.require(decoded.isComplete, "what is encoded is complete")
      try OracleViolation.requireEqual(decoded.content, content, "what is encoded is decoded to the same")
      try checkTrailers(decoded.trailers ?? HeaderFields(), from: trailers ?? HeaderFields())
    }
  }

  /// RFC 9110 6.5.1: trailers for framing or routing are not forwarded.
  private static func checkTrailers(_ sent: HeaderFields, from trailers: HeaderFields) throws(OracleViolation) {
    let hopByHop = HopByHopFields(of: trailers)
    let expected = EndToEndFields(of: trailers) {
      let name = trailers.knownName(at: $0)
      return name == .contentLength || name == .transferEncoding || name == .host || hopByHop.removes(trailers, at: $0)
    }
    try OracleViolation.requireEqual(EndToEndFields(of: sent) { _ in false }, expected, "trailers are sent on")
  }
}
