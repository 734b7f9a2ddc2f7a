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
    var plain = InlineArray<64, UInt8>(repeating: 0)
    var count = Self.fill(&plain, with: name)
    // Such as `password1` and `password2`.
    while count > 0, Byte.isDigit(plain[count - 1]) { count -= 1 }
    guard count > 0 else { return false }
    let text = plain.span.extracting(0..<count)
    for name in known[Int(text[count - 1])] where name.isEnding || name.text.count == count {
      if text.ends(with: name.text.span) { return true }
    }
    for glob in globs where glob.matches(text) {
      return true
    }
    return false
  }

  /// Fills in the name in lower case and without separators between words; returns its length.
  private static func fill(_ plain: inout InlineArray<64, UInt8>, with name: Span<UInt8>) -> Int {
    var count = 0
    for index in name.indices {
      switch name[index] {
      case UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "["), UInt8(ascii: "]"), 0x20: continue
      case let byte: plain[count] = Byte.lowercased(byte)
      }
      count += 1
    }
    return count
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
