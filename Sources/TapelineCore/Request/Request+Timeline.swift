package import TapelineTime

extension Request {
  /// The timeline up to now: each reading has its own end of serialization.
  public var timeline: Timeline { timeline(serializedAt: .now) }

  /// Derived from stamps that are kept elsewhere. What never happened falls back on what did: a missing start or end on now, a missing
  /// first byte on the end. All of it is monotonic, so that a step of the wall clock makes no duration negative.
  ///
  /// - Parameter entryStart: when what the request is recorded with began; `nil`: with the request itself.
  package func timeline(startedAt entryStart: MonotonicInstant? = nil, serializedAt now: MonotonicInstant) -> Timeline {
    Timeline(
      startedAt: entryStart ?? startInstant, firstByteAt: delegate.initialResponseInstant,
      completedAt: delegate.endInstant ?? now, serializedAt: now)
  }
}

extension Timeline {
  /// Made of monotonic instants. A start that never was, or is later than the end, is the end; so is a first byte that never was.
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
