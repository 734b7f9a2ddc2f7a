internal import Synchronization

/// Which clients are known to take our certificates for a host, and which to refuse them. Shared by the loops of a proxy; bounded.
final class ClientTrust: Sendable {
  /// How a client turned our certificate down.
  enum Refusal: Hashable, Sendable {
    /// By a fatal alert, whose name it is (RFC 8446 6.2).
    case alert(String)
    /// It closed without a word when it had seen the certificate. People who cancel look the same: a client that has trusted us for this
    /// host before is not suspected.
    case silence
  }

  private enum Verdict {
    case accepts
    case refuses(Refusal)
  }

  /// The client's address, and the name that the certificate was made for.
  private struct Key: Hashable {
    let client: String
    let host: String
  }

  private struct State {
    var verdicts: [Key: Verdict] = [:]
    /// Oldest first.
    var order: [Key] = []

    mutating func set(_ verdict: Verdict, for key: Key, limit: Int) {
      if verdicts.updateValue(verdict, forKey: key) == nil { order.append(key) }
      if order.count > limit { verdicts[order.removeFirst()] = nil }
    }
  }

  private let limit: Int
  private let state = Mutex(State())

  init(limit: Int = 4_096) {
    self.limit = limit
  }

  /// A request came through TLS under our certificate.
  func noteAcceptance(by client: String, of host: String) {
    let key = Key(client: client, host: host)
    state.withLock { state in
      if state.verdicts[key] == nil { state.set(.accepts, for: key, limit: limit) }
    }
  }

  /// Answers whether the client is taken at its word.
  func noteRefusal(_ refusal: Refusal, by client: String, of host: String) -> Bool {
    let key = Key(client: client, host: host)
    return state.withLock { state in
      if case .accepts = state.verdicts[key], refusal == .silence { return false }
      state.set(.refuses(refusal), for: key, limit: limit)
      return true
    }
  }

  /// How this client refused our certificate for `host` before.
  func refusal(by client: String, of host: String) -> Refusal? {
    let key = Key(client: client, host: host)
    return state.withLock { state in
      switch state.verdicts[key] {
      case .refuses(let refusal): refusal
      case .accepts, nil: nil
      }
    }
  }
}
