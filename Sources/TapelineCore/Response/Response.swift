public import TapelineTransport

/// What the four responses have in common: the transport's measurements.
///
/// A member that several value types share goes here, with a default implementation: the conforming types need not repeat it.
public protocol Response: Sendable {
  /// The slot for the measurements. Read `metrics`, and write by `add(_:)`.
  var _metrics: (any Sendable)? { get set }

  /// Puts measurements into the slot; anything that is none is left out.
  mutating func add(_ metrics: (any Sendable)?)
}

extension Response {
  public mutating func add(_ metrics: (any Sendable)?) {
    guard let metrics = metrics as? TaskMetrics else { return }
    _metrics = metrics
  }

  /// What the transport measured of the last attempt; `nil` when there was none.
  public var metrics: TaskMetrics? { _metrics as? TaskMetrics }
}
