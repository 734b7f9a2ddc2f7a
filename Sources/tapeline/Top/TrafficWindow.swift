/// The readings of the last while, oldest first: what a live view is about.
struct TrafficWindow {
  private let nanoseconds: Int64
  private var readings: [RecordingTraffic] = []

  init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// Takes a reading, and says what passed within the window; `nil` of the first one.
  mutating func add(_ reading: RecordingTraffic) -> TrafficInterval? {
    readings.append(reading)
    // The last one from before the window is where the window begins.
    while readings.count > 2, readings[1].nanoseconds <= reading.nanoseconds - nanoseconds { readings.removeFirst() }
    return readings.count > 1 ? TrafficInterval(from: readings[0], to: reading) : nil
  }
}
