/// What a client says first, and in clear (RFC 8446 4.1.2, RFC 5246 7.4.1.2).
package struct ClientHello: Sendable, Hashable {
  /// Lower-cased, without the dot of the root.
  package let serverName: String?
  package let applicationProtocols: [ApplicationProtocol]
  /// In the client's order; those without a name are left out.
  package let versions: [TLSVersion]
  /// The same for every hello of one program.
  package let fingerprint: HelloFingerprint

  package enum Peek: Sendable, Hashable {
    case needsMore
    /// No octets of a TLS client's.
    case notTLS
    case hello(ClientHello)
  }

  /// Looks at all that has come on a connection so far. It keeps nothing: when there is more, look at all of it again.
  package static func peek(_ octets: Span<UInt8>) -> Peek {
    var walker = RecordWalker()
    var message = HandshakeMessage(.clientHello)
    var position = 0
    while true {
      switch walker.next(in: octets, from: &position) {
      case .needsMore: return .needsMore
      case .invalid: return .notTLS
      case .fragment(let fragment):
        guard fragment.type == .handshake else { return .notTLS }
        switch message.append(octets.extracting(fragment.range)) {
        case .incomplete: continue
        case .invalid: return .notTLS
        case .complete: return message.read { ClientHello($0) }.map { .hello($0) } ?? .notTLS
        }
      }
    }
  }

  /// `nil` when `octets`, a message without its header, are malformed.
  init?(_ octets: Span<UInt8>) {
    var cursor = HelloCursor(octets.indices)
    guard let version = cursor.number(octets), version >> 8 == 3, cursor.range(ofCount: 32) != nil,
      let sessionID = cursor.shortVector(octets), sessionID.count <= 32,
      var suites = cursor.vector(octets), !suites.isAtEnd, suites.count % 2 == 0,
      let compressions = cursor.shortVector(octets), !compressions.isAtEnd,
      let extensions = HelloExtensions(octets, at: &cursor, of: .clientHello)
    else { return nil }

    serverName = extensions.serverName
    applicationProtocols = extensions.applicationProtocols
    // Without the extension the legacy field is the highest version offered.
    versions = extensions.hasVersions ? extensions.versions : TLSVersion(rawValue: version).map { [$0] } ?? []
    var fingerprint = extensions.fingerprint
    if !extensions.hasVersions { fingerprint.add(version, .version) }
    while let suite = suites.number(octets) { fingerprint.add(suite, .cipherSuite) }
    self.fingerprint = fingerprint
  }
}
