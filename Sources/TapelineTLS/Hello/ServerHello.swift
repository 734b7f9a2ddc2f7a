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
