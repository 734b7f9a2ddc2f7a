package import TapelineTime

extension Request {
  /// The timeline up to now: each reading has its own end of serialization.
  public var timeline: Timeline { timeline(serializedAt: .now) }

  /// Derived from stamps that are kept elsewhere. What never happened falls back on what did: a missing start or end on now, a missing
  /// first byte on the end. All of it is monotonic, so that a step of the wall clock makes no duration negative.
  ///
  /// - Parameter entryStart: when what the request is recorded with began; `nil`: with the request itself.
  package func timeline(startedAt entryStart: MonotonicInstant? = nil, serializedAt now: MonotonicInstant) -> Timeline {
    let completed = delegate.endInstant ?? now
    let start = min(entryStart ?? startInstant ?? completed, completed)
    let anchor = WallClockAnchor.process
    return Timeline(
      requestStartTime: anchor.absoluteTime(at: start),
      initialResponseTime: anchor.absoluteTime(at: delegate.initialResponseInstant ?? completed),
      requestCompletedTime: anchor.absoluteTime(at: completed),
      serializationCompletedTime: anchor.absoluteTime(at: now))
  }
}
