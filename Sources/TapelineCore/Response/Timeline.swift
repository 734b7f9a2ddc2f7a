/// Seconds since 2001-01-01T00:00:00Z.
public typealias CFAbsoluteTime = Double

/// A duration in seconds.
public typealias TimeInterval = Double

/// The timing of one request's whole life: four absolute times and the four durations between them.
///
/// The durations are computed once, here, from the four times. Both descriptions print exactly three decimals, with a decimal
/// point in every locale.
public struct Timeline: Sendable, Hashable {
  /// When the request was started: its first `resume()`.
  public let requestStartTime: CFAbsoluteTime
  /// When the first byte was received from, or sent to, the server; `requestCompletedTime` when there was none.
  public let initialResponseTime: CFAbsoluteTime
  /// When the network part of the request ended.
  public let requestCompletedTime: CFAbsoluteTime
  /// When the response value was ready.
  public let serializationCompletedTime: CFAbsoluteTime

  /// Seconds from the start to the first byte.
  public let latency: TimeInterval
  /// Seconds from the start to the end of the network part.
  public let requestDuration: TimeInterval
  /// Seconds from the end of the network part to the value.
  public let serializationDuration: TimeInterval
  /// Seconds from the start to the value.
  public let totalDuration: TimeInterval

  /// A timeline of these four times. Times that are left out are 0.
  public init(
    requestStartTime: CFAbsoluteTime = 0.0,
    initialResponseTime: CFAbsoluteTime = 0.0,
    requestCompletedTime: CFAbsoluteTime = 0.0,
    serializationCompletedTime: CFAbsoluteTime = 0.0
  ) {
    self.requestStartTime = requestStartTime
    self.initialResponseTime = initialResponseTime
    self.requestCompletedTime = requestCompletedTime
    self.serializationCompletedTime = serializationCompletedTime
    latency = initialResponseTime - requestStartTime
    requestDuration = requestCompletedTime - requestStartTime
    serializationDuration = serializationCompletedTime - requestCompletedTime
    totalDuration = serializationCompletedTime - requestStartTime
  }
}

extension Timeline: CustomStringConvertible {
  /// The four durations.
  public var description: String {
    "Timeline: { " + durations.joined(separator: ", ") + " }"
  }

  private var durations: [String] {
    [
      "\"Latency\": \(thousandths(latency)) secs",
      "\"Request Duration\": \(thousandths(requestDuration)) secs",
      "\"Serialization Duration\": \(thousandths(serializationDuration)) secs",
      "\"Total Duration\": \(thousandths(totalDuration)) secs",
    ]
  }
}

extension Timeline: CustomDebugStringConvertible {
  /// The four absolute times, then the four durations.
  public var debugDescription: String {
    let times = [
      "\"Request Start Time\": \(thousandths(requestStartTime))",
      "\"Initial Response Time\": \(thousandths(initialResponseTime))",
      "\"Request Completed Time\": \(thousandths(requestCompletedTime))",
      "\"Serialization Completed Time\": \(thousandths(serializationCompletedTime))",
    ]
    return "Timeline: { " + (times + durations).joined(separator: ", ") + " }"
  }
}
