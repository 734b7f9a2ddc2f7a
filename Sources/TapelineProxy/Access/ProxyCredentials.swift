internal import Synchronization
internal import TapelineDigest
internal import TapelineText
internal import TapelineTime

/// The name and password that clients of the proxy must give (RFC 9110 11.7, RFC 7617).
package struct ProxyCredentials: Sendable {
  /// Of the text that a client sends after `Basic `. Digests have one length, so that a comparison takes as long for any two of
  /// them.
  private let digest: [UInt8]
  /// Shared by all copies.
  let throttle = AttemptThrottle()

  /// The challenge that asks for them (RFC 7617 2 and 2.1).
  static let challenge = #"Basic realm="tapeline", charset="UTF-8""#

  /// - Parameter pair: `USER:PASSWORD`; the name has no colon.
  package init(pair: String) {
    digest = Self.digest(of: Base64.encode(Array(pair.utf8)))
  }

  /// Whether a `Proxy-Authorization` value gives them. The time it takes reveals neither how much of the value is right nor their
  /// length.
  func match(_ value: String) -> Bool {
    let words = value.split(separator: " ")
    guard words.count == 2, words[0].lowercased() == "basic" else { return false }
    let difference = zip(digest, Self.digest(of: String(words[1]))).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) }
    return difference == 0
  }

  private static func digest(of token: String) -> [UInt8] {
    let bytes = Array(token.utf8)
    return MessageDigest.sha256.digest(of: bytes.span)
  }
}

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
