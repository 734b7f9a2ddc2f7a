import TapelineCore
import TapelineHTTP
import TapelineSystem
import TapelineTestSupport
import TapelineTime
import TapelineTransport

@testable import TapelineRecorder

/// Exchanges as the proxy would hand them over.
enum ExampleExchange {
  /// 2026-03-04T05:06:07.123456789Z at the monotonic instant 1,000,000,000.
  static let anchor = WallClockAnchor(
    unixNanoseconds: 1_772_600_767_123_456_789, instant: MonotonicInstant(nanoseconds: 1_000_000_000))

  /// Marks at these microseconds after the anchor.
  static func marks(_ stamps: [(TimelineMark, Int64)]) -> TimelineMarks {
    var marks = TimelineMarks()
    for (mark, microseconds) in stamps {
      marks.stamp(mark, at: anchor.instant.advanced(byNanoseconds: microseconds * 1_000))
    }
    return marks
  }

  /// A new connection, everything as it should be.
  static let ordinaryMarks = marks([
    (.accepted, -50), (.requestFirstByte, 0), (.requestHeadEnd, 10), (.requestLastByte, 10), (.queued, 15), (.dnsStart, 20),
    (.dnsEnd, 520), (.connectStart, 530), (.connectEnd, 1_030), (.sentFirst, 1_040), (.sentLast, 1_050),
    (.responseFirstByte, 3_050), (.responseHeadEnd, 3_051), (.responseLastByte, 4_050), (.deliveredFirst, 3_070),
    (.deliveredLast, 4_090),
  ])

  static let timeline = Timeline(
    requestStartTime: 794_293_567.123, initialResponseTime: 794_293_567.126, requestCompletedTime: 794_293_567.127,
    serializationCompletedTime: 794_293_567.127)

  static func body(_ text: String, limit: Int = 1 << 20) -> BodyCapture {
    body(Array(text.utf8), limit: limit)
  }

  static func body(_ bytes: [UInt8], limit: Int = 1 << 20) -> BodyCapture {
    var body = BodyCapture(limit: limit)
    body.append(bytes.span)
    return body
  }

  static func make(
    id: UInt64 = 7, method: HTTPMethod = .get, url: String = "http://example.com/index.html",
    fields: [(String, String)] = [("Host", "example.com"), ("Accept", "*/*")], requestBody: BodyCapture = body(""),
    responseFields: [(String, String)] = [("Content-Type", "text/plain"), ("Content-Length", "5")],
    responseBody: BodyCapture = body("hello"), marks: TimelineMarks = ordinaryMarks
  ) throws -> ExchangeRecord {
    var record = ExchangeRecord(
      id: id, kind: .exchange,
      client: ExchangeRecord.Peer(connectionID: 3, address: "127.0.0.1", port: 50_000, isReused: false),
      request: try RequestHead(method: method, target: url, fields: HeaderFields(fields)), requestBody: requestBody,
      responseBody: responseBody, marks: marks, timeline: timeline)
    record.server = ExchangeRecord.Peer(
      connectionID: 4, address: "192.0.2.1", port: 80, isReused: false,
      tcp: TCPStatistics(
        rttMicroseconds: 512, rttVariationMicroseconds: 90, minimumRTTMicroseconds: 480, totalRetransmits: 0,
        congestionWindow: 10, deliveryRate: 1_250_000))
    record.response = ResponseHead(status: 200, fields: HeaderFields(responseFields))
    record.attempts = 1
    return record
  }

  /// Nothing listened at the origin.
  static func refused() throws -> ExchangeRecord {
    var record = try make(
      responseBody: body(""),
      marks: marks([
        (.requestFirstByte, 0), (.requestHeadEnd, 10), (.queued, 12), (.connectStart, 20), (.failed, 320),
      ]))
    record.response = nil
    record.server = nil
    record.localStatus = 502
    record.failure = ExchangeRecord.Failure(
      origin: .upstream, phase: .connect, kind: .transport(.refused), message: "192.0.2.1:80 refused the connection")
    return record
  }

  static func tunnel() throws -> ExchangeRecord {
    var record = ExchangeRecord(
      id: 9, kind: .tunnel(toServer: 1_234, toClient: 56_789),
      client: ExchangeRecord.Peer(connectionID: 3, address: "127.0.0.1", port: 50_000, isReused: false),
      request: try RequestHead(method: .connect, target: "example.com:443"), requestBody: BodyCapture(limit: 0),
      responseBody: BodyCapture(limit: 0), marks: ordinaryMarks, timeline: timeline)
    record.localStatus = 200
    return record
  }
}

extension RecorderConfiguration {
  /// For `a.har`, at the time of the examples.
  static func example(in directory: TemporaryDirectory) -> RecorderConfiguration {
    var configuration = RecorderConfiguration(path: directory.path("a.har"), title: "t", creatorVersion: "1")
    configuration.anchor = ExampleExchange.anchor
    return configuration
  }
}

extension Recorder {
  /// Records what is complete, as tests have it.
  func record(_ record: ExchangeRecord) {
    inlet().handOn(record)
  }
}

extension RecorderInlet {
  /// Records and lets nothing wait.
  func handOn(_ record: ExchangeRecord) {
    self.record(RecordDraft(record))
    handOn()
  }
}

extension RecorderQueue {
  func put(_ record: ExchangeRecord) {
    put(RecordDraft(record))
  }
}

extension RecorderBatch {
  /// The items that came as they were.
  var drafts: [RecordDraft] {
    items.compactMap { item in
      if case .exchange(let draft) = item { draft } else { nil }
    }
  }

  /// The exchanges whose entries had been made.
  var made: [UInt64] {
    items.compactMap { item in
      if case .entry(let entry, _) = item { entry.id } else { nil }
    }
  }
}
