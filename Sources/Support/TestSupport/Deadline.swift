internal import Synchronization
internal import TapelineBase
package import TapelineTime

/// The time at which a wait gives up, so that no test can hang.
package struct Deadline: Sendable {
  package let instant: MonotonicInstant

  package static func after(seconds: Int64) -> Deadline {
    after(milliseconds: seconds * 1000)
  }

  package static func after(milliseconds: Int64) -> Deadline {
    Deadline(instant: MonotonicInstant.now.advanced(byNanoseconds: milliseconds * 1_000_000))
  }

  package var hasPassed: Bool { MonotonicInstant.now >= instant }

  /// For `poll`: rounded up, so that a wait that returns 0 has really passed the deadline.
  var remainingMilliseconds: Int32 {
    let nanoseconds = instant.nanoseconds(since: .now)
    return Int32(clamping: max(0, (nanoseconds + 999_999) / 1_000_000))
  }
}

/// Makes tests run as on a slow, busy machine: with `TAPELINE_TEST_DELAYS=SEED` in the environment, every start of a program,
/// every accept of a scripted peer and the first reads of its connections are up to half a second late. Without it, nothing is
/// delayed.
///
/// The seed and the number of the event determine the delay; the scheduling of threads determines the numbers.
enum TestDelays {
  private static let seed = environmentVariable("TAPELINE_TEST_DELAYS").flatMap { UInt64($0) }
  private static let events = Atomic<UInt64>(0)

  /// Only the first reads of a connection are late, because a body of megabytes takes thousands of reads.
  static let lateReads = 3

  /// The delay of the next event, 0 to 500.
  static var milliseconds: Int {
    guard let seed else { return 0 }
    var generator = SeededGenerator(seed: seed, skipping: events.wrappingAdd(1, ordering: .relaxed).oldValue)
    return generator.next(below: 501)
  }

  /// Delays the thread of a scripted peer.
  static func holdUp() {
    let milliseconds = milliseconds
    if milliseconds > 0 { pause(milliseconds: milliseconds) }
  }

  /// The command that starts `program` late, in the process that becomes the program; the test continues in the meantime.
  static func late(_ program: String, _ arguments: [String]) -> (program: String, arguments: [String]) {
    let milliseconds = milliseconds
    guard milliseconds > 0 else { return (program, arguments) }
    let seconds = "0.\(String(milliseconds + 1_000).dropFirst())"
    return ("sh", ["-c", "sleep \(seconds); exec \"$0\" \"$@\"", program] + arguments)
  }
}
