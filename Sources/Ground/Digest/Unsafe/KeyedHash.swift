internal import COpenSSL

/// SipHash-2-4 (Aumasson and Bernstein, 2012): a short hash of bytes, designed for use with a key.
///
/// Only one thread uses a value at a time. The context is reused between messages: making one would cost ten times the hash.
@safe
package final class KeyedHash {
  /// Owned: made in `init`, freed in `deinit`.
  private let context: OpaquePointer
  /// In memory order.
  private let key: (UInt64, UInt64)

  /// SipHash is not a FIPS algorithm, so a system may be configured without it; this OpenSSL context has only the defaults.
  ///
  /// Safety: OpenSSL locks its contents, and nobody writes the pointer.
  nonisolated(unsafe) private static let library = unsafe OSSL_LIB_CTX_new()

  /// - Parameter key: the 16 bytes of the key as two numbers, each in little-endian order.
  package init(key: (UInt64, UInt64)) {
    self.key = (key.0.littleEndian, key.1.littleEndian)
    guard let algorithm = unsafe EVP_MAC_fetch(Self.library, "SIPHASH", nil) else {
      preconditionFailure("this OpenSSL was built without SipHash")
    }
    defer { unsafe EVP_MAC_free(algorithm) }
    guard let context = unsafe EVP_MAC_CTX_new(algorithm) else { preconditionFailure("no memory for a hash") }
    unsafe self.context = context
    // 16 bytes is the default; the key is given with each message.
    var size = Self.size
    let status = unsafe withUnsafeMutablePointer(to: &size) { size in
      let parameters = unsafe [OSSL_PARAM_construct_size_t("size", size), OSSL_PARAM_construct_end()]
      return unsafe EVP_MAC_CTX_set_params(context, parameters)
    }
    precondition(status == 1, "SipHash has hashes of 8 bytes")
  }

  deinit {
    unsafe EVP_MAC_CTX_free(context)
  }

  private static let size = 8

  package func hash(_ message: Span<UInt8>) -> UInt64 {
    var hash: UInt64 = 0
    var written = 0
    let isHashed = unsafe withUnsafeBytes(of: key) { key in
      let isKeyed = unsafe EVP_MAC_init(context, key.bindMemory(to: UInt8.self).baseAddress, key.count, nil) == 1
      let isTaken = unsafe message.withUnsafeBufferPointer {
        unsafe EVP_MAC_update(context, $0.baseAddress, $0.count) == 1
      }
      return unsafe withUnsafeMutableBytes(of: &hash) { output in
        let bytes = unsafe output.bindMemory(to: UInt8.self)
        return unsafe isKeyed && isTaken && EVP_MAC_final(context, bytes.baseAddress, &written, bytes.count) == 1
      }
    }
    precondition(isHashed && written == Self.size, "nothing of this can fail once the context is there")
    return UInt64(littleEndian: hash)
  }
}
