internal import Synchronization

/// Numbers the process's exchanges in order of arrival.
enum ExchangeID {
  private static let last = Atomic<UInt64>(0)

  static func next() -> UInt64 {
    last.wrappingAdd(1, ordering: .relaxed).newValue
  }
}
