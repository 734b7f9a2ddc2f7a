internal import TapelineCore
internal import TapelineHAR
internal import TapelineRedaction
package import TapelineSystem
internal import TapelineBase
package import TapelineTime

/// A crash of this process, as the log tells it.
package struct RecordedCrash: Sendable {
  let crash: ProcessCrash
  /// The exchanges that it has cost, in order of arrival.
  package let lost: [LostFlight]
  /// When connections were accepted again.
  package let served: MonotonicInstant

  package init(_ crash: ProcessCrash, lost: [LostFlight], served: MonotonicInstant) {
    self.crash = crash
    self.lost = lost
    self.served = served
  }

  package var signal: String { crash.signal }

  var instant: MonotonicInstant { MonotonicInstant(nanoseconds: crash.monotonicNanoseconds) }

  /// How long nobody was served.
  package var outage: Duration { .nanoseconds(served.nanoseconds(since: instant)) }
}

extension EntryWriter {
  /// Appends the entry of a crash: a failure without a request, and in `_crash` what is known of it.
  mutating func append(_ crash: RecordedCrash, page: PageID, to writer: inout JSONWriter) {
    redactor?.beginEntry()
    var member = JSONWriter()
    append(member: crash, to: &member)
    let redacted = redactor?.count ?? 0
    _ = append(record(of: crash), page: page, to: &writer)
    // The closing brace.
    writer.truncate(to: writer.count - 1)
    member.withBytes { writer.append(json: $0) }
    if redacted > 0 {
      writer.append(member: .redacted)
      writer.append(integer: redacted)
    }
    writer.append(byte: UInt8(ascii: "}"))
  }

  private func record(of crash: RecordedCrash) -> ExchangeRecord {
    var marks = TimelineMarks()
    marks.stamp(.requestFirstByte, at: crash.instant)
    // The outage is the proxy's own time.
    marks.stamp(.requestHeadEnd, at: crash.instant)
    marks.stamp(.failed, at: crash.served)
    var record = ExchangeRecord(
      id: ProcessNumber.nextExchange(), kind: .exchange,
      client: ExchangeRecord.Peer(connectionID: 0, address: "local", port: 0, isReused: false), request: nil,
      requestBody: BodyCapture(limit: 0), responseBody: BodyCapture(limit: 0), marks: marks,
      timeline: .local(from: crash.instant, to: crash.served))
    let cost =
      crash.lost.isEmpty
      ? "no exchange was in flight" : "\(Count.text(crash.lost.count, "exchange")) in flight, which _crash names"
    record.failure = ExchangeRecord.Failure(
      origin: .local, phase: .receive, kind: .crash,
      message: "tapeline itself crashed (\(crash.crash.signal)) and started again; lost: \(cost)")
    return record
  }

  private mutating func append(member crash: RecordedCrash, to writer: inout JSONWriter) {
    writer.append(member: .crash)
    writer.append(json: #"{"signal":"#)
    writer.append(string: crash.crash.signal)
    writer.append(json: #","thread":"#)
    writer.append(string: crash.crash.thread)
    writer.append(json: #","number":"#)
    writer.append(integer: crash.crash.number)
    writer.append(json: #","outage":"#)
    writer.append(thousandths: EntryTimings.microseconds(crash.served.nanoseconds(since: crash.instant)))
    writer.append(json: #","frames":["#)
    for (index, frame) in crash.crash.frames.enumerated() {
      if index > 0 { writer.append(byte: UInt8(ascii: ",")) }
      writer.append(string: "0x" + String(frame, radix: 16))
    }
    writer.append(json: #"],"inFlight":["#)
    for (index, flight) in crash.lost.enumerated() {
      if index > 0 { writer.append(byte: UInt8(ascii: ",")) }
      append(flight, to: &writer)
    }
    writer.append(json: "]}")
  }

  private mutating func append(_ flight: LostFlight, to writer: inout JSONWriter) {
    writer.append(json: #"{"exchange":"#)
    writer.append(integer: flight.exchange)
    writer.append(json: #","startedDateTime":""#)
    dates.append(unixNanoseconds: anchor.unixNanoseconds(at: MonotonicInstant(nanoseconds: flight.started)), to: &writer)
    writer.append(json: #"","method":"#)
    writer.append(string: hidden(String(decoding: flight.method, as: UTF8.self)))
    if !flight.isSuspect, let (head, implied) = flight.request {
      var url = EntryURL.text(of: head, implied: implied)
      if redactor != nil {
        let whole = url
        redactor?.redactURL(whole.span, into: &url)
      }
      writer.append(json: #","url":"#)
      EntryURL.append(encoded: url, to: &writer)
    }
    writer.append(json: #","state":"#)
    writer.append(string: flight.hasEnded ? "ended" : "in-flight")
    writer.append(byte: UInt8(ascii: "}"))
  }
}
