internal import TapelineBase

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

    func matches(_ name: Span<UInt8>) -> Bool {
      guard let rest = name.endBefore(ending: text) else { return false }
      return isEnding || !(0..<rest).contains { !SecretNames.isSeparator(name[$0]) }
    }
  }

  /// How much a name says of its value.
  enum Strength {
    /// The value is a secret, whatever it is.
    case sure
    /// The value is a secret if it looks like one: names in the plural are also those of counts and labels.
    case likely
  }

  /// The possible lengths of a secret name.
  private static let lengths = 3...64

  static let standard = SecretNames(
    wholeNames: [
      "accesskeyid", "apisecretkey", "assertion", "auth", "bearer", "cardpin", "connectsid", "credentials", "csrf", "cvc", "cvv",
      "hmac",
      "jwt", "mfacode", "mnemonic", "otp", "otpcode", "pass", "passcode", "phpsessid", "pin", "psk", "pwd", "samlrequest",
      "samlresponse",
      "seedphrase", "session", "sid", "sig", "signature", "totp", "xamzcredential", "xamzsignature", "xgoogcredential",
      "xgoogsignature", "xsrf",
      // Other languages.
      "parola", "пароль", "密码", "密碼", "パスワード", "비밀번호", "şifre", "heslo", "hasło", "senha",
    ],
    endings: [
      "accesscode", "accesskey", "accountkey", "aeskey", "apikey", "appkey", "authcode", "authenticationkey", "authkey",
      "authorization", "authorizationcode", "backupcode", "cardnumber", "ccnumber", "clientassertion", "codeverifier",
      "connectionstring",
      "credential", "decryptionkey", "devicecode", "encryptionkey", "hmackey", "licensekey", "masterkey",
      "onetimecode", "passphrase", "passwd", "password", "passwordagain", "passwordconfirm", "passwordconfirmation",
      "passwordhash", "presharedkey", "privatekey", "privkey", "recoverycode", "recoveryphrase", "resetcode", "secret",
      "secretaccesskey", "secretkey", "secretkeybase", "secretvalue", "sessid", "sessionid", "sessionkey", "sharedkey",
      "signingkey", "sshkey", "storagekey", "subscriptionkey", "tlskey", "token", "tokenvalue", "usercode", "verificationcode",
      "webhookkey",
      // Other languages.
      "adgangskode", "contraseña", "contrasena", "jelszo", "kennwort", "lösenord", "losenord", "motdepasse", "passord",
      "passwort",
      "salasana", "wachtwoord",
    ])

  /// Words that may follow a secret name: which one of several it is, and in which form.
  private static let followers: [[[UInt8]]] = byLastByte([
    "again", "b64", "base64", "bin", "binary", "cleartext", "confirm", "confirmation", "confirmed", "current", "encrypted",
    "hash",
    "hashed", "new", "next", "old", "plain", "plaintext", "prev", "previous", "raw", "repeat", "repeated", "string", "value",
    "verify",
  ])

  /// Names whose `id` is as good as they are.
  private static let identified: [[[UInt8]]] = byLastByte(["secretid", "tokenid"])

  /// Whole names that other things have, too.
  private static let ambiguous: [[[UInt8]]] = byLastByte(["plaintext"])

  private static func byLastByte(_ names: [String]) -> [[[UInt8]]] {
    var table = [[[UInt8]]](repeating: [], count: 256)
    for name in names { table[Int(name.utf8.last ?? 0)].append(Array(name.utf8)) }
    return table
  }

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

  /// Whether the value of `name` is a secret, whatever it is.
  func contains(_ name: Span<UInt8>) -> Bool {
    strength(of: name) == .sure
  }

  /// Called for each header field, parameter and JSON key of a capture: it allocates nothing.
  func strength(of name: Span<UInt8>) -> Strength? {
    guard Self.lengths.contains(name.count) else { return nil }
    // Such as `password1`, `password2` and `password*`.
    var end = name.count
    while end > 0, Byte.isDigit(name[end - 1]) || name[end - 1] == UInt8(ascii: "*") || Self.isSeparator(name[end - 1]) {
      end -= 1
    }
    guard end > 0 else { return nil }
    let plain = name.extracting(0..<end)
    if isKnown(plain) || isFollowed(plain) { return .sure }
    if !globs.isEmpty, globsMatch(plain) { return .sure }
    if plain[end - 1] | 0x20 == UInt8(ascii: "s"), end > 4, isKnown(plain.extracting(0..<end - 1), endingsOnly: true) {
      return .likely
    }
    return Self.ambiguous[Int(Byte.lowercased(plain[end - 1]))].contains { plain.endBefore(ending: $0) == 0 } ? .likely : nil
  }

  /// As `strength(of:)`, for a name that may have escapes in it.
  func strength(ofEscaped name: Span<UInt8>) -> Strength? {
    let isEscaped = name.first { $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "%") } != nil
    return isEscaped ? strength(of: EscapedText.unescaped(name).span) : strength(of: name)
  }

  private func isKnown(_ name: Span<UInt8>, endingsOnly: Bool = false) -> Bool {
    var end = name.count
    while end > 0, Self.isSeparator(name[end - 1]) { end -= 1 }
    guard end > 0 else { return false }
    let known = known[Int(Byte.lowercased(name[end - 1]))]
    return known.contains { (!endingsOnly || $0.isEnding) && $0.matches(name) }
  }

  private func isFollowed(_ name: Span<UInt8>) -> Bool {
    guard let last = name.lastByte else { return false }
    for word in Self.followers[Int(Byte.lowercased(last))] {
      if let end = name.endBefore(ending: word), end >= Self.lengths.lowerBound { return isKnown(name.extracting(0..<end)) }
    }
    return Self.identified[Int(Byte.lowercased(last))].contains { name.endBefore(ending: $0) != nil }
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

  fileprivate static func isSeparator(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "["), UInt8(ascii: "]"), 0x20, UInt8(ascii: "+"):
      true
    default: false
    }
  }
}

extension Span<UInt8> {
  fileprivate var lastByte: UInt8? { isEmpty ? nil : self[count - 1] }

  /// The end of the text before `ending`, in which case and separators do not count; `nil` when the text ends otherwise.
  ///
  /// Compares from the end: most names differ there.
  fileprivate func endBefore(ending: [UInt8]) -> Int? {
    var (place, end) = (ending.count, count)
    while place > 0 {
      guard end > 0 else { return nil }
      let byte = self[end - 1]
      end -= 1
      if SecretNames.isSeparator(byte) { continue }
      guard Byte.lowercased(byte) == ending[place - 1] else { return nil }
      place -= 1
    }
    return end
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
