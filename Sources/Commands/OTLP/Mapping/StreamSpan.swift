internal import TapelineHAR
internal import TapelineInspect

extension TraceSpan {
  /// Says of a stream how many events it had, and how regular they were; times in nanoseconds, as our other attributes.
  mutating func describeStream(of entry: HAREntry) {
    guard let timing = StreamTiming(entry), timing.count > 0 else { return }
    append("tapeline.events", timing.count)
    append("tapeline.event.first", milliseconds: timing.first)
    append("tapeline.event.gap.p50", milliseconds: timing.gap(50))
    append("tapeline.event.gap.p99", milliseconds: timing.gap(99))
    append("tapeline.event.gap.max", milliseconds: timing.gap(100))
    if !timing.gaps.isEmpty { append("tapeline.event.stalls", timing.stalls()) }
  }
}
