import TapelineTime
import Testing

@testable import TapelineOTLP

/// Time is moved by hand; batches are sent to nobody.
struct SpanDeliveryTests {
  private static let start = MonotonicInstant(nanoseconds: 1_000_000_000_000)

  private static func at(_ seconds: Double) -> MonotonicInstant {
    start.advanced(byNanoseconds: Int64(seconds * 1e9))
  }

  private static func spans(_ count: Int = 4, size: Int? = nil) -> EncodedSpans {
    let context = SpanContext(trace: TraceID(high: 1, low: 2), span: SpanID(3))
    let name = size.map { String(repeating: "x", count: $0 / count) } ?? "GET"
    return EncodedSpans((0..<count).map { _ in TraceSpan(name, context, from: 1, to: 2) })
  }

  private static func limits(_ change: (inout DeliveryLimits) -> Void = { _ in }) -> DeliveryLimits {
    var limits = DeliveryLimits()
    limits.batchSpans = 8
    change(&limits)
    return limits
  }

  /// What the delivery wants at `seconds`, in short.
  private func step(_ delivery: inout SpanDelivery, at seconds: Double) -> String {
    switch delivery.next(at: Self.at(seconds)) {
    case .send(let batch): "send \(batch.reduce(0) { $0 + $1.count })"
    case .cancel: "cancel"
    case .done: "done"
    case .wait(nil): "wait"
    case .wait(let instant?): "wait until \(Double(instant.nanoseconds(since: Self.start)) / 1e9)"
    }
  }

