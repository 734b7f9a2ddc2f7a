package import TapelineTime

extension Request {
  /// The timeline up to now: each reading has its own end of serialization.
  public var timeline: Timeline { timeline(serializedAt: .now) }

  /// Derived from stamps that are kept elsewhere. A missing start or end falls back to now, a missing first byte to the end. All
  /// stamps are monotonic, so a step of the wall clock makes no duration negative.
  ///
  /// - Parameter entryStart: when the recorded entry began; `nil`: when the request began.
  package func timeline(startedAt entryStart: MonotonicInstant? = nil, serializedAt now: MonotonicInstant) -> Timeline {
    Timeline(
      startedAt: entryStart ?? startInstant, firstByteAt: delegate.initialResponseInstant,
      completedAt: delegate.endInstant ?? now, serializedAt: now)
  }
}

extension Timeline {
  /// Made from monotonic instants. A start that is missing or later than the end is set to the end; so is a missing first byte.
  package init(
    startedAt start: MonotonicInstant?, firstByteAt firstByte: MonotonicInstant?, completedAt end: MonotonicInstant,
    serializedAt serialized: MonotonicInstant
  ) {
    let anchor = WallClockAnchor.process
    self.init(
      requestStartTime: anchor.absoluteTime(at: min(start ?? end, end)),
      initialResponseTime: anchor.absoluteTime(at: firstByte ?? end),
      requestCompletedTime: anchor.absoluteTime(at: end),
      serializationCompletedTime: anchor.absoluteTime(at: serialized))
  }
}
