internal import TapelineTime

/// The text of the `Date` field (IMF-fixdate, RFC 9110 5.6.7), made anew at most once a second. Loop-bound.
struct HTTPDate {
  private var second: Int64 = .min
  private var text = ""

  /// The date at `instant`, e.g. `Sun, 06 Nov 1994 08:49:37 GMT`.
  mutating func text(at instant: MonotonicInstant) -> String {
    let now = WallClockAnchor.process.unixNanoseconds(at: instant) / 1_000_000_000
    if now != second {
      second = now
      text = CivilDate(unixSeconds: now).imfFixdate
    }
    return text
  }
}
