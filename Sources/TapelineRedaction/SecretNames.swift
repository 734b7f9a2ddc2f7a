internal import TapelineText

/// Names of parameters, form fields and JSON keys whose values are secrets.
///
/// Case is ignored, and so are separators between words: `access_token`, `accessToken` and `Access-Token` are one name.
struct SecretNames: Sendable, Hashable {
  /// The known names, by their last letter.
  private var known: [[KnownName]]
  private var globs: [Glob] = []

  private struct KnownName: Hashable {
    let text: [UInt8]
    /// Whether it is also secret as the end of a name: `dbPassword`, `X-Csrf-Token`.
    let isEnding: Bool

    /// Compares from the end: most names differ there.
    func matches(_ name: Span<UInt8>) -> Bool {
      var (place, end) = (text.count, name.count)
      while end > 0 {
        let byte = name[end - 1]
        end -= 1
        if SecretNames.isSeparator(byte) { continue }
        guard place > 0 else { return isEnding }
        guard Byte.lowercased(byte) == text[place - 1] else { return false }
        place -= 1
      }
      return place == 0
    }
  }

  /// The possible lengths of a secret name.
  private static let lengths = 3...64

  static let standard = SecretNames(
    wholeNames: [
      "accesskeyid", "apisecretkey", "assertion", "auth", "bearer", "credentials", "cvc", "cvv", "jwt", "mfacode", "otp",
      "otpcode",
      "pass", "passcode", "psk", "pwd", "samlresponse", "session", "sid", "sig", "signature", "totp", "xamzcredential",
      "xamzsignature", "xgoogcredential",
      "xgoogsignature",
    ],
    endings: [
      "accesskey", "apikey", "authcode", "authenticationkey", "authkey", "authorization", "authorizationcode", "clientassertion",
      "codeverifier", "connectionstring", "credential", "devicecode",
      "passphrase", "passwd", "password", "passwordagain", "passwordconfirm", "passwordconfirmation", "passwordhash",
      "privatekey",
      "secret", "secretaccesskey", "secretkey", "secretvalue", "sessionid", "sessid", "subscriptionkey", "token", "tokenvalue",
      "webhookkey",
    ])

  private init(wholeNames: [String], endings: [String]) {
    known = Array(repeating: [], count: 256)
    for name in wholeNames { insert(KnownName(text: Array(name.utf8), isEnding: false)) }
    for name in endings { insert(KnownName(text: Array(name.utf8), isEnding: true)) }
  }

  private mutating func insert(_ name: KnownName) {
    guard let last = name.text.last else { preconditionFailure("a name has letters") }
    known[Int(last)].append(name)
  }

  /// Adds the names that `pattern` matches; `*` matches anything.
  mutating func insert(glob pattern: Span<UInt8>) {
    var plain = InlineArray<64, UInt8>(repeating: 0)
    let shortened = pattern.extracting(first: 64)
    let count = Self.fill(&plain, with: shortened)
    globs.append(Glob([UInt8](copying: plain.span.extracting(0..<count))))
  }

  /// Called for each header field, parameter and JSON key of a capture: it allocates nothing.
  func contains(_ name: Span<UInt8>) -> Bool {
    guard Self.lengths.contains(name.count) else { return false }
    // Such as `password1` and `password2`.
    var end = name.count
    while end > 0, Byte.isDigit(name[end - 1]) || Self.isSeparator(name[end - 1]) { end -= 1 }
    guard end > 0 else { return false }
    for known in known[Int(Byte.lowercased(name[end - 1]))] where known.matches(name.extracting(0..<end)) {
      return true
    }
    return !globs.isEmpty && globsMatch(name.extracting(0..<end))
  }

  private func globsMatch(_ name: Span<UInt8>) -> Bool {
    var plain = InlineArray<64, UInt8>(repeating: 0)
    let count = Self.fill(&plain, with: name)
    for glob in globs where glob.matches(plain.span.extracting(0..<count)) {
      return true
    }
    return false
  }

  /// Fills in the name in lower case and without separators between words; returns its length.
  private static func fill(_ plain: inout InlineArray<64, UInt8>, with name: Span<UInt8>) -> Int {
    var count = 0
    for index in name.indices where !isSeparator(name[index]) {
      plain[count] = Byte.lowercased(name[index])
      count += 1
    }
    return count
  }

  private static func isSeparator(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "["), UInt8(ascii: "]"), 0x20: true
    default: false
    }
  }
}

/// A text in which `*` matches any bytes.
struct Glob: Sendable, Hashable {
  private let pattern: [UInt8]

  init(_ pattern: [UInt8]) {
    self.pattern = pattern
  }

  /// The last star takes as little as possible, and more whenever the text after it does not match.
  func matches(_ text: Span<UInt8>) -> Bool {
    var (index, place) = (0, 0)
    var retry: (index: Int, place: Int)?
    while index < text.count {
      if place < pattern.count, pattern[place] == UInt8(ascii: "*") {
        retry = (index, place + 1)
        place += 1
      } else if place < pattern.count, pattern[place] == text[index] {
        index += 1
        place += 1
      } else if let last = retry {
        retry = (last.index + 1, last.place)
        (index, place) = (last.index + 1, last.place)
      } else {
        return false
      }
    }
    return pattern[place...].allSatisfy { $0 == UInt8(ascii: "*") }
  }
}
