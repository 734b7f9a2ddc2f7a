internal import TapelineBase

/// The secrets of one entry that are searched for again in the whole entry.
package struct Echoes {
  /// Where a secret was found, which tells how certain it is to be a secret.
  package enum Source {
    /// In the client's own data: credentials, and values that it sends under a secret name.
    case credential
    /// In cookies, and in data from a server: half of those values are not secrets (`lang=en-US`).
    case content
  }

  /// A secret to search for.
  struct Secret {
    let bytes: [UInt8]
    /// The hash in the secret's token.
    let hash: UInt64
    /// Whether it could be a JSON number.
    let isNumber: Bool
  }

  private(set) var secrets: [Secret] = []
  private var known: Set<UInt64> = []
  private var size = 0

  /// Beyond these limits, secrets are hidden where they are found, but not searched for elsewhere.
  private static let most = 4096
  private static let longest = 1 << 16
  private static let largestSize = 1 << 18

  var isEmpty: Bool { secrets.isEmpty }

  mutating func removeAll() {
    guard !known.isEmpty else { return }
    secrets.removeAll(keepingCapacity: true)
    known.removeAll(keepingCapacity: true)
    size = 0
  }

  mutating func insert(_ secret: Span<UInt8>, hash: UInt64, from source: Source) {
    guard secret.count >= EchoMatcher.shortest, secret.count <= Self.longest, secrets.count < Self.most,
      size + secret.count <= Self.largestSize, Self.isTelling(secret, from: source), known.insert(hash).inserted
    else { return }
    size += secret.count
    let isNumber = secret.count <= 40 && secret.end(of: Self.isOfNumber, from: 0) == secret.count
    secrets.append(Secret(bytes: [UInt8](copying: secret), hash: hash, isNumber: isNumber))
  }

  static func isOfNumber(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "e"),
      UInt8(ascii: "E"):
      true
    default:
      false
    }
  }

  /// Whether the secret is distinctive: an equal text elsewhere can be assumed to be the same secret.
  private static func isTelling(_ secret: Span<UInt8>, from source: Source) -> Bool {
    var hasLetter = false
    var hasDigit = false
    var hasBlank = false
    var different: InlineArray<4, UInt8> = [0, 0, 0, 0]
    var differentCount = 0
    for index in secret.indices.prefix(64) {
      let byte = secret[index]
      if Byte.isDigit(byte) { hasDigit = true } else if TokenShapes.isWord(byte) { hasLetter = true }
      if byte == 0x20 { hasBlank = true }
      var isNew = differentCount < 4
      for place in 0..<differentCount where different[place] == byte { isNew = false }
      if isNew {
        different[differentCount] = byte
        differentCount += 1
      }
    }
    // Such as `********`.
    guard differentCount == 4 else { return false }
    switch source {
    case .credential: return true
    case .content: return hasDigit && (hasLetter || secret.count >= 12) || secret.count >= 32 && !hasBlank
    }
  }
}
