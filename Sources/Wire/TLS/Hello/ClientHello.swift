/// The client's first message, which is not encrypted (RFC 8446 4.1.2, RFC 5246 7.4.1.2).
package struct ClientHello: Sendable, Hashable {
  /// In lower case, without the trailing dot of the root.
  package let serverName: String?
  package let applicationProtocols: [ApplicationProtocol]
  /// In the client's order, without the versions that have no name.
  package let versions: [TLSVersion]
  /// Whether it names a session to resume (RFC 8446 4.2.11, RFC 5077 3.2, RFC 5246 7.4.1.2).
  package let offersToResume: Bool
  /// Two hellos of the same manner are treated alike.
  package let manner: HelloManner
  /// Whether a handshake with our leaf can succeed: its key is on P-256, and its versions and ciphers are those of `TLSPolicy`.
  package let acceptsLeaf: Bool
  /// The same for every hello of one program.
  package let fingerprint: HelloFingerprint

  /// The same for hellos of one program that differ in what they offer to speak: a client may come again for HTTP/1.1 alone.
  package var kinship: HelloFingerprint {
    applicationProtocols.reduce(fingerprint) { $0.without($1) }
  }

  package enum Peek: Sendable, Hashable {
    case needsMore
    /// The bytes do not come from a TLS client.
    case notTLS
    /// They begin as those of a TLS client do, and are no hello that we can read.
    case malformed
    case hello(ClientHello)
  }

  /// Looks at all bytes that a connection has received so far. It keeps no state: when more bytes arrive, pass all of them again.
  package static func peek(_ bytes: Span<UInt8>) -> Peek {
    var walker = RecordWalker()
    var message = HandshakeMessage(.clientHello)
    var position = 0
    while true {
      switch walker.next(in: bytes, from: &position) {
      case .needsMore: return .needsMore
      case .invalid: return fault(in: bytes)
      case .fragment(let fragment):
        guard fragment.type == .handshake else { return fault(in: bytes) }
        switch message.append(bytes.extracting(fragment.range)) {
        case .incomplete: continue
        case .invalid: return fault(in: bytes)
        case .complete: return message.read { ClientHello($0) }.map { .hello($0) } ?? .malformed
        }
      }
    }
  }

  /// No other protocol is known to begin with these two bytes: a record with a handshake message of SSL 3.0 or later.
  private static func fault(in bytes: Span<UInt8>) -> Peek {
    let beginsRecord = bytes.count > 1 && bytes[0] == RecordWalker.ContentType.handshake.rawValue && bytes[1] == 3
    return beginsRecord ? .malformed : .notTLS
  }

  /// `nil` when `bytes`, a message without its header, are malformed.
  init?(_ bytes: Span<UInt8>) {
    var cursor = HelloCursor(bytes.indices)
    guard let version = cursor.number(bytes), version >> 8 == 3, cursor.range(ofCount: 32) != nil,
      let sessionID = cursor.shortVector(bytes), sessionID.count <= 32,
      var suites = cursor.vector(bytes), !suites.isAtEnd, suites.count % 2 == 0,
      let compressions = cursor.shortVector(bytes), !compressions.isAtEnd,
      let extensions = HelloExtensions(bytes, at: &cursor, of: .clientHello)
    else { return nil }

    serverName = extensions.serverName
    applicationProtocols = extensions.applicationProtocols
    // Without the extension, the legacy field is the highest version offered.
    versions = extensions.hasVersions ? extensions.versions : TLSVersion(rawValue: version).map { [$0] } ?? []
    // In TLS 1.3 the identifier means nothing (RFC 8446 4.1.2).
    offersToResume = extensions.hasTicket || !sessionID.isAtEnd && !versions.contains(.tls13)
    manner = HelloManner(
      newestVersion: versions.max() ?? .tls12, takesTickets: extensions.takesTickets,
      authenticatesLater: extensions.authenticatesLater)
    var fingerprint = extensions.fingerprint
    if !extensions.hasVersions { fingerprint.add(version, .version) }
    var acceptance = extensions.acceptance
    while let suite = suites.number(bytes) {
      fingerprint.add(suite, .cipherSuite)
      acceptance.add(cipherSuite: suite)
    }
    acceptsLeaf = acceptance.allowsLeaf(versions: versions)
    self.fingerprint = fingerprint
  }
}

/// The parts of a client's hello, beside names and protocols, by which its server decides how to treat it: how its sessions are
/// resumed, and when it may be asked who it is.
package struct HelloManner: Sendable, Hashable {
  package let newestVersion: TLSVersion
  /// Whether it takes tickets of TLS 1.2. Otherwise it knows session identifiers alone (RFC 5077 3.2).
  package let takesTickets: Bool
  /// Whether it may be asked for a certificate after the handshake (RFC 8446 4.2.6).
  package let authenticatesLater: Bool

  package init(newestVersion: TLSVersion, takesTickets: Bool, authenticatesLater: Bool) {
    self.newestVersion = newestVersion
    self.takesTickets = takesTickets
    self.authenticatesLater = authenticatesLater
  }
}

/// The server's answer, which is not encrypted (RFC 8446 4.1.3, RFC 5246 7.4.1.3). A HelloRetryRequest has the same form, and
/// selects the same version as the hello that follows.
package struct ServerHello: Sendable, Hashable {
  /// The selected version; `nil` if it has no name.
  package let version: TLSVersion?
  /// TLS 1.3 encrypts it.
  package let applicationProtocol: ApplicationProtocol?

  /// `nil` when `bytes`, a message without its header, are malformed.
  init?(_ bytes: Span<UInt8>) {
    var cursor = HelloCursor(bytes.indices)
    guard let legacyVersion = cursor.number(bytes), legacyVersion >> 8 == 3, cursor.range(ofCount: 32) != nil,
      let sessionID = cursor.shortVector(bytes), sessionID.count <= 32,
      // The cipher suite and the compression method.
      cursor.range(ofCount: 3) != nil,
      let extensions = HelloExtensions(bytes, at: &cursor, of: .serverHello)
    else { return nil }
    version = extensions.hasVersions ? extensions.versions.first : TLSVersion(rawValue: legacyVersion)
    applicationProtocol = extensions.applicationProtocols.first
  }
}
