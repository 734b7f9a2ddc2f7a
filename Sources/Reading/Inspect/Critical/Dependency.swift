/// Why an exchange could not begin, or could not be sent, before another one.
package enum DependencyReason: String, CaseIterable, Sendable {
  /// The other answered with the address of this one (RFC 9110 10.2.2).
  case redirect
  /// The other asked for the same and failed, or was told to come again (RFC 9110 15.5.9, 15.6.4; RFC 6585 4).
  case retry
  /// The browser that wrote the log says so (`_initiator`).
  case initiator
  /// The body of the other's response has the address of this one.
  case mention
  /// The request names the other in `Referer` (RFC 9110 10.1.3).
  case referer
  /// The connection carries one exchange at a time, and the other was on it.
  case connection
  /// A loop has a limit of exchanges at a time, and the other was one of them.
  case turn
  /// Several were in flight, all had ended, and then it began: a join of a program, or `load` of a page.
  case join
  /// It began after the other had ended.
  case order

  /// Whether the other had the place of this one, so that another end could have given it one.
  var isPlace: Bool {
    switch self {
    case .connection, .turn: true
    case .redirect, .retry, .initiator, .mention, .referer, .join, .order: false
    }
  }

  /// How a table says it, before the number of the other exchange.
  var phrase: String {
    switch self {
    case .redirect: "redirect by"
    case .retry: "retry of"
    case .initiator: "started by"
    case .mention: "mentioned in"
    case .referer: "referer"
    case .connection: "connection of"
    case .turn: "turn of"
    case .join: "all until"
    case .order: "after"
    }
  }
}

/// An exchange depends on an earlier one.
struct Dependency: Hashable, Sendable {
  /// The moment of the earlier exchange that releases the later one.
  enum Anchor: Hashable, Sendable {
    /// The first byte of its response: browsers read documents while they arrive.
    case firstByte
    case end
  }

  /// The moment of the later exchange that the earlier one delays.
  enum Delayed: Hashable, Sendable {
    case start
    /// It had begun, and waited for its connection.
    case sending
  }

  /// The place of the earlier exchange in the order of their schedule.
  let source: Int
  let reason: DependencyReason
  /// How sure it is, from 0 to 1.
  let confidence: Double
  var anchor = Anchor.end
  var delayed = Delayed.start
}

/// The moments of an exchange in nanoseconds from the beginning of its group. None is before the one above it.
struct ExchangeTimes: Hashable, Sendable {
  var start: Int
  /// The time in which it waited for a connection is over.
  var ready: Int
  var firstByte: Int
  var end: Int
  /// How long it opened a connection that later exchanges used: they would have to open it. From `ready`.
  var opening = 0
  /// The same of the client's connection to tapeline, before `ready`.
  var setUp = 0

  func moment(of anchor: Dependency.Anchor) -> Int {
    switch anchor {
    case .firstByte: firstByte
    case .end: end
    }
  }
}
