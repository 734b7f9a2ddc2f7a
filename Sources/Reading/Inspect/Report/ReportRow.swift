internal import TapelineBase
internal import TapelineHAR

/// The values of an exchange for a report's table, waterfall and statistics: an array, since names would double its size.
///
/// `capture.js` reads the values in the same order.
enum ReportRow {
  /// The maximum number of events, or pieces, of a streamed response that the waterfall marks.
  private static let chunkMarkLimit = 48

  /// The facts that the bodies of an exchange say of it: a report has bodies apart.
  struct Meaning: Sendable, Hashable {
    let failure: RecordedFailure?
    let operation: String?
    /// A call of a language model, by the names of the fields of queries without `llm.`.
    let call: HARObject?
    /// The text that the model answered; empty for others.
    let answer: String
    /// The events that are in the body.
    let stream: RecordedStream?

    init(_ entry: HAREntry) {
      failure = RecordedFailure(entry)
      operation = RequestOperation(entry)?.name
      let call = ModelCall(entry)
      self.call = call?.members
      answer = call?.answer.text ?? ""
      stream = StreamFormat(entry)?.isOfBody == true ? RecordedStream(entry) : nil
    }

    /// Whether it is in bodies that may be long. The others are read whole anyway.
    static func isInBodies(of entry: HAREntry) -> Bool {
      ModelAPI(entry.request) != nil || StreamFormat(entry)?.isOfBody == true
    }
  }

  /// - Parameters:
  ///   - events: of a stream, as far as they are known; the marks of others are those of their pieces.
  ///   - meaning: that of the entry with its bodies, if it has none here.
  static func append(
    _ entry: HAREntry, number: Int, events: [StreamEvent] = [], meaning: Meaning? = nil, to text: inout JSONWriter
  ) {
    let meaning = meaning ?? Meaning(entry)
    text.append(byte: UInt8(ascii: "["))
    text.append(integer: number)
    append(unixNanoseconds(ofDate: entry.startedDateTime).map { $0 / 1_000 }, to: &text)
    append(entry.pageref, to: &text)
    append(entry.request.method, to: &text)
    append(entry.request.url, to: &text)
    append(entry.request.httpVersion, to: &text)
    append(entry.response.status, to: &text)
    append(entry.response.content.mimeType, to: &text)
    append(entry.request.bodySize, to: &text)
    append(transferred(entry.response), to: &text)
    append(entry.response.content.size, to: &text)
    appendTimes(entry, to: &text)
    append(entry.serverIPAddress, to: &text)
    append(entry.custom[.connectionID]?.string ?? entry.connection, to: &text)
    appendFailure(meaning.failure, to: &text)
    let marks = events.compactMap { event in event.time.map { $0 * 1_000 } }
    appendMarks(marks.isEmpty ? RecordedPieces(entry).times : marks, to: &text)
    append(RecordedEnd(entry)?.phase, to: &text)
    append(ResourceType.allCases.firstIndex(of: ResourceType(entry)), to: &text)
    append(meaning.operation, to: &text)
    text.append(byte: UInt8(ascii: ","))
    if let call = meaning.call { text.append(object: call) } else { text.append(byte: UInt8(ascii: "0")) }
    append(meaning.stream.map { StreamTiming($0, of: entry) }, to: &text)
    // Few exchanges are in flight, and few were changed by a rule.
    let flags = (RecordedEnd.isOutstanding(for: entry) ? 1 : 0) + (entry.injections.isEmpty ? 0 : 2)
    if flags > 0 { append(flags, to: &text) }
    text.append(byte: UInt8(ascii: "]"))
  }

  /// Bytes of the body on the wire. Chrome leaves HAR's member at −1 and puts the size of the whole response elsewhere.
  private static func transferred(_ response: HARResponse) -> Int {
    guard response.bodySize < 0, let whole = response.custom[.transferSize]?.integer else { return response.bodySize }
    return whole
  }

  private static func appendTimes(_ entry: HAREntry, to text: inout JSONWriter) {
    let durations = PhaseDurations(entry)
    for time in [entry.duration] + Phase.allCases.map({ durations[$0] }) {
      text.append(byte: UInt8(ascii: ","))
      text.append(number: rounded(time ?? -1))
    }
  }

  /// To the microsecond: some logs print every digit of their floating-point numbers.
  private static func rounded(_ milliseconds: Double) -> Double {
    (milliseconds * 1_000).rounded() / 1_000
  }

