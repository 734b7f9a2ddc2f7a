/// One text in every coding, made by other programs (zlib's gzip, brotli, zstd).
package enum CodedText {
  package static let text = "Grüße, Grüße, Grüße, tapeline!"
  package static let gzip = octets("H4sIAAAAAAACA3MvOrzn8PxUHQV3DEZJYkFqTmZeqiIArVjgwSQAAAA=")
  package static let zlib = octets("eJxzLzq85/D8VB0FdwxGSWJBak5mXqoiAEG+EFU=")
  package static let rawDeflate = octets("cy86vOfw/FQdBXcMRkliQWpOZl6qIgA=")
  package static let brotli = octets("ixGAR3LDvMOfZSwgR3LDvMOfZSwgR3LDvMOfZSwgdGFwZWxpbmUhAw==")
  package static let zstandard = octets("KLUv/SAkxQAAkEdyw7zDn2UsIHRhcGVsaW5lIQEA9MoR")
  package static let gzipAndBrotli = octets("CxSAH4sIAAAAAAACA3MvOrzn8PxUHQV3DEZJYkFqTmZeqiIArVjgwSQAAAAD")
  /// A MiB of zeros.
  package static let brotliBomb = octets("W///j38CIB4LBHLvHwA=")
  package static let zstandardBomb = octets("KLUv/aAAABAAVAAAEAAAAQD7/znAAgIAEAACABAAAgAQAAIAEAACABAAAgAQAAMAEAA=")
  /// 16 MiB of zeros, gzip and then brotli.
  package static let doubleBomb = octets(
    "G8c/+K8PjNPY43ggVir9ZdjbFWPLhKOyyeLB7/Z3FwUVWKcy7kU20iAOtMzLf/nFxgly99cbQ0akSgkqIbP5C2Gwe+r4ruWDtlyYACAg0789ANgDWv+/CJSfzBLuAUC1Bww3AfcA4FyXCeoDk3QOAG4YsE0bedPVtxU="
  )
  /// Wants a window of 128 MiB.
  package static let wideZstandard = octets("KLUv/QCIVQAAGGFiYwEAJqpuCA==")
  /// `Hello`, `Hello` and `{"token":"s3cr3t-value"}` as messages of one permessage-deflate connection.
  package static let messages = ["8kjNyckHAA==", "8gARAAA=", "qlYqyc9OzVOyUio2Ti4yLtEtS8wpTVWqBQA="].map(octets)

  /// Of well-formed base64 (RFC 4648 4).
  private static func octets(_ base64: String) -> [UInt8] {
    var octets: [UInt8] = []
    var bits = 0
    var count = 0
    for character in base64.utf8 where character != UInt8(ascii: "=") {
      guard let value = alphabet.firstIndex(of: character) else { preconditionFailure("the examples are base64") }
      bits = bits << 6 | value
      count += 6
      if count >= 8 {
        count -= 8
        octets.append(UInt8(truncatingIfNeeded: bits >> count))
      }
    }
    return octets
  }

  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
}
