internal import TapelineTLS

/// Why a certificate, a key, a client's identity or a revocation list could not be made from the given input.
public struct TLSMaterialError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of problem.
  public enum Kind: Sendable, Hashable {
    /// The file is not there, or may not be read.
    case unreadableFile
    /// There is no certificate in it.
    case noCertificate
    /// There is no private key in it.
    case noPrivateKey
    /// There is no public key in it.
    case noPublicKey
    /// There is no revocation list in it.
    case noRevocationList
    /// The key is encrypted, and no passphrase was given.
    case passphraseRequired
    /// The passphrase does not open it.
    case wrongPassphrase
    /// The key is not that of the certificate.
    case keyMismatch
    /// It is encrypted in a way that OpenSSL does not know any more.
    case unsupportedEncryption
    /// It is damaged, or something else.
    case malformed
  }

  /// The kind of problem.
  public let kind: Kind
  /// A sentence for people. Never has a passphrase or a key in it.
  public let message: String

  init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }

  /// The message.
  public var description: String { message }
}

extension TLSMaterialError {
  /// - Parameter source: the name that the message uses for the input.
  init(_ error: KeyMaterialError, source: String) {
    switch error {
    case .noCertificate: self.init(.noCertificate, "there is no certificate in \(source)")
    case .noPrivateKey: self.init(.noPrivateKey, "there is no private key in \(source)")
    case .passphraseRequired: self.init(.passphraseRequired, "\(source) is encrypted and needs a passphrase")
    case .wrongPassphrase: self.init(.wrongPassphrase, "the passphrase does not open \(source)")
    case .keyMismatch: self.init(.keyMismatch, "the private key in \(source) is not that of the certificate")
    case .unsupportedEncryption(let text):
      self.init(.unsupportedEncryption, "\(source) is encrypted in a way that OpenSSL does not know any more: \(text)")
    case .malformed(let text): self.init(.malformed, "\(source) cannot be read: \(text)")
    }
  }

  /// The bytes of a file.
  static func read(_ path: String) throws(TLSMaterialError) -> [UInt8] {
    do throws(TLSError) {
      return try KeyMaterialFile.read(path)
    } catch {
      throw TLSMaterialError(.unreadableFile, "\(path) cannot be read: \(error.message)")
    }
  }
}
