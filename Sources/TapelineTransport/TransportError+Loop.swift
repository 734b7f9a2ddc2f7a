package import TapelineLoop

/// The loop's errors, in the words of an exchange.
extension TransportError {
  package init(_ error: LoopError, origin: Origin, phase: Phase) {
    self.init(
      origin: origin, phase: phase, kind: Kind(error.kind), message: error.message,
      limit: error.kind == .tooLate ? .connecting : nil)
  }

  /// Why there is no connection to `host`.
  package init(_ error: LoopError, connectingTo host: String) {
    switch error.kind {
    case .nameNotFound, .resolverFailure:
      self.init(error, origin: .upstream, phase: .dns)
    case .resolverBusy:
      self.init(error, origin: .local, phase: .dns)
    case .tooManyFiles, .addressNotAvailable, .permissionDenied:
      // Our failure, not the origin's.
      self.init(error, origin: .local, phase: .connect)
    case .prohibited(let addresses):
      let list = addresses.map(\.host).joined(separator: ", ")
      self.init(
        origin: .client, phase: .connect, kind: .destinationProhibited,
        message: "this proxy may not take its client to \(list == host ? host : "\(host), which is \(list)")")
    case .refused, .reset, .unreachable, .timedOut, .tooLate, .addressInUse, .cancelled, .other:
      self.init(error, origin: .upstream, phase: .connect)
    }
  }
}

extension TransportError.Kind {
  init(_ kind: LoopError.Kind) {
    self =
      switch kind {
      case .nameNotFound: .nameNotFound
      case .resolverFailure, .resolverBusy: .resolverFailure
      case .prohibited: .destinationProhibited
      case .refused: .refused
      case .reset: .reset
      case .unreachable: .unreachable
      case .timedOut, .tooLate: .timedOut
      case .tooManyFiles: .tooManyFiles
      case .addressInUse: .addressInUse
      case .addressNotAvailable: .addressNotAvailable
      case .permissionDenied: .permissionDenied
      case .cancelled: .cancelled
      case .other(let code): .other(code)
      }
  }
}
