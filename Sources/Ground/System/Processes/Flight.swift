internal import CTapeline

/// The place of an exchange in the table that a crash leaves behind, from its request until its entry is in the log.
///
/// Whoever has it frees it, once. It costs a copy of the request's line, and is nothing in a process that does not restart.
package struct Flight: Sendable {
  private let number: UInt32

  /// No place: nothing is to be said about the exchange, or all places are taken.
  package static let none = Flight(number: 0)

  private init(number: UInt32) {
    self.number = number
  }

  /// - Parameters:
  ///   - started: on the monotonic clock, in nanoseconds.
  ///   - scheme: of `authority`; a number of the caller's.
  ///   - authority: empty where the target is absolute.
  package init(
    exchange: UInt64, started: Int64, method: Span<UInt8>, scheme: UInt8, authority: Span<UInt8>, target: Span<UInt8>
  ) {
    number = unsafe method.withUnsafeBufferPointer { method in
      unsafe authority.withUnsafeBufferPointer { authority in
        unsafe target.withUnsafeBufferPointer { target in
          var head = unsafe tapeline_flight_head(
            id: exchange, started: started, method: method.baseAddress, authority: authority.baseAddress,
            target: target.baseAddress, method_length: method.count, authority_length: authority.count,
            target_length: target.count, scheme: scheme)
          return unsafe tapeline_begin_flight(&head)
        }
      }
    }
  }

  /// The exchange has ended, and its entry is still to be made.
  package func end() {
    tapeline_end_flight(number)
  }

  /// The entry is in the log, or there will be none.
  package func free() {
    tapeline_free_flight(number)
  }
}

/// An exchange that was on its way when the process crashed.
package struct LostFlight: Sendable {
  package let exchange: UInt64
  package let started: Int64
  package let method: [UInt8]
  package let scheme: UInt8
  package let authority: [UInt8]
  package let target: [UInt8]
  /// Whether the end of `target` is missing.
  package let isCut: Bool
  /// Whether the process has crashed again while it told of the exchange.
  package let isSuspect: Bool
  /// Whether the client had its answer, and only the entry is missing.
  package let hasEnded: Bool

  /// Those of the crashes that nobody has told yet, in order of arrival.
  package static func all() -> [LostFlight] {
    var flights: [LostFlight] = []
    var lost = unsafe tapeline_lost_flight()
    var next: UInt32 = 0
    while unsafe tapeline_lost_flight(next, &lost) {
      unsafe flights.append(LostFlight(lost))
      next = unsafe lost.next
    }
    return flights.sorted { $0.exchange < $1.exchange }
  }

  /// They are about to be told. What made us crash may do so again, then: the next start knows them as suspect.
  package static func suspectAll() {
    tapeline_suspect_lost_flights()
  }

  /// They have been told.
  package static func forgetAll() {
    tapeline_forget_lost_flights()
  }

  private init(_ lost: tapeline_lost_flight) {
    let head = unsafe lost.head
    exchange = unsafe head.id
    started = unsafe head.started
    scheme = unsafe head.scheme
    method = unsafe Array(UnsafeBufferPointer(start: head.method, count: head.method_length))
    authority = unsafe Array(UnsafeBufferPointer(start: head.authority, count: head.authority_length))
    target = unsafe Array(UnsafeBufferPointer(start: head.target, count: head.target_length))
    isCut = unsafe lost.is_cut
    isSuspect = unsafe lost.is_suspect
    hasEnded = unsafe lost.has_ended
  }
}

/// Numbers that no other exchange or connection of this process has, before a crash or after it.
package enum ProcessNumber {
  package static func nextExchange() -> UInt64 { tapeline_count_exchange() }

  package static func nextConnection() -> UInt64 { tapeline_count_connection() }
}
