internal import ArgumentParser

/// `USER:PASSWORD` from the command line, or from a file that the command line names as `@FILE`.
struct CredentialPair: Hashable {
  let text: String

  /// `nil` when the text is no pair: a name is not empty and has no colon (RFC 7617 2).
  init?(_ text: String) {
    guard let colon = text.firstIndex(of: ":"), colon != text.startIndex else { return nil }
    self.text = text
  }

  /// Refuses what can be refused without reading a file. Never says what was given.
  static func validate(_ argument: String?, for option: String) throws {
    guard let argument, !argument.hasPrefix("@"), CredentialPair(argument) == nil else { return }
    throw ValidationError("\(option): no USER:PASSWORD and no @FILE; give both, with a colon between them")
  }

  /// What was given, or the first line of the file that was.
  static func read(_ argument: String, for option: String) throws(CommandFailure) -> CredentialPair {
    let isFile = argument.hasPrefix("@")
    let line = isFile ? try SecretFile.firstLine(of: String(argument.dropFirst()), for: option) : argument
    guard let pair = CredentialPair(line) else {
      throw CommandFailure(
        status: .badInput, what: isFile ? "\(option) \(argument)" : option, why: "no USER:PASSWORD",
        remedy: "give both, with a colon between them")
    }
    return pair
  }

  /// As the user information of a URL has them (RFC 3986 3.2.1): everything encoded that could mean something else to anybody.
  var userInformation: String {
    text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(Self.percentEncoded).joined(separator: ":")
  }

  private static func percentEncoded(_ text: Substring) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      if isUnreserved(byte) {
        bytes.append(byte)
      } else {
        bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// RFC 3986 2.3.
  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
      true
    default:
      false
    }
  }
}
