public import TapelineTransport

/// The common part of the four responses: the transport's measurements.
///
/// A member that several value types share goes here, with a default implementation: the conforming types need not repeat it.
public protocol Response: Sendable {
  /// The slot for the measurements. Read `metrics`, and write by `add(_:)`.
  var _metrics: (any Sendable)? { get set }

  /// Puts measurements into the slot; ignores a value of any other type.
  mutating func add(_ metrics: (any Sendable)?)
}

extension Response {
  public mutating func add(_ metrics: (any Sendable)?) {
    guard let metrics = metrics as? TaskMetrics else { return }
    _metrics = metrics
  }

  /// The transport's measurements of the last attempt; `nil` without an attempt.
  public var metrics: TaskMetrics? { _metrics as? TaskMetrics }
}
