/// The evaluation of one connection's server: at most one, and always before the handshake counts as ended.
struct PeerEvaluation {
  enum State {
    case pending
    case accepted
    case refused(PeerRefusal)
  }

  let evaluator: PeerEvaluator
  var state = State.pending

  init(evaluator: PeerEvaluator) {
    self.evaluator = evaluator
  }

  var refusal: PeerRefusal? {
    switch state {
    case .pending, .accepted: nil
    case .refused(let refusal): refusal
    }
  }
}
