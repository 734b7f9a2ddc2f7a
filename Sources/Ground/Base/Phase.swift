/// The phases of an exchange, in the order in which they happen; `ssl` is part of `connect`.
///
/// `client` and `proxy` are not HAR phases: they are the parts of HAR's `blocked` that the client itself and the recording proxy
/// took, if a log says so. Rankings by the time that the server or the connection took leave them out.
package enum Phase: Int, CaseIterable, Sendable {
  case client
  case proxy
  case blocked
  case dns
  case connect
  case ssl
  case send
  case wait
  case receive

  /// A value for each phase, at its `rawValue`.
  package typealias Table<Value> = InlineArray<9, Value>

  /// The members of HAR's `timings`, in the order of its specification; `blocked` includes `client` and `proxy` there.
  package static let ofHAR: [Phase] = [.blocked, .dns, .connect, .send, .wait, .receive, .ssl]

  /// The phase's name in a log, without a `String`.
  package var key: StaticString {
    switch self {
    case .client: "client"
    case .proxy: "proxy"
    case .blocked: "blocked"
    case .dns: "dns"
    case .connect: "connect"
    case .ssl: "ssl"
    case .send: "send"
    case .wait: "wait"
    case .receive: "receive"
    }
  }

  /// The phase's name in a log.
  package var name: String { key.description }

  /// Whether its time belongs to the total that exchanges are ranked by: the client's own part and the proxy's do not.
  package var isOfTotal: Bool { self != .client && self != .proxy }

  /// Whether another phase includes its time, so that a sum of all phases leaves it out.
  package var isIncluded: Bool { self == .ssl }

  /// Whether HAR requires a time of each exchange; −1 stands for the other phases if they did not happen.
  package var isRequired: Bool { self == .send || self == .wait || self == .receive }
}
