@testable import TapelineRecorder

/// One text in every coding, made by other programs (zlib's gzip, brotli, zstd).
enum CodedText {
  static let text = "Grüße, Grüße, Grüße, tapeline!"
  static let gzip = octets("H4sIAAAAAAACA3MvOrzn8PxUHQV3DEZJYkFqTmZeqiIArVjgwSQAAAA=")
  static let zlib = octets("eJxzLzq85/D8VB0FdwxGSWJBak5mXqoiAEG+EFU=")
  static let rawDeflate = octets("cy86vOfw/FQdBXcMRkliQWpOZl6qIgA=")
  static let brotli = octets("ixGAR3LDvMOfZSwgR3LDvMOfZSwgR3LDvMOfZSwgdGFwZWxpbmUhAw==")
  static let zstandard = octets("KLUv/SAkxQAAkEdyw7zDn2UsIHRhcGVsaW5lIQEA9MoR")
  static let gzipAndBrotli = octets("CxSAH4sIAAAAAAACA3MvOrzn8PxUHQV3DEZJYkFqTmZeqiIArVjgwSQAAAAD")
  /// A MiB of zeros.
  static let brotliBomb = octets("W///j38CIB4LBHLvHwA=")
  static let zstandardBomb = octets("KLUv/aAAABAAVAAAEAAAAQD7/znAAgIAEAACABAAAgAQAAIAEAACABAAAgAQAAMAEAA=")
  /// 16 MiB of zeros, gzip and then brotli.
  static let doubleBomb = octets(
    "G8c/+K8PjNPY43ggVir9ZdjbFWPLhKOyyeLB7/Z3FwUVWKcy7kU20iAOtMzLf/nFxgly99cbQ0akSgkqIbP5C2Gwe+r4ruWDtlyYACAg0789ANgDWv+/CJSfzBLuAUC1Bww3AfcA4FyXCeoDk3QOAG4YsE0bedPVtxU="
  )
  /// Wants a window of 128 MiB.
  static let wideZstandard = octets("KLUv/QCIVQAAGGFiYwEAJqpuCA==")
  /// `Hello`, `Hello` and `{"token":"s3cr3t-value"}` as messages of one permessage-deflate connection.
  static let messages = ["8kjNyckHAA==", "8gARAAA=", "qlYqyc9OzVOyUio2Ti4yLtEtS8wpTVWqBQA="].map(octets)

  private static func octets(_ base64: String) -> [UInt8] {
    guard let octets = Base64.decode(Array(base64.utf8).span) else { preconditionFailure("the examples are base64") }
    return octets
  }
}
