internal import TapelineHAR

/// The time in which the client took a response after the server had sent all of it: tapeline held the rest. No phase has it,
/// because `receive` ends with the server's last byte.
struct RecordedDelivery {
  let milliseconds: Double

  /// Shorter ones are those of every exchange.
  private static let least = 1.0

  /// `nil` if the response was delivered as it came, and for logs without marks.
  init?(_ entry: HAREntry) {
    guard let events = entry.custom[.events], let received = events["responseLastByte"]?.double,
      let delivered = events["deliveredLast"]?.double, delivered.isFinite, received.isFinite
    else { return nil }
    // The time before the first byte to the client was the proxy's own time.
    let begun = max(received, events["deliveredFirst"]?.double ?? received)
    milliseconds = (delivered - begun) / 1_000
    guard milliseconds >= Self.least else { return nil }
  }

  /// The one length of the exchange as its client saw it, by its parts.
  var text: String {
    "delivery: the server had sent all of it, and the client took the rest in \(DurationText.compact(milliseconds)): that is not in the total"
  }
}
