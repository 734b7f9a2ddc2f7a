package import TapelineTime

/// Decides what is sent to the collector, when, and what is given up: batches, pauses, the bound of the queue, the counts. One
/// batch is on its way at a time.
///
/// Time is an input. The caller performs what `next` says and reports back.
package struct SpanDelivery {
  package enum Step {
    /// Send this batch, then call `didEnd`.
    case send(ArraySlice<EncodedSpans>)
    /// The attempt takes too long: end it, then go on; its answer does not count any more.
    case cancel
    /// Nothing to do until then, or until something happens.
    case wait(until: MonotonicInstant?)
    /// After `finish`: everything is sent or given up.
    case done
  }

  private enum State {
    case gathering
    case sending(since: MonotonicInstant)
    case pausing(until: MonotonicInstant)
  }

  package let limits: DeliveryLimits
  package private(set) var counts = DeliveryCounts()
  /// Why spans were rejected or could not be sent, most recently; `nil` while everything goes well.
  package private(set) var trouble: String?
  private var state = State.gathering
  /// The spans of `queue[..<batchEnd]` are the batch that is on its way, or waits for another attempt.
  private var queue: [EncodedSpans] = []
  private var batchEnd = 0
  private var queuedBytes = 0
  /// When the oldest of those behind the batch came.
  private var gatheringSince: MonotonicInstant?
  private var failures = 0
  /// When the first attempt of the batch began.
  private var batchSince: MonotonicInstant?
  /// Whether no more spans come, and when to give up.
  private var deadline: MonotonicInstant?

  package init(_ limits: DeliveryLimits = DeliveryLimits()) {
    self.limits = limits
  }

  /// Whether these spans can wait. An empty queue takes any number.
  package func hasRoom(for spans: EncodedSpans) -> Bool {
    queue.isEmpty || queuedBytes + spans.bytes.count <= limits.queueBytes
  }

  /// Whether there is room for any further spans.
  package var hasRoom: Bool { queue.isEmpty || queuedBytes < limits.queueBytes }

  /// The bytes of the spans that wait or are on their way.
  package var bytes: Int { queuedBytes }

  /// Takes the spans of an exchange, or drops them if the queue is full.
  package mutating func add(_ spans: EncodedSpans, at now: MonotonicInstant) {
    counts.made += spans.count
    guard hasRoom(for: spans) else {
      counts.dropped += spans.count
      return
    }
    counts.queued += spans.count
    queuedBytes += spans.bytes.count
    queue.append(spans)
    gatheringSince = gatheringSince ?? now
  }

  /// No more spans come: what is there is sent without gathering, and given up at `deadline`. A pause ends now.
  package mutating func finish(by deadline: MonotonicInstant) {
    self.deadline = deadline
    if case .pausing = state { state = .gathering }
  }

  package mutating func next(at now: MonotonicInstant) -> Step {
    if let deadline, now >= deadline {
      if !queue.isEmpty { trouble = trouble ?? "it did not answer in time" }
      giveUp(queue.count)
      guard case .sending = state else { return .done }
      state = .gathering
      return .cancel
    }
    switch state {
    case .sending(let since):
      let end = since.advanced(by: limits.attempt)
      guard now >= end else { return .wait(until: earliest(end, deadline)) }
      didFail("it did not answer in \(limits.attempt.nanoseconds / 1_000_000) ms", after: nil, jitter: 1, at: now)
      return .cancel
    case .pausing(let until):
      guard now >= until else { return .wait(until: earliest(until, deadline)) }
      return send(at: now)
    case .gathering:
      guard !queue.isEmpty else { return deadline == nil ? .wait(until: nil) : .done }
      // A batch that was tried before does not gather.
      if batchEnd > 0 || deadline != nil || isFull { return send(at: now) }
      let due = (gatheringSince ?? now).advanced(by: limits.gathering)
      return now >= due ? send(at: now) : .wait(until: due)
    }
  }

  /// The attempt that `send` asked for has ended.
  ///
  /// - Parameter jitter: a random factor around 1 for the pause, so that many recorders do not come back together.
  package mutating func didEnd(_ answer: CollectorAnswer, jitter: Double, at now: MonotonicInstant) {
    guard case .sending = state else { return }
    switch answer {
    case .accepted(let rejected, let message):
      let count = batchCount
      let kept = count - min(rejected, count)
      counts.sent += kept
      counts.rejected += count - kept
      trouble = rejected > 0 ? "it rejected \(rejected) of \(count) spans\(message.isEmpty ? "" : ": \(message)")" : nil
      endBatch()
    case .refused(let reason):
      counts.rejected += batchCount
      trouble = reason
      endBatch()
    case .unavailable(let reason, let pause):
      didFail(reason, after: pause, jitter: jitter, at: now)
    }
  }

  // MARK: Batches

  /// Whether those that wait are a batch.
  private var isFull: Bool {
    queuedBytes >= limits.batchBytes || counts.queued >= limits.batchSpans
  }

  private var batchCount: Int { queue[..<batchEnd].reduce(0) { $0 + $1.count } }

  private mutating func send(at now: MonotonicInstant) -> Step {
    if batchEnd == 0 {
      var (spans, bytes) = (0, 0)
      while batchEnd < queue.count, spans < limits.batchSpans, bytes < limits.batchBytes {
        spans += queue[batchEnd].count
        bytes += queue[batchEnd].bytes.count
        batchEnd += 1
      }
      batchSince = now
      // Those behind the batch have waited less than it; they are sent soon enough.
      gatheringSince = batchEnd < queue.count ? now : nil
    }
    state = .sending(since: now)
    return .send(queue[..<batchEnd])
  }

  private mutating func endBatch() {
    remove(batchEnd)
    failures = 0
    state = .gathering
  }

  private mutating func didFail(_ reason: String, after named: Duration?, jitter: Double, at now: MonotonicInstant) {
    trouble = reason
    if let patience = limits.patience, let batchSince, now >= batchSince.advanced(by: patience) {
      counts.dropped += batchCount
      return endBatch()
    }
    var pause = limits.firstPause
    for _ in 0..<min(failures, 64) where pause < limits.longestPause { pause = pause * limits.pauseFactor }
    failures += 1
    pause = named.map { min($0, limits.longestNamedPause) } ?? min(pause, limits.longestPause) * jitter
    state = .pausing(until: now.advanced(by: pause))
  }

  private mutating func giveUp(_ count: Int) {
    counts.dropped += queue[..<count].reduce(0) { $0 + $1.count }
    remove(count)
  }

  private mutating func remove(_ count: Int) {
    for spans in queue[..<count] {
      counts.queued -= spans.count
      queuedBytes -= spans.bytes.count
    }
    queue.removeFirst(count)
    batchEnd = 0
    batchSince = nil
    if queue.isEmpty { gatheringSince = nil }
  }

  private func earliest(_ instant: MonotonicInstant, _ other: MonotonicInstant?) -> MonotonicInstant {
    other.map { min($0, instant) } ?? instant
  }
}
