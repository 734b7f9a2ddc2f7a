import TapelineCore
import TapelineHTTP
import TapelineRecorder
import TapelineSystem
import TapelineTime

/// From a finished exchange to its entry on disk, including all work of its loop and of the recorder's thread.
enum RecorderBenchmarks {
  static func all() throws -> [Benchmark] {
    let record = try sampleRecord()
    return [
      Benchmark(name: "recorder.exchange") { repetitions in
        let file = ScratchFile(suffix: ".har")
        var configuration = RecorderConfiguration(path: file.path, title: "tapeline-bench", creatorVersion: "0")
        // Exchanges come faster here than over any network: none may be dropped because of that.
        configuration.queueLimit = .max
        configuration.fileSizeLimit = .max
        let recorder = try Recorder(configuration: configuration)
        let inlet = recorder.inlet()
        for _ in 0..<repetitions {
          inlet.record(RecordDraft(record))
          inlet.handOn()
        }
        let summary = recorder.finish()
        precondition(summary.writeError == nil && summary.droppedRecords == 0, "the recorder lost exchanges")
        return Int(summary.exchanges)
      }
    ]
  }

  private static func sampleRecord() throws -> ExchangeRecord {
    let start = MonotonicInstant.now
    var marks = TimelineMarks()
    for mark in TimelineMark.allCases where mark != .failed && !isOptional(mark) {
      marks.stamp(mark, at: start.advanced(byNanoseconds: Int64(mark.rawValue) * 37_000))
    }
    var body = BodyCapture(limit: 1 << 20)
    let bytes = SampleMessages.body
    body.append(bytes.span)
    let time = WallClockAnchor.process.absoluteTime(at: start)
    var record = ExchangeRecord(
      id: 1, kind: .exchange,
      client: ExchangeRecord.Peer(connectionID: 1, address: "127.0.0.1", port: 50_000, isReused: true),
      request: try SampleMessages.requestHead(), requestBody: BodyCapture(limit: 1 << 20), responseBody: body, marks: marks,
      timeline: Timeline(
        requestStartTime: time, initialResponseTime: time + 0.0005, requestCompletedTime: time + 0.0007,
        serializationCompletedTime: time + 0.0008))
    record.server = ExchangeRecord.Peer(connectionID: 2, address: "127.0.0.1", port: 8080, isReused: true)
    record.response = try SampleMessages.responseHead()
    record.attempts = 1
    return record
  }

  /// A reused connection without TLS has none of these marks.
  private static func isOptional(_ mark: TimelineMark) -> Bool {
    (.clientTLSStart ... .clientTLSEnd).contains(mark) || (.dnsStart ... .tlsEnd).contains(mark)
  }
}

/// An unused path in the directory for temporary files; its file is removed with this value.
private struct ScratchFile: ~Copyable {
  let path: String

  init(suffix: String) {
    let directory = ProcessEnvironment.value(of: "TMPDIR") ?? "/tmp"
    path = "\(directory)/tapeline-bench-\(CurrentProcess.id)-\(UInt64.random(in: 0...UInt64.max))\(suffix)"
  }

  deinit {
    SystemCalls.removeIfPossible(path)
  }
}
