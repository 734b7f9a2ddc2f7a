internal import TapelineSystem

/// How much of the machine a recording uses unless options say otherwise.
package enum MachineShare {
  /// In every measurement, further loops had nothing to do.
  private static let mostThreads = 4
  private static let leastConnections = 8
  /// For the standard streams, the log, loops and listeners.
  private static let ownDescriptors = 32

  /// The number of loops, each with a thread.
  package static var threads: Int {
    min(CurrentProcess.processorCount, mostThreads)
  }

  /// The number of clients that a recording's limit of open files permits. Each client may need three descriptors: its own, one
  /// for its origin, and one for an idle connection to an origin.
  package static var connections: Int {
    OpenFileLimit.highest.map { max(leastConnections, ($0 - ownDescriptors) / 3) } ?? leastConnections
  }
}
