/// Counts what is missing from a file although it was exchanged.
struct MissingCounts: Equatable {
  /// Exchanges recorded without their bodies, because the recorder could not keep up.
  var bodies: UInt64 = 0
  /// Exchanges not recorded, because the recorder could not keep up.
  var exchanges: UInt64 = 0
  /// Exchanges not recorded, because writing failed.
  var unwritten: UInt64 = 0

  static func += (left: inout MissingCounts, right: MissingCounts) {
    left.bodies += right.bodies
    left.exchanges += right.exchanges
    left.unwritten += right.unwritten
  }

  var json: String {
    "{\"bodies\":\(bodies),\"exchanges\":\(exchanges),\"unwritten\":\(unwritten)}"
  }
}
