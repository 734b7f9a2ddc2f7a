/// The instants of one exchange, each written at most once.
///
/// A mark that was never met stays `nil`: it is not zero and not *now*.
package struct TimelineMarks: Sendable {
  /// Nanoseconds by `TimelineMark.rawValue`; `unmarked` where nothing was stamped. Fixed size, so that an exchange allocates nothing for it.
  private var slots: InlineArray<24, Int64>

  private static let unmarked = Int64.min

  package init() {
    slots = InlineArray(repeating: Self.unmarked)
  }

  package subscript(mark: TimelineMark) -> MonotonicInstant? {
    let value = slots[Int(mark.rawValue)]
    return value == Self.unmarked ? nil : MonotonicInstant(nanoseconds: value)
  }

  /// Writes `mark` unless it already stands: the first stamp wins.
  package mutating func stamp(_ mark: TimelineMark, at instant: MonotonicInstant) {
    guard slots[Int(mark.rawValue)] == Self.unmarked else { return }
    slots[Int(mark.rawValue)] = instant.nanoseconds
  }

  /// Writes `mark` whether it stood or not: for marks that move on while they last (the last byte so far).
  package mutating func move(_ mark: TimelineMark, to instant: MonotonicInstant) {
    slots[Int(mark.rawValue)] = instant.nanoseconds
  }

  /// Takes the marks of `range` from an attempt; what the attempt did not meet is cleared here too.
  ///
  /// Used when an attempt ends or is replaced: the exchange keeps the client's side and the *last* attempt's side.
  package mutating func adopt(_ range: ClosedRange<TimelineMark>, from attempt: TimelineMarks) {
    for slot in Int(range.lowerBound.rawValue)...Int(range.upperBound.rawValue) {
      slots[slot] = attempt.slots[slot]
    }
  }
}
