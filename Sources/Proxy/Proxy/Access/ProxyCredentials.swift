internal import Synchronization
internal import TapelineDigest
internal import TapelineLoop
internal import TapelineBase
internal import TapelineTime

/// The name and password that clients of the proxy must give (RFC 9110 11.7, RFC 7617).
package struct ProxyCredentials: Sendable {
  /// The digest of the text that a client sends after `Basic `. Digests have one length, so that a comparison takes as long for
  /// any two of them.
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
    return Self.digest(of: String(words[1])).equalsSecret(digest)
  }

  private static func digest(of token: String) -> [UInt8] {
    let bytes = Array(token.utf8)
    return MessageDigest.sha256.digest(of: bytes.span)
  }
}

/// Limits wrong passwords, so that nobody finds one out by trying: from one place twenty at once, then one a second; from all
/// places together two hundred at once, then ten a second. The latter does not hold up addresses that have given the right one.
///
/// A place is an address, or what one program can have many addresses of: this machine's loopback, and a network of IPv6 (/64).
///
/// Any thread. Memory is bounded: places beyond the bound share one account.
final class AttemptThrottle: Sendable {
  private struct Account {
    let burst: Double
    let perSecond: Double
    /// The attempts that are left; only whole ones count.
    var attempts: Double
    var countedAt: MonotonicInstant

    init(burst: Double, perSecond: Double, at instant: MonotonicInstant) {
      (self.burst, self.perSecond, attempts, countedAt) = (burst, perSecond, burst, instant)
    }

    func attempts(at instant: MonotonicInstant) -> Double {
      let seconds = Double(max(0, instant.nanoseconds(since: countedAt))) / 1e9
      return min(burst, attempts + seconds * perSecond)
    }

    mutating func noteFailure(at instant: MonotonicInstant) {
      attempts = max(0, attempts(at: instant) - 1)
      countedAt = instant
    }
  }

  private struct State {
    var accounts: [String: Account] = [:]
    /// `nil` before the first failure.
    var total: Account?
    /// Addresses that have given the right password.
    var known: Set<String> = []
  }

  private let state = Mutex(State())

  private static let mostPlaces = 1_024

  /// Whether we look at an attempt from `address`.
  func permits(_ address: String, at instant: MonotonicInstant) -> Bool {
    state.withLock { state in
      guard let total = state.total else { return true }
      if let account = state.accounts[Self.key(of: address, in: state.accounts)], account.attempts(at: instant) < 1 {
        return false
      }
      return total.attempts(at: instant) >= 1 || state.known.contains(address)
    }
  }

  func noteSuccess(of address: String) {
    state.withLock { state in
      if state.known.count < Self.mostPlaces { state.known.insert(address) }
    }
  }

  func noteFailure(of address: String, at instant: MonotonicInstant) {
    state.withLock { state in
      if state.accounts.count >= Self.mostPlaces {
        state.accounts = state.accounts.filter { $0.value.attempts(at: instant) < $0.value.burst }
      }
      let key = Self.key(of: address, in: state.accounts)
      state.accounts[key, default: Account(burst: 20, perSecond: 1, at: instant)].noteFailure(at: instant)
      var total = state.total ?? Account(burst: 200, perSecond: 10, at: instant)
      total.noteFailure(at: instant)
      state.total = total
    }
  }

  private static func key(of address: String, in accounts: [String: Account]) -> String {
    let place = place(of: address)
    return accounts[place] != nil || accounts.count < mostPlaces ? place : ""
  }

  private static func place(of address: String) -> String {
    guard let found = SocketAddress(literal: address, port: 0)?.reached else { return address }
    if found.isLoopback { return "loopback" }
    return found.ip.isIPv6 ? "\(found.ip.bytes.prefix(8))" : found.host
  }
}
