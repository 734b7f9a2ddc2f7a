internal import Synchronization
internal import TapelineCore
internal import TapelineBase
internal import TapelineTime

/// The names that a command's programs have looked up, by the addresses that they were told: the next connection to one of these
/// reports the lookup, and all are judged by it. It also counts the questions. Any thread.
final class KnownNames: Sendable {
  private struct Known: Sendable {
    let lookup: NameLookup
    let instant: MonotonicInstant
  }

  private let known = Mutex<[String: Known]>([:])
  /// The name that led to an address last: programs keep what they were told, and connect again without a question.
  private let names = Mutex(BoundedTable<String, String>(limit: limit))
  private let counts = Mutex(NameQuestions())

  /// Addresses that are kept; then all are forgotten.
  private static let limit = 4096
  /// A later connection has another reason.
  private static let age = Duration.seconds(60)

  func note(_ lookup: NameLookup, of addresses: [String], at instant: MonotonicInstant) {
    known.withLock { known in
      if known.count + addresses.count > Self.limit { known = [:] }
      for address in addresses { known[address] = Known(lookup: lookup, instant: instant) }
    }
    names.withLock { names in
      for address in addresses { names[address] = lookup.name }
    }
  }

  var questions: NameQuestions { counts.withLock { $0 } }

  func count(_ change: (inout NameQuestions) -> Void) {
    counts.withLock { change(&$0) }
  }

  func name(of address: String) -> String? { names.withLock { $0[address] } }

  /// The lookup that gave `address`, once.
  func take(_ address: String, at instant: MonotonicInstant) -> NameLookup? {
    let found = known.withLock { $0.removeValue(forKey: address) }
    guard let found, instant.duration(since: found.instant) < Self.age else { return nil }
    return found.lookup
  }
}
