/// Decides how the next input of a channel goes on to another one, as a value: past this program, or through it.
///
/// The last bytes that wait are always read: with them the kernel tells when they came. So is the rest of a message that has a
/// length: with it the end is found.
struct ForwardingPlan: Equatable {
  /// How many of the next bytes may go past; `nil`: all that come.
  private(set) var left: UInt64?
  /// Reads in a row that were too small.
  private var smallReads = 0

  /// From this amount on input goes past: less is copied sooner than moved.
  static let least = 32 * 1024
  /// So many bytes of what waits are read.
  static let tail = 4 * 1024
  /// A pipe for fewer bytes is not worth its making.
  static let worthwhile = UInt64(Conduit.capacity)
  /// After so many small reads the flow is no longer a large one.
  static let patience = 64

  init(left: UInt64?) {
    self.left = left
  }

  enum Step: Equatable {
    case move(Int)
    case read
    /// Read, and give the pipe back.
    case stop
  }

  /// The next step for `waiting` bytes.
  ///
  /// - Parameter isClear: nothing waits in front of the destination.
  mutating func step(waiting: Int, isClear: Bool) -> Step {
    if let left, left < UInt64(Self.least) { return .stop }
    guard waiting >= Self.least else {
      smallReads += 1
      return smallReads < Self.patience ? .read : .stop
    }
    smallReads = 0
    guard isClear else { return .read }
    return .move(Int(min(UInt64(waiting - Self.tail), left ?? .max, UInt64(Conduit.capacity))))
  }

  /// Bytes went past, or were read.
  mutating func didTake(_ count: Int) {
    if let left { self.left = left - min(left, UInt64(count)) }
  }
}
