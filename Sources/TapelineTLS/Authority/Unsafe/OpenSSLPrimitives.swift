internal import COpenSSL

/// The digest that fingerprints, pins and key identifiers are made of.
package func sha256(_ message: Span<UInt8>) -> [UInt8] {
  unsafe [UInt8](unsafeUninitializedCapacity: Int(EVP_MAX_MD_SIZE)) { digest, count in
    var size: UInt32 = 0
    let status = unsafe message.withUnsafeBufferPointer { message in
      unsafe EVP_Digest(message.baseAddress, message.count, digest.baseAddress, &size, EVP_sha256(), nil)
    }
    precondition(status == 1, "OpenSSL has SHA-256 in every configuration")
    count = Int(size)
  }
}

/// Bytes that nobody can guess.
package func randomBytes(_ count: Int) -> [UInt8] {
  unsafe [UInt8](unsafeUninitializedCapacity: count) { bytes, written in
    let status = unsafe RAND_bytes(bytes.baseAddress, Int32(count))
    precondition(status == 1, "OpenSSL's random generator failed; nothing may go on without it")
    written = count
  }
}

/// RFC 4648, 4, in one line.
package func base64(_ bytes: [UInt8]) -> String {
  // OpenSSL adds a terminator.
  let capacity = (bytes.count + 2) / 3 * 4 + 1
  let text = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { text, count in
    count = Int(unsafe EVP_EncodeBlock(text.baseAddress, bytes, Int32(bytes.count)))
  }
  return String(decoding: text, as: UTF8.self)
}

/// Lower case, two digits a byte.
func hexadecimal(_ bytes: [UInt8]) -> String {
  let digits = Array("0123456789abcdef".utf8)
  return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0xF)]] }, as: UTF8.self)
}
