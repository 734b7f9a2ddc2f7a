internal import COpenSSL
internal import TapelineBase

/// Digests by their names in HTTP's registry (RFC 7616 6.1), and SHA-1 for identifiers that protect nothing.
package enum MessageDigest: Sendable, Hashable {
  case md5
  case sha1
  case sha256
  case sha512Truncated256

  /// The digest of `message`.
  ///
  /// Only MD5 may be missing, in a FIPS configuration: then the digest is empty and proves nothing.
  package func digest(of message: Span<UInt8>) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: Int(EVP_MAX_MD_SIZE)) { digest, count in
      var size: UInt32 = 0
      let status = unsafe message.withUnsafeBufferPointer { message in
        unsafe EVP_Digest(message.baseAddress, message.count, digest.baseAddress, &size, algorithm, nil)
      }
      precondition(status == 1 || self == .md5, "OpenSSL has the SHA family in every configuration")
      count = status == 1 ? Int(size) : 0
    }
  }

  /// In lower case, as in HTTP.
  package func hexadecimal(of message: Span<UInt8>) -> String {
    Hexadecimal.text(of: digest(of: message))
  }

  /// OpenSSL's name for the algorithm; OpenSSL owns it.
  @unsafe
  package var algorithm: OpaquePointer? {
    switch self {
    case .md5: unsafe EVP_md5()
    case .sha1: unsafe EVP_sha1()
    case .sha256: unsafe EVP_sha256()
    case .sha512Truncated256: unsafe EVP_sha512_256()
    }
  }
}
