internal import TapelineTLS

/// A public key, as certificates have it.
public struct PublicKey: Sendable, Hashable, CustomStringConvertible {
  /// The key's SubjectPublicKeyInfo (RFC 5280 4.1.2.7) in DER: the algorithm, its parameters and the key.
  public let derRepresentation: [UInt8]

  init(information: [UInt8]) {
    derRepresentation = information
  }

  /// Reads a SubjectPublicKeyInfo in DER.
  public init(der: some Sequence<UInt8>) throws(TLSMaterialError) {
    guard let information = PublicKeyInfo.read(der: Array(der).span) else {
      throw TLSMaterialError(.malformed, "the bytes are not one public key in DER")
    }
    self.init(information: information)
  }

  /// Reads the first public key of a PEM text, as `openssl pkey -pubout` writes it.
  public init(pem text: String) throws(TLSMaterialError) {
    guard let information = PublicKeyInfo.read(pem: Array(text.utf8).span) else {
      throw TLSMaterialError(.noPublicKey, "there is no public key in the text")
    }
    self.init(information: information)
  }

  /// SHA-256 of the key, in Base64: the usual name of a key outside of certificates (RFC 7469 2.4).
  public var pin: String { PublicKeyInfo.pin(of: derRepresentation) }

  /// The pin.
  public var description: String { "SHA-256 \(pin)" }
}
