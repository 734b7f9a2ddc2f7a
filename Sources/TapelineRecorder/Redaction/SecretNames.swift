/// Names of parameters whose values are secrets.
enum SecretNames {
  /// In lower case, without what is written between words: `access_token`, `accessToken` and `Access-Token` are one name.
  private static let names: Set<String> = [
    "accesskey", "accesstoken", "apikey", "apisecret", "assertion", "auth", "authorization", "authtoken", "bearer",
    "clientassertion", "clientsecret", "credential", "credentials", "csrftoken", "idtoken", "jwt", "otp", "passphrase", "passwd",
    "password", "privatekey", "pwd", "refreshtoken", "secret", "secretkey", "session", "sessionid", "sessiontoken", "sid", "sig",
    "signature", "token", "xamzcredential", "xamzsecuritytoken", "xamzsignature", "xgoogcredential", "xgoogsignature",
  ]
  /// A shorter or longer name is none of these.
  private static let lengths = 3...64

  static func contains(_ name: Span<UInt8>) -> Bool {
    guard lengths.contains(name.count) else { return false }
    var plain: [UInt8] = []
    for index in name.indices {
      switch name[index] {
      case UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "["), UInt8(ascii: "]"): continue
      case let letter where (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(letter): plain.append(letter | 0x20)
      case let octet: plain.append(octet)
      }
    }
    return names.contains(String(decoding: plain, as: UTF8.self))
  }
}
