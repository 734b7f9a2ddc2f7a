internal import CTapeline
internal import Synchronization
internal import TapelineBase
internal import TapelineTime

/// The leaves of a run, one for each host, made on first use. Shared by all loops.
///
/// All leaves have one key, which is made with the cache and never leaves memory. If two loops ask for a new host at the same
/// moment, both may make a leaf; one of the two is kept.
package final class LeafCertificateCache: Sendable {
  private struct Entry {
    let credentials: TLSCredentials
    /// Seconds since 1970; from then on the cache makes a new leaf.
    let renewal: Int64
  }

  /// Clients refuse certificates with a long validity; a longer run renews its leaves.
  static let lifetime = 30 * CivilDate.secondsPerDay
  /// The cache hands out a leaf only while at least this much of its validity is left.
  static let renewalMargin = CivilDate.secondsPerDay

  /// The pin of all leaves, for Chromium's `--ignore-certificate-errors-spki-list`. It changes from run to run; the authority's
  /// `keyPin` works as well and does not change.
  package let leafKeyPin: String

  private let authority: CertificateAuthority
  private let leafKey: PrivateKeyHandle
  private let clock: @Sendable () -> Int64
  /// By host.
  private let entries: Mutex<BoundedTable<String, Entry>>

  /// - Parameters:
  ///   - capacity: how many leaves are kept; beyond that, the least recently used leaf goes.
  ///   - clock: seconds since 1970.
  package init(
    authority: CertificateAuthority, capacity: Int = 1_000, clock: @escaping @Sendable () -> Int64 = wallClockSeconds
  ) throws(AuthorityError) {
    self.authority = authority
    entries = Mutex(BoundedTable(limit: capacity))
    self.clock = clock
    leafKey = try .makeP256()
    leafKeyPin = KeyIdentifier.pin(of: leafKey.publicKeyInfo)
  }

  /// The certificate that clients must trust.
  package var authorityCertificate: AuthorityCertificate { authority.certificate }

  /// The credentials for a client that asks for `host`, a DNS name or an address literal without brackets, and how long it took
  /// to make them: nil if they were in the cache.
  package func credentials(
    for host: String
  ) throws(AuthorityError) -> (credentials: TLSCredentials, mintingNanoseconds: Int64?) {
    let host = LeafName.normalized(host)
    let now = clock()
    if let credentials = find(host, now: now) { return (credentials, nil) }
    let start = SuspendingClock.now
    let entry = try mint(host, now: now)
    return (keep(entry, for: host), (SuspendingClock.now - start).nanoseconds)
  }

  private func find(_ host: String, now: Int64) -> TLSCredentials? {
    let entry = entries.withLock { entries in entries.use(host) { $0 } }
    return entry.flatMap { now < $0.renewal ? $0.credentials : nil }
  }

  private func mint(_ host: String, now: Int64) throws(AuthorityError) -> Entry {
    let name = try LeafName(host: host)
    try authority.certificate.checkValidity(at: now, source: authority.certificate.commonName)
    // Never beyond the authority's own validity.
    let validity = ((now - CertificateAuthority.backdating)...(now + Self.lifetime)).clamped(to: authority.certificate.validity)
    let leaf = try authority.leaf(for: name, key: leafKey, validity: validity)
    // A root may be sent but need not be (RFC 8446, 4.4.2). We send it, so that a client can be given the root's pin before the
    // run.
    let credentials = TLSCredentials(leaf: leaf, key: leafKey, chain: [authority.certificate.handle])
    return Entry(credentials: credentials, renewal: validity.upperBound - Self.renewalMargin)
  }

  private func keep(_ entry: Entry, for host: String) -> TLSCredentials {
    entries.withLock { entries in
      if let present = entries[host], present.renewal >= entry.renewal { return present.credentials }
      entries[host] = entry
      return entry.credentials
    }
  }

  /// How many leaves are in the cache now.
  var count: Int { entries.withLock { $0.count } }
}

/// The name that a leaf is for: a host name or an address, in the form that clients compare.
package enum LeafName: Hashable, Sendable {
  /// In lower case, without the root's dot.
  case dns(String)
  /// The original text, and 4 or 16 bytes in network order.
  case address(String, [UInt8])

  /// - Parameter host: a DNS name or an address literal without brackets, as sent by the client: it may contain anything.
  package init(host: String) throws(AuthorityError) {
    let name = Self.normalized(host)
    if let address = IPAddress(name) {
      self = .address(name, address.bytes)
    } else if Self.isHostName(name) {
      self = .dns(name)
    } else {
      throw AuthorityError(
        .hostName, what: "no certificate for \(host.debugDescription)", why: "that is no host name",
        remedy: "use letters, digits, hyphens, underscores and dots, at most 253")
    }
  }

  /// One spelling for each name: ASCII in lower case, without the root's dot.
  static func normalized(_ host: String) -> String {
    let bytes = host.utf8
    let count = bytes.last == UInt8(ascii: ".") ? bytes.count - 1 : bytes.count
    guard count < bytes.count || bytes.contains(where: Byte.isUppercase) else { return host }
    return String(decoding: bytes.prefix(count).map(Byte.lowercased), as: UTF8.self)
  }

  var text: String {
    switch self {
    case .dns(let name), .address(let name, _): name
    }
  }

  /// RFC 1035, 2.3.4, with underscores, which are in use; internationalized names arrive as A-labels.
  private static func isHostName(_ name: String) -> Bool {
    guard name.utf8.count <= 253 else { return false }
    return name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { label in
      (1...63).contains(label.count) && label.allSatisfy(isHostNameByte)
    }
  }

  private static func isHostNameByte(_ byte: UInt8) -> Bool {
    Byte.isLowercase(byte) || Byte.isDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
  }
}
