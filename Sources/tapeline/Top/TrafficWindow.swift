/// The recent readings that a live view covers, oldest first.
struct TrafficWindow {
  private let nanoseconds: Int64
  private var readings: [RecordingTraffic] = []

  init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// Adds a reading, and returns the traffic within the window; `nil` for the first reading.
  mutating func add(_ reading: RecordingTraffic) -> TrafficInterval? {
    readings.append(reading)
    // The window begins at the last reading from before it.
    while readings.count > 2, readings[1].nanoseconds <= reading.nanoseconds - nanoseconds { readings.removeFirst() }
    return readings.count > 1 ? TrafficInterval(from: readings[0], to: reading) : nil
  }
}