  private static func appendFailure(_ failure: RecordedFailure?, to text: inout JSONWriter) {
    text.append(byte: UInt8(ascii: ","))
    guard let failure else {
      text.append(byte: UInt8(ascii: "0"))
      return
    }
    text.append(byte: UInt8(ascii: "["))
    text.append(string: failure.message)
    for fact in [failure.origin, failure.kind, failure.phase, failure.option] { append(fact, to: &text) }
    if let operation = failure.operation {
      append(operation.name, to: &text)
      append(operation.callStatus, to: &text)
    }
    text.append(byte: UInt8(ascii: "]"))
  }

  /// Arrival times of events or pieces, in microseconds from the start of the exchange; an even selection if there are many.
  private static func appendMarks(_ times: [Double], to text: inout JSONWriter) {
    let step = max(1, (times.count + chunkMarkLimit - 1) / chunkMarkLimit)
    text.append(json: ",[")
    for (place, index) in stride(from: 0, to: times.count, by: step).enumerated() {
      if place > 0 { text.append(byte: UInt8(ascii: ",")) }
      text.append(number: times[index].rounded())
    }
    text.append(byte: UInt8(ascii: "]"))
  }

  /// The figures of a stream, as a page may have no more than its beginning; null for those that are not known.
  private static func append(_ timing: StreamTiming?, to text: inout JSONWriter) {
    guard let timing else { return text.append(json: ",0") }
    text.append(json: ",[")
    text.append(integer: timing.count)
    let stalls = timing.gaps.isEmpty ? nil : Double(timing.stalls())
    for figure in [timing.first, timing.gap(50), timing.gap(99), timing.gap(100), stalls, timing.rate] {
      text.append(byte: UInt8(ascii: ","))
      if let figure { text.append(number: figure) } else { text.append(json: "null") }
    }
    text.append(byte: UInt8(ascii: "]"))
  }

  private static func append(_ value: String?, to text: inout JSONWriter) {
    text.append(byte: UInt8(ascii: ","))
    if let value { text.append(string: value) } else { text.append(byte: UInt8(ascii: "0")) }
  }

  private static func append(_ value: Int?, to text: inout JSONWriter) {
    text.append(byte: UInt8(ascii: ","))
    if let value { text.append(integer: value) } else { text.append(json: "null") }
  }
}

/// The facts about the whole capture, for the page to read.
enum ReportHeader {
  /// - Parameter bodyLimit: bytes of each body's text that are there; `nil` for all.
  static func value(of log: HARLog, _ options: ReportOptions, bodyLimit: Int? = nil) -> HARValue {
    var header: HARObject = [
      "title": .string(options.title),
      "version": .string(options.version),
      "bodies": .string(options.bodies.rawValue),
      "creator": .string(name(of: log.creator)),
      "pages": .array(log.pages.map(value)),
      "types": .array(ResourceType.allCases.map { ["key": .string($0.rawValue), "title": .string($0.title)] }),
      "closeCodes": .object(closeCodes),
    ]
    if options.isUTC { header["utc"] = .bool(true) }
    header["bodyLimit"] = bodyLimit.map { .number(HARNumber($0)) }
    header["browser"] = log.browser.map { .string(name(of: $0)) }
    header["comment"] = log.comment.map { .string($0) }
    header["dropped"] = log.custom[.dropped]
    return .object(header)
  }

  private static var closeCodes: HARObject {
    CloseReason.names.reduce(into: HARObject()) { $0[String($1.code)] = .string($1.name) }
  }

  private static func name(of creator: HARCreator) -> String {
    creator.version.isEmpty ? creator.name : "\(creator.name) \(creator.version)"
  }

  private static func value(of page: HARPage) -> HARValue {
    var value: HARObject = ["id": .string(page.id), "title": .string(page.title)]
    value["start"] = unixNanoseconds(ofDate: page.startedDateTime).map { .number(HARNumber($0 / 1_000)) }
    value["onContentLoad"] = milliseconds(page.pageTimings.onContentLoad)
    value["onLoad"] = milliseconds(page.pageTimings.onLoad)
    return .object(value)
  }

  /// In HAR, −1 means that a value is not known.
  private static func milliseconds(_ value: Double?) -> HARValue? {
    value.flatMap { $0 >= 0 ? .number(HARNumber($0)) : nil }
  }
}
