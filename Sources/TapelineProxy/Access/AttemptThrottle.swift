internal import Synchronization
internal import TapelineTime

/// Limits wrong passwords from one address: twenty at once, then one a second, so that nobody finds one out by trying.
///
/// Any thread. Memory is bounded: addresses beyond the bound share one account.
final class AttemptThrottle: Sendable {
  private struct Account {
    /// The attempts that are left; only whole ones count.
    var attempts: Double
    var countedAt: MonotonicInstant
  }

  private let accounts = Mutex<[String: Account]>([:])

  private static let burst = 20.0
  private static let perSecond = 1.0
  private static let mostAddresses = 1_024

  /// Whether we look at an attempt from `address`.
  func permits(_ address: String, at instant: MonotonicInstant) -> Bool {
    accounts.withLock { accounts in
      guard !accounts.isEmpty, let account = accounts[Self.key(of: address, in: accounts)] else { return true }
      return Self.attempts(of: account, at: instant) >= 1
    }
  }

  func noteFailure(of address: String, at instant: MonotonicInstant) {
    accounts.withLock { accounts in
      if accounts.count >= Self.mostAddresses {
        accounts = accounts.filter { Self.attempts(of: $0.value, at: instant) < Self.burst }
      }
      let key = Self.key(of: address, in: accounts)
      let left = accounts[key].map { Self.attempts(of: $0, at: instant) } ?? Self.burst
      accounts[key] = Account(attempts: max(0, left - 1), countedAt: instant)
    }
  }

  private static func attempts(of account: Account, at instant: MonotonicInstant) -> Double {
    let seconds = Double(max(0, instant.nanoseconds(since: account.countedAt))) / 1e9
    return min(burst, account.attempts + seconds * perSecond)
  }

  private static func key(of address: String, in accounts: [String: Account]) -> String {
    accounts[address] != nil || accounts.count < mostAddresses ? address : ""
  }
}
