import TapelineTLS

@testable import TapelineTransport

extension PreparedConnection {
  /// Has `action` told how the handshake ahead of any task ends.
  func onHandshakeEnd(_ action: @escaping (Result<TLSParameters, TransportError>) -> Void) {
    onEvent = { event in
      if case .handshakeDidEnd(let result) = event { action(result) }
    }
  }
}
