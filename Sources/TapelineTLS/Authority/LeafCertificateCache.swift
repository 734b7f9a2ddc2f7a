internal import Synchronization
internal import TapelineTime

/// The leaves of a run, one for each host, made when they are first asked for. Shared by all loops.
///
/// All leaves have one key, which is made with the cache and never leaves memory. Two loops that ask for a new host at the same
/// moment may both make a leaf; one of the two is kept.
package final class LeafCertificateCache: Sendable {
  private struct Entry {
    let credentials: TLSCredentials
    /// Seconds since 1970; from then on a new leaf is made.
    let renewal: Int64
    var lastUse: UInt64
  }

  private struct Entries {
    var byHost: [String: Entry] = [:]
    /// Counts lookups: the order of uses.
    var uses: UInt64 = 0
  }

  /// Clients refuse what is valid for long; a run that is longer renews.
  static let lifetime = 30 * CivilDate.secondsPerDay
  /// A leaf is handed out while at least this much of its life is left.
  static let renewalMargin = CivilDate.secondsPerDay

  /// Of all leaves: what Chromium's `--ignore-certificate-errors-spki-list` takes. It changes from run to run; the authority's
  /// `keyPin` does as well, and does not.
  package let leafKeyPin: String

  private let authority: CertificateAuthority
  private let leafKey: PrivateKeyHandle
  private let capacity: Int
  private let clock: @Sendable () -> Int64
  private let entries = Mutex(Entries())

  /// - Parameters:
  ///   - capacity: how many leaves are kept; of more, the least recently used go.
  ///   - clock: seconds since 1970.
  package init(
    authority: CertificateAuthority, capacity: Int = 1_000, clock: @escaping @Sendable () -> Int64 = wallClockSeconds
  ) throws(AuthorityError) {
    precondition(capacity > 0, "a cache keeps at least one leaf")
    self.authority = authority
    self.capacity = capacity
    self.clock = clock
    leafKey = try .makeP256()
    leafKeyPin = KeyIdentifier.pin(of: leafKey.publicKeyInfo)
  }

  /// What clients trust, or are to trust.
  package var authorityCertificate: AuthorityCertificate { authority.certificate }

  /// What to show a client that asks for `host`, a DNS name or an address literal without brackets, and how long it took to
  /// make: nil if it was there.
  package func credentials(
    for host: String
  ) throws(AuthorityError) -> (credentials: TLSCredentials, mintingNanoseconds: Int64?) {
    let host = LeafName.normalized(host)
    let now = clock()
    if let credentials = find(host, now: now) { return (credentials, nil) }
    let start = SuspendingClock.now
    let entry = try mint(host, now: now)
    let (seconds, attoseconds) = (SuspendingClock.now - start).components
    return (keep(entry, for: host), seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
  }

  private func find(_ host: String, now: Int64) -> TLSCredentials? {
    entries.withLock { entries in
      guard let index = entries.byHost.index(forKey: host) else { return nil }
      guard now < entries.byHost.values[index].renewal else { return nil }
      entries.uses += 1
      entries.byHost.values[index].lastUse = entries.uses
      return entries.byHost.values[index].credentials
    }
  }

  private func mint(_ host: String, now: Int64) throws(AuthorityError) -> Entry {
    let name = try LeafName(host: host)
    try authority.certificate.checkValidity(at: now, source: authority.certificate.commonName)
    // Never outside the authority's own life.
    let validity = ((now - CertificateAuthority.backdating)...(now + Self.lifetime)).clamped(to: authority.certificate.validity)
    let leaf = try authority.leaf(for: name, key: leafKey, validity: validity)
    // A root need not be sent, and may be (RFC 8446, 4.4.2): so a client can be told its pin before the run.
    let credentials = TLSCredentials(leaf: leaf, key: leafKey, chain: [authority.certificate.handle])
    return Entry(credentials: credentials, renewal: validity.upperBound - Self.renewalMargin, lastUse: 0)
  }

  private func keep(_ entry: Entry, for host: String) -> TLSCredentials {
    entries.withLock { entries in
      entries.uses += 1
      if let present = entries.byHost[host], present.renewal >= entry.renewal { return present.credentials }
      var entry = entry
      entry.lastUse = entries.uses
      entries.byHost[host] = entry
      // A scan of all is cheap beside the signature that the new leaf has just cost.
      if entries.byHost.count > capacity, let oldest = entries.byHost.min(by: { $0.value.lastUse < $1.value.lastUse }) {
        entries.byHost[oldest.key] = nil
      }
      return entry.credentials
    }
  }

  /// How many leaves are kept now.
  var count: Int { entries.withLock { $0.byHost.count } }
}
