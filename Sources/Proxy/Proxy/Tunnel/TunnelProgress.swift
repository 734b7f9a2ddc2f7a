internal import TapelineBase

/// The progress of a tunnel. It holds the client's first bytes until it is clear who gets them: the origin, or our own parser.
///
/// A value without sockets: each event answers what to do with the bytes.
struct TunnelProgress: ~Copyable {
  /// Bytes that the client has sent and that nobody has read yet.
  struct Held {
    var bytes: [UInt8]
    /// The client sends no more after them.
    var isAll = false
  }

  private enum State {
    /// The connection to the origin is being opened.
    case opening(Held)
    /// The connection is open. The client's first bytes decide whether the tunnel is relayed or handed over.
    case undecided(Held)
    case relaying(clientEnded: Bool)
    /// The origin's connection now belongs to the client connection, and so does the record.
    case handedOver
  }

  /// The step for bytes from the client.
  enum Reception: Equatable {
    case hold
    /// Judge everything that the client has sent so far.
    case judge([UInt8])
    case relay
  }

  /// The step when the client sends no more.
  enum ClientEnd {
    case hold
    /// No more bytes will come to judge: call `relay()`, whose answer says that the end is to be passed on too.
    case relay
    /// Tell the origin.
    case passOn
  }

  private var state: State

  /// - Parameter greeting: the bytes that the client has sent already.
  init(greeting: [UInt8] = []) {
    state = .opening(Held(bytes: greeting))
  }

  // MARK: From the client

  mutating func receive(_ bytes: Span<UInt8>) -> Reception {
    switch state {
    case .opening(var held):
      held.bytes.append(bytes: bytes)
      state = .opening(held)
      return .hold
    case .undecided(var held):
      held.bytes.append(bytes: bytes)
      state = .undecided(held)
      return .judge(held.bytes)
    case .relaying:
      return .relay
    case .handedOver:
      preconditionFailure("a tunnel that was handed over hears of no more bytes")
    }
  }

  mutating func endClient() -> ClientEnd {
    switch state {
    case .opening(let held):
      state = .opening(Held(bytes: held.bytes, isAll: true))
      return .hold
    case .undecided(let held):
      state = .undecided(Held(bytes: held.bytes, isAll: true))
      return .relay
    case .relaying:
      state = .relaying(clientEnded: true)
      return .passOn
    case .handedOver:
      return .hold
    }
  }

  // MARK: What becomes of it

  /// The connection to the origin is open. Answers the bytes that the client has sent so far.
  ///
  /// - Parameter early: the bytes that the client sent after its CONNECT.
  mutating func open(early: [UInt8] = []) -> [UInt8] {
    guard case .opening(let held) = state else { preconditionFailure("a tunnel opens once") }
    let all = early + held.bytes
    state = .undecided(Held(bytes: all, isAll: held.isAll))
    return all
  }

  /// The tunnel is relayed. Answers the first bytes for the origin.
  mutating func relay() -> Held {
    guard case .undecided(let held) = state else { preconditionFailure("a tunnel is decided on once, when it stands") }
    state = .relaying(clientEnded: held.isAll)
    return held
  }

  /// The client's connection goes on by itself, with the origin's connection or without one. Answers the bytes that it goes on
  /// with.
  mutating func handOver() -> [UInt8] {
    switch state {
    case .opening(let held), .undecided(let held):
      state = .handedOver
      return held.bytes
    case .relaying, .handedOver:
      preconditionFailure("a tunnel is decided on once")
    }
  }

  // MARK: Questions

  var isUndecided: Bool {
    switch state {
    case .undecided: true
    case .opening, .relaying, .handedOver: false
    }
  }

  var isHandedOver: Bool {
    switch state {
    case .handedOver: true
    case .opening, .undecided, .relaying: false
    }
  }

  /// Whether the client may have more to send.
  var readsClient: Bool {
    switch state {
    case .opening(let held), .undecided(let held): !held.isAll
    case .relaying(let clientEnded): !clientEnded
    case .handedOver: false
    }
  }
}
