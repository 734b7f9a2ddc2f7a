/// `count` bytes without a visible pattern, the same for the same `seed`: lost, repeated or moved bytes show.
package func patternedBytes(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
  var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
  var bytes: [UInt8] = []
  bytes.reserveCapacity(count + 8)
  while bytes.count < count {
    // xorshift64: every byte value, including HTTP's own delimiters, comes soon.
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    for shift in stride(from: UInt64(0), to: 64, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: state >> shift))
    }
  }
  bytes.removeLast(bytes.count - count)
  return bytes
}

/// One text in every coding, made by other programs (zlib's gzip, brotli, zstd).
package enum CodedText {
  package static let text = "Grüße, Grüße, Grüße, tapeline!"
  package static let gzip = bytes("H4sIAAAAAAACA3MvOrzn8PxUHQV3DEZJYkFqTmZeqiIArVjgwSQAAAA=")
  package static let zlib = bytes("eJxzLzq85/D8VB0FdwxGSWJBak5mXqoiAEG+EFU=")
  package static let rawDeflate = bytes("cy86vOfw/FQdBXcMRkliQWpOZl6qIgA=")
  package static let brotli = bytes("ixGAR3LDvMOfZSwgR3LDvMOfZSwgR3LDvMOfZSwgdGFwZWxpbmUhAw==")
  package static let zstandard = bytes("KLUv/SAkxQAAkEdyw7zDn2UsIHRhcGVsaW5lIQEA9MoR")
  package static let gzipAndBrotli = bytes("CxSAH4sIAAAAAAACA3MvOrzn8PxUHQV3DEZJYkFqTmZeqiIArVjgwSQAAAAD")
  /// A MiB of zeros.
  package static let brotliBomb = bytes("W///j38CIB4LBHLvHwA=")
  package static let zstandardBomb = bytes("KLUv/aAAABAAVAAAEAAAAQD7/znAAgIAEAACABAAAgAQAAIAEAACABAAAgAQAAMAEAA=")
  /// 16 MiB of zeros, gzip and then brotli.
  package static let doubleBomb = bytes(
    "G8c/+K8PjNPY43ggVir9ZdjbFWPLhKOyyeLB7/Z3FwUVWKcy7kU20iAOtMzLf/nFxgly99cbQ0akSgkqIbP5C2Gwe+r4ruWDtlyYACAg0789ANgDWv+/CJSfzBLuAUC1Bww3AfcA4FyXCeoDk3QOAG4YsE0bedPVtxU="
  )
  /// Needs a window of 128 MiB.
  package static let wideZstandard = bytes("KLUv/QCIVQAAGGFiYwEAJqpuCA==")
  /// `Hello`, `Hello` and `{"token":"s3cr3t-value"}` as messages of one permessage-deflate connection.
  package static let messages = ["8kjNyckHAA==", "8gARAAA=", "qlYqyc9OzVOyUio2Ti4yLtEtS8wpTVWqBQA="].map(bytes)

  /// Decodes well-formed base64 (RFC 4648 4).
  private static func bytes(_ base64: String) -> [UInt8] {
    var bytes: [UInt8] = []
    var bits = 0
    var count = 0
    for character in base64.utf8 where character != UInt8(ascii: "=") {
      guard let value = alphabet.firstIndex(of: character) else { preconditionFailure("the examples are base64") }
      bits = bits << 6 | value
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> count))
      }
    }
    return bytes
  }

  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
}
