internal import TapelineLoop
internal import TapelineTLS
internal import TapelineTransport

/// Who waits for what a tunnel's connection to the origin says before a request takes it. Loop-bound.
///
/// An object of its own, so that the connection need not refer to the tunnel, which owns it.
final class OriginWatch {
  private struct Wait<Answer> {
    /// Limits the wait.
    let timer: Timer
    let action: (Answer) -> Void

    func end(with answer: Answer) {
      timer.cancel()
      action(answer)
    }
  }

  private let loop: EventLoop
  private let patience: Duration
  private var choice: Wait<ProtocolMirror.Answer>?
  private var settings: Wait<Bool>?
  /// The step when the origin ends the connection.
  var onPeerEnd: (() -> Void)?

  init(_ shard: LoopShard) {
    loop = shard.loop
    patience = shard.configuration.protocolPatience
  }

  /// Has `action` called, once, when the origin has chosen a protocol, cannot choose any, or has taken too long.
  func awaitChoice(_ action: @escaping (ProtocolMirror.Answer) -> Void) {
    choice = Wait(timer: startTimer { [unowned self] in originDidAnswer(.missing) }, action: action)
  }

  /// Has `action` called, once, when the origin has said whether it takes extended CONNECTs, or has taken too long.
  func awaitSettings(_ action: @escaping (_ offersExtendedConnect: Bool) -> Void) {
    settings = Wait(timer: startTimer { [unowned self] in settings.take()?.end(with: false) }, action: action)
  }

  private func startTimer(_ action: @escaping () -> Void) -> Timer {
    let timer = Timer(loop: loop, handler: action)
    timer.start(after: patience)
    return timer
  }

  func originDidAnswer(_ answer: ProtocolMirror.Answer) {
    choice.take()?.end(with: answer)
  }

  func note(_ event: PreparedConnection.Event) {
    switch event {
    case .handshakeDidEnd(.success(let parameters)): originDidAnswer(.chose(parameters.applicationProtocol))
    case .handshakeDidEnd(.failure(let error)): originDidAnswer(.failed(error))
    case .settings(let offersExtendedConnect): settings.take()?.end(with: offersExtendedConnect)
    case .peerDidEnd: onPeerEnd?()
    }
  }
}
