internal import TapelineCore
internal import TapelineHAR
internal import TapelineTime

extension EntryWriter {
  /// Appends `_timeline`, `_events`, `_clock`, `_overhead`, `_tcp` and `_chunks`.
  func appendMeasurements(
    of record: ExchangeRecord, _ body: EntryBody?, from start: MonotonicInstant?, _ timings: EntryTimings,
    to writer: inout JSONWriter
  ) {
    // The timeline needs end times, which an exchange in flight does not have.
    if !record.isInFlight { append(record.timeline, to: &writer) }
    if let start {
      append(record.marks, from: start, to: &writer)
      appendClock(of: record.marks, to: &writer)
      if !record.arrivals.isEmpty, record.webSocketMessageCount == 0 {
        append(pieces: record.arrivals, of: body, from: start, to: &writer)
      }
    }
    appendOverhead(of: record, timings, to: &writer)
    appendTCP(of: record, from: start, to: &writer)
  }

  /// Appends what rules of the user's did, which may repeat secrets of the exchange.
  mutating func append(
    _ injections: [ExchangeRecord.Injection], from start: MonotonicInstant?, to writer: inout JSONWriter
  ) {
    writer.append(member: .injected)
    writer.append(byte: UInt8(ascii: "["))
    for (index, injection) in injections.enumerated() {
      writer.append(json: index == 0 ? #"{"rule":"# : #",{"rule":"#)
      writer.append(string: shown(injection.query))
      writer.append(json: #","action":"#)
      let value = injection.field.map { ": " + shown($0.value, of: $0.name) } ?? ""
      writer.append(string: shown(injection.action) + value)
      writer.append(json: #","at":"#)
      writer.append(integer: max(0, injection.instant.nanoseconds(since: start ?? injection.instant)) / 1_000)
      writer.append(json: #","ms":"#)
      writer.append(thousandths: EntryTimings.microseconds(injection.nanoseconds))
      writer.append(byte: UInt8(ascii: "}"))
    }
    writer.append(byte: UInt8(ascii: "]"))
  }

  /// In seconds, as the core measures: absolute times since 2001-01-01T00:00:00Z, to the microsecond.
  private func append(_ timeline: Timeline, to writer: inout JSONWriter) {
    writer.append(member: .timeline)
    writer.append(json: #"{"requestStartTime":"#)
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
    writer.append(byte: UInt8(ascii: "}"))
  }

  /// Every mark that was reached, in microseconds from `startedDateTime`; marks of the connection may lie before it.
  private func append(_ marks: TimelineMarks, from start: MonotonicInstant, to writer: inout JSONWriter) {
    writer.append(member: .events)
    writer.append(byte: UInt8(ascii: "{"))
    marks.forEach { mark, instant in
      if !writer.ends(with: UInt8(ascii: "{")) { writer.append(byte: UInt8(ascii: ",")) }
      writer.append(json: mark.memberName)
      writer.append(integer: instant.nanoseconds(since: start) / 1_000)
    }
    writer.append(byte: UInt8(ascii: "}"))
  }

  /// Who took the marks of bytes that came: the kernel (`"wire"`), the loop (`"loop"`), or both; then the loop's are named.
  private func appendClock(of marks: TimelineMarks, to writer: inout JSONWriter) {
    let clocks = marks.arrivalClocks
    guard clocks.wire > 0 else {
      if clocks.loop > 0 {
        writer.append(member: .clock)
        writer.append(json: #""loop""#)
      }
      return
    }
    guard clocks.loop > 0 else {
      writer.append(member: .clock)
      writer.append(json: #""wire""#)
      return
    }
    writer.append(member: .clock)
    writer.append(json: #"{"loop":["#)
    marks.forEach { mark, instant in
      guard mark.isArrival, instant.clock == .loop else { return }
      if !writer.ends(with: UInt8(ascii: "[")) { writer.append(byte: UInt8(ascii: ",")) }
      writer.append(json: mark.memberName)
      // Without the colon.
      writer.truncate(to: writer.count - 1)
    }
    writer.append(json: "]}")
  }

  /// The time that the proxy itself took, in milliseconds.
  private func appendOverhead(of record: ExchangeRecord, _ timings: EntryTimings, to writer: inout JSONWriter) {
    let marks = record.marks
    let start = writer.count
    writer.append(member: .overhead)
    writer.append(byte: UInt8(ascii: "{"))
    let emptyCount = writer.count
    append(#""request":"#, marks[.sentFirst].map { _ in timings.proxy }, to: &writer)
    append(#""response":"#, distance(marks[.responseFirstByte], marks[.deliveredFirst]), to: &writer)
    append(#""queue":"#, marks.queue.map(EntryTimings.microseconds), to: &writer)
    append(
      #""recorder":"#, record.recorderWait.map { EntryTimings.microseconds($0.nanoseconds(until: record.inFlightAt)) },
      to: &writer)
    append(#""clientTLS":"#, distance(marks[.clientTLSStart], marks[.clientTLSEnd]), to: &writer)
    append(#""minting":"#, record.mintingNanoseconds.map(EntryTimings.microseconds), to: &writer)
    if writer.count == emptyCount {
      writer.truncate(to: start)
    } else {
      writer.append(byte: UInt8(ascii: "}"))
    }
  }

  /// Appends a member of an object, if the value is known.
  private func append(_ name: StaticString, _ microseconds: Int64?, to writer: inout JSONWriter) {
    guard let microseconds else { return }
    if !writer.ends(with: UInt8(ascii: "{")) { writer.append(byte: UInt8(ascii: ",")) }
    writer.append(json: name)
    writer.append(thousandths: microseconds)
  }

  private func distance(_ start: MonotonicInstant?, _ end: MonotonicInstant?) -> Int64? {
    guard let start, let end else { return nil }
    return max(0, EntryTimings.microseconds(end.nanoseconds(since: start)))
  }
}

extension JSONWriter {
  /// Appends seconds with six decimals, the precision of a `Double` for today's absolute times.
  fileprivate mutating func append(seconds: Double) {
    append(millionths: Int64((seconds * 1e6).rounded()))
  }
}

extension TimelineMark {
  /// The name of the mark in `_events`, with quotes and colon.
  fileprivate var memberName: StaticString {
    switch self {
    case .accepted: #""accepted":"#
    case .tunnelHeadEnd: #""tunnelHeadEnd":"#
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
    case .proxyConnectStart: #""proxyConnectStart":"#
    case .proxyConnectEnd: #""proxyConnectEnd":"#
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
