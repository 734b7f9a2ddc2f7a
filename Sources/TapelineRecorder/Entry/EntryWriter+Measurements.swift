internal import TapelineCore
internal import TapelineHAR
internal import TapelineTime

extension EntryWriter {
  /// Appends `_timeline`, `_events`, `_overhead`, `_tcp` and `_chunks`.
  func appendMeasurements(
    of record: ExchangeRecord, from start: MonotonicInstant?, _ timings: EntryTimings, to writer: inout JSONWriter
  ) {
    append(record.timeline, to: &writer)
    if let start {
      append(record.marks, from: start, to: &writer)
      append(record.chunks, from: start, to: &writer)
    }
    appendOverhead(of: record.marks, timings, to: &writer)
    appendTCP(of: record, to: &writer)
  }

  /// Seconds, as the core measures: absolute ones since 2001-01-01T00:00:00Z, to the microsecond.
  private func append(_ timeline: Timeline, to writer: inout JSONWriter) {
    writer.append(json: #","_timeline":{"requestStartTime":"#)
    writer.append(seconds: timeline.requestStartTime)
    writer.append(json: #","initialResponseTime":"#)
    writer.append(seconds: timeline.initialResponseTime)
    writer.append(json: #","requestCompletedTime":"#)
    writer.append(seconds: timeline.requestCompletedTime)
    writer.append(json: #","serializationCompletedTime":"#)
    writer.append(seconds: timeline.serializationCompletedTime)
    writer.append(json: #","latency":"#)
    writer.append(seconds: timeline.latency)
    writer.append(json: #","requestDuration":"#)
    writer.append(seconds: timeline.requestDuration)
    writer.append(json: #","serializationDuration":"#)
    writer.append(seconds: timeline.serializationDuration)
    writer.append(json: #","totalDuration":"#)
    writer.append(seconds: timeline.totalDuration)
    writer.append(json: #","description":"#)
    TimelineText.append(timeline, to: &writer)
    writer.append(octet: UInt8(ascii: "}"))
  }

  /// Every mark that was met, in microseconds from `startedDateTime`; those of the connection may lie before it.
  private func append(_ marks: TimelineMarks, from start: MonotonicInstant, to writer: inout JSONWriter) {
    writer.append(json: #","_events":{"#)
    for mark in TimelineMark.allCases {
      guard let instant = marks[mark] else { continue }
      if !writer.ends(with: UInt8(ascii: "{")) { writer.append(octet: UInt8(ascii: ",")) }
      writer.append(json: mark.memberName)
      writer.append(integer: instant.nanoseconds(since: start) / 1_000)
    }
    writer.append(octet: UInt8(ascii: "}"))
  }

  private func append(_ chunks: [ExchangeRecord.Chunk], from start: MonotonicInstant, to writer: inout JSONWriter) {
    guard !chunks.isEmpty else { return }
    writer.append(json: #","_chunks":["#)
    for (index, chunk) in chunks.enumerated() {
      writer.append(json: index == 0 ? #"{"ts":"# : #",{"ts":"#)
      writer.append(integer: chunk.instant.nanoseconds(since: start) / 1_000)
      writer.append(json: #","bytes":"#)
      writer.append(integer: chunk.size)
      writer.append(octet: UInt8(ascii: "}"))
    }
    writer.append(octet: UInt8(ascii: "]"))
  }

  /// What the proxy itself cost, in milliseconds: between a head and its first octet on the other side.
  private func appendOverhead(of marks: TimelineMarks, _ timings: EntryTimings, to writer: inout JSONWriter) {
    var request: Int64?
    if let head = marks[.requestHeadEnd], let sent = marks[.sentFirst] {
      let passed = EntryTimings.microseconds(sent.nanoseconds(since: head))
      request = max(0, passed - (timings.dns ?? 0) - (timings.connect ?? 0))
    }
    var response: Int64?
    if let received = marks[.responseFirstByte], let delivered = marks[.deliveredFirst] {
      response = max(0, EntryTimings.microseconds(delivered.nanoseconds(since: received)))
    }
    guard request != nil || response != nil else { return }
    writer.append(json: #","_overhead":{"#)
    if let request {
      writer.append(json: #""request":"#)
      writer.append(millisecondsOf: request)
    }
    if let response {
      writer.append(json: request == nil ? #""response":"# : #","response":"#)
      writer.append(millisecondsOf: response)
    }
    writer.append(octet: UInt8(ascii: "}"))
  }

  /// What the kernel knows of both connections: times in milliseconds.
  private func appendTCP(of record: ExchangeRecord, to writer: inout JSONWriter) {
    let server = record.server?.tcp
    let client = record.client.tcp
    guard server != nil || client != nil else { return }
    writer.append(json: #","_tcp":{"#)
    if let server {
      writer.append(json: #""server":{"rtt":"#)
      writer.append(millisecondsOf: Int64(server.rttMicroseconds))
      writer.append(json: #","rttvar":"#)
      writer.append(millisecondsOf: Int64(server.rttVariationMicroseconds))
      writer.append(json: #","minRtt":"#)
      writer.append(millisecondsOf: Int64(server.minimumRTTMicroseconds))
      writer.append(json: #","retransmits":"#)
      writer.append(integer: UInt64(server.totalRetransmits))
      writer.append(json: #","cwnd":"#)
      writer.append(integer: UInt64(server.congestionWindow))
      if server.deliveryRate > 0 {
        writer.append(json: #","deliveryRate":"#)
        writer.append(integer: server.deliveryRate)
      }
      writer.append(octet: UInt8(ascii: "}"))
    }
    if let client {
      writer.append(json: server == nil ? #""client":{"rtt":"# : #","client":{"rtt":"#)
      writer.append(millisecondsOf: Int64(client.rttMicroseconds))
      writer.append(octet: UInt8(ascii: "}"))
    }
    writer.append(octet: UInt8(ascii: "}"))
  }
}

extension JSONWriter {
  /// Appends seconds with six decimals, which is what a `Double` of today's absolute times can tell.
  fileprivate mutating func append(seconds: Double) {
    let microseconds = Int64((seconds * 1e6).rounded())
    if microseconds < 0 { append(octet: UInt8(ascii: "-")) }
    let (whole, fraction) = microseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000)
    append(integer: whole)
    append(octet: UInt8(ascii: "."))
    append(padded: fraction, digits: 6)
  }
}

extension TimelineMark {
  /// The name of the mark in `_events`, with its quotes and colon.
  fileprivate var memberName: StaticString {
    switch self {
    case .accepted: #""accepted":"#
    case .clientTLSStart: #""clientTLSStart":"#
    case .clientTLSEnd: #""clientTLSEnd":"#
    case .requestFirstByte: #""requestFirstByte":"#
    case .requestHeadEnd: #""requestHeadEnd":"#
    case .requestLastByte: #""requestLastByte":"#
    case .queued: #""queued":"#
    case .dnsStart: #""dnsStart":"#
    case .dnsEnd: #""dnsEnd":"#
    case .connectStart: #""connectStart":"#
    case .connectEnd: #""connectEnd":"#
    case .tlsStart: #""tlsStart":"#
    case .tlsEnd: #""tlsEnd":"#
    case .sentFirst: #""sentFirst":"#
    case .sentLast: #""sentLast":"#
    case .responseFirstByte: #""responseFirstByte":"#
    case .responseHeadEnd: #""responseHeadEnd":"#
    case .responseLastByte: #""responseLastByte":"#
    case .deliveredFirst: #""deliveredFirst":"#
    case .deliveredLast: #""deliveredLast":"#
    case .failed: #""failed":"#
    }
  }
}
