package import TapelineLoop

/// Why a request of a `Session` failed.
public struct TapelineError: Error, Sendable, CustomStringConvertible {
  public enum Kind: Sendable, Hashable {
    /// `cancel()` was called on the request.
    case explicitlyCancelled
    /// The transport could not complete the task; `description` has the phase and the cause.
    case sessionTaskFailed
  }

  public let kind: Kind
  /// What the transport said; `nil` when it was not the transport.
  package let transportError: TransportError?

  static let explicitlyCancelled = TapelineError(kind: .explicitlyCancelled, transportError: nil)

  static func sessionTaskFailed(_ error: TransportError) -> TapelineError {
    TapelineError(kind: .sessionTaskFailed, transportError: error)
  }

  public var description: String {
    switch kind {
    case .explicitlyCancelled: "the request was cancelled"
    case .sessionTaskFailed: transportError?.message ?? "the task failed"
    }
  }
}
