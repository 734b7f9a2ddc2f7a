package import TapelineTLS

/// An authority's list of the certificates that it has revoked (RFC 5280 5). Lists are never fetched: give yours to a
/// ``RevocationTrustEvaluator``.
public struct RevocationList: Sendable {
  package let handle: RevocationListHandle

  /// Reads one list in DER.
  public init(der: some Sequence<UInt8>) throws(TLSMaterialError) {
    guard let handle = RevocationListHandle(der: Array(der).span) else {
      throw TLSMaterialError(.malformed, "the bytes are not one revocation list in DER")
    }
    self.handle = handle
  }

  /// Reads the first list of a PEM text.
  public init(pem text: String) throws(TLSMaterialError) {
    guard let handle = RevocationListHandle(pem: Array(text.utf8).span) else {
      throw TLSMaterialError(.noRevocationList, "there is no revocation list in the text")
    }
    self.handle = handle
  }

  /// Reads a file: the first list in PEM, or one in DER.
  public init(contentsOfFile path: String) throws(TLSMaterialError) {
    let bytes = try TLSMaterialError.read(path)
    guard let handle = RevocationListHandle(der: bytes.span) ?? RevocationListHandle(pem: bytes.span) else {
      throw TLSMaterialError(.noRevocationList, "there is no revocation list in \(path)")
    }
    self.handle = handle
  }
}