  private func expectBalance(_ delivery: SpanDelivery, sourceLocation: SourceLocation = #_sourceLocation) {
    let counts = delivery.counts
    #expect(
      counts.made == counts.sent + counts.rejected + counts.dropped + counts.queued, "\(counts)", sourceLocation: sourceLocation)
  }

  private static let taken = CollectorAnswer.accepted(rejected: 0, message: "")
  private static let away = CollectorAnswer.unavailable(reason: "it is away", after: nil)

  @Test("A small batch waits a second for more, a full one is sent at once")
  func gathers() {
    var delivery = SpanDelivery(Self.limits())
    #expect(step(&delivery, at: 0) == "wait")
    delivery.add(Self.spans(), at: Self.at(0))
    #expect(step(&delivery, at: 0.2) == "wait until 1.0")
    #expect(step(&delivery, at: 1) == "send 4")
    delivery.add(Self.spans(), at: Self.at(1.1))
    delivery.add(Self.spans(), at: Self.at(1.2))
    delivery.add(Self.spans(), at: Self.at(1.3))
    #expect(step(&delivery, at: 1.3) == "wait until 11.0")
    delivery.didEnd(Self.taken, jitter: 1, at: Self.at(1.4))
    #expect(step(&delivery, at: 1.4) == "send 8")
    delivery.didEnd(Self.taken, jitter: 1, at: Self.at(1.5))
    #expect(step(&delivery, at: 1.5) == "wait until 2.4")
    #expect(step(&delivery, at: 2.4) == "send 4")
    #expect(delivery.counts == DeliveryCounts(made: 16, sent: 12, queued: 4))
  }

  @Test("Pauses grow by half up to five seconds, and the batch stays the same")
  func backsOff() {
    var delivery = SpanDelivery(Self.limits())
    delivery.add(Self.spans(8), at: Self.at(0))
    var now = 0.0
    for pause in [1, 1.5, 2.25, 3.375, 5, 5, 5] {
      #expect(step(&delivery, at: now) == "send 8")
      delivery.didEnd(Self.away, jitter: 1, at: Self.at(now))
      #expect(step(&delivery, at: now) == "wait until \(now + pause)")
      now += pause
    }
    #expect(delivery.trouble == "it is away")
    #expect(step(&delivery, at: now) == "send 8")
    delivery.didEnd(Self.taken, jitter: 1, at: Self.at(now))
    #expect(delivery.counts == DeliveryCounts(made: 8, sent: 8))
    #expect(delivery.trouble == nil)
    // The next failure begins with a second again.
    delivery.add(Self.spans(8), at: Self.at(now))
    #expect(step(&delivery, at: now) == "send 8")
    delivery.didEnd(Self.away, jitter: 1.2, at: Self.at(now))
    #expect(step(&delivery, at: now) == "wait until \(now + 1.2)")
  }

  @Test("The collector's Retry-After is the pause, up to five minutes", arguments: [(0, 0.0), (7, 7), (86_400, 300)])
  func obeysRetryAfter(seconds: Int, pause: Double) {
    var delivery = SpanDelivery(Self.limits())
    delivery.add(Self.spans(8), at: Self.at(0))
    #expect(step(&delivery, at: 0) == "send 8")
    delivery.didEnd(CollectorAnswer(status: 429, body: [], retryAfter: .seconds(seconds)), jitter: 1.1, at: Self.at(0))
    #expect(step(&delivery, at: 0) == (pause == 0 ? "send 8" : "wait until \(pause)"))
  }

  @Test(
    "429, 502, 503 and 504 are tried again; no other status is",
    arguments: [301, 400, 401, 404, 408, 413, 429, 500, 501, 502, 503, 504, 505])
  func knowsStatuses(status: Int) {
    var delivery = SpanDelivery(Self.limits())
    delivery.add(Self.spans(8), at: Self.at(0))
    #expect(step(&delivery, at: 0) == "send 8")
    delivery.didEnd(CollectorAnswer(status: status, body: Array("<html>".utf8), retryAfter: nil), jitter: 1, at: Self.at(0))
    let isRetried = [429, 502, 503, 504].contains(status)
    #expect(delivery.counts == DeliveryCounts(made: 8, rejected: isRetried ? 0 : 8, queued: isRetried ? 8 : 0))
    #expect(delivery.trouble == "it answers \(status)")
  }

  @Test("Spans that the collector rejects in part are counted, however many it claims")
  func countsPartialSuccess() {
    var delivery = SpanDelivery(Self.limits())
    for rejected in [3, 99] {
      delivery.add(Self.spans(8), at: Self.at(0))
      #expect(step(&delivery, at: 0) == "send 8")
      delivery.didEnd(.accepted(rejected: rejected, message: "too old"), jitter: 1, at: Self.at(0))
      #expect(delivery.trouble == "it rejected \(rejected) of 8 spans: too old")
      expectBalance(delivery)
    }
    #expect(delivery.counts == DeliveryCounts(made: 16, sent: 5, rejected: 11))
  }

  @Test("A collector that does not answer is given ten seconds; its late answer does not count")
  func timesOut() {
    var delivery = SpanDelivery(Self.limits())
    delivery.add(Self.spans(8), at: Self.at(0))
    #expect(step(&delivery, at: 0) == "send 8")
    #expect(step(&delivery, at: 9.9) == "wait until 10.0")
    #expect(step(&delivery, at: 10) == "cancel")
    delivery.didEnd(Self.taken, jitter: 1, at: Self.at(10.5))
    #expect(delivery.counts == DeliveryCounts(made: 8, queued: 8))
    #expect(step(&delivery, at: 10.5) == "wait until 11.0")
    #expect(step(&delivery, at: 11) == "send 8")
  }

  @Test("A queue that is full drops what comes, and takes again when there is room")
  func isBounded() {
    var delivery = SpanDelivery(Self.limits { $0.queueBytes = 10_000 })
    for second in 0..<60 {
      for _ in 0..<10 { delivery.add(Self.spans(4, size: 1_000), at: Self.at(Double(second))) }
      if case .send = delivery.next(at: Self.at(Double(second))) {
        delivery.didEnd(Self.away, jitter: 1, at: Self.at(Double(second)))
      }
      #expect(delivery.bytes <= 10_000)
      expectBalance(delivery)
    }
    #expect(delivery.counts.made == 2_400)
    #expect(delivery.counts.dropped == 2_400 - delivery.counts.queued)
    #expect(delivery.counts.queued >= 28)
    let dropped = delivery.counts.dropped
    while case .send = delivery.next(at: Self.at(70)) { delivery.didEnd(Self.taken, jitter: 1, at: Self.at(70)) }
    delivery.add(Self.spans(), at: Self.at(71))
    #expect(delivery.counts.dropped == dropped)
    expectBalance(delivery)
  }

  @Test("The spans of one exchange are taken even if they are larger than the queue")
  func takesOneLarge() {
    var delivery = SpanDelivery(Self.limits { $0.queueBytes = 100 })
    delivery.add(Self.spans(4, size: 4_000), at: Self.at(0))
    delivery.add(Self.spans(4), at: Self.at(0))
    #expect(delivery.counts == DeliveryCounts(made: 8, dropped: 4, queued: 4))
  }

  @Test("Whoever asks for room first loses nothing, however little is left")
  func makesRoom() {
    var delivery = SpanDelivery(Self.limits { $0.queueBytes = 1_000 })
    let spans = Self.spans(4, size: 90)
    while delivery.hasRoom(for: spans) { delivery.add(spans, at: Self.at(0)) }
    #expect((1..<1_000).contains(delivery.bytes), "there is room left, but not for these")
    #expect(delivery.counts.dropped == 0 && delivery.counts.made > 4)
  }

  @Test("At the end, what waits is sent at once, also in a pause, and is given up at the deadline")
  func finishes() {
    var delivery = SpanDelivery(Self.limits())
    delivery.add(Self.spans(8), at: Self.at(0))
    #expect(step(&delivery, at: 0) == "send 8")
    delivery.didEnd(Self.away, jitter: 1, at: Self.at(0))
    delivery.add(Self.spans(2), at: Self.at(0.1))
    delivery.finish(by: Self.at(5))
    #expect(step(&delivery, at: 0.2) == "send 8")
    delivery.didEnd(Self.taken, jitter: 1, at: Self.at(0.3))
    #expect(step(&delivery, at: 0.3) == "send 2")
    #expect(step(&delivery, at: 0.4) == "wait until 5.0")
    #expect(step(&delivery, at: 5) == "cancel")
    #expect(step(&delivery, at: 5) == "done")
    #expect(delivery.counts == DeliveryCounts(made: 10, sent: 8, dropped: 2))
    #expect(delivery.trouble == "it did not answer in time")
  }

  @Test("With a limit to its patience, a batch is dropped and the next one tried")
  func losesPatience() {
    var delivery = SpanDelivery(Self.limits { $0.patience = .seconds(3) })
    delivery.add(Self.spans(8), at: Self.at(0))
    delivery.add(Self.spans(8), at: Self.at(0))
    for now in [0, 1, 2.5] {
      #expect(step(&delivery, at: now) == "send 8")
      delivery.didEnd(Self.away, jitter: 1, at: Self.at(now))
    }
    #expect(step(&delivery, at: 4.75) == "send 8")
    delivery.didEnd(Self.away, jitter: 1, at: Self.at(4.75))
    #expect(delivery.counts == DeliveryCounts(made: 16, dropped: 8, queued: 8))
    #expect(step(&delivery, at: 4.75) == "send 8")
  }
}
