internal import ArgumentParser
internal import TapelineText

/// `USER:PASSWORD` from the command line, or from a file that the command line names as `@FILE`.
struct CredentialPair: Hashable {
  let text: String

  /// `nil` when the text is not a pair: a name is not empty and has no colon (RFC 7617 2).
  init?(_ text: String) {
    guard let colon = text.firstIndex(of: ":"), colon != text.startIndex else { return nil }
    self.text = text
  }

  /// Refuses what can be refused without reading a file. The error never quotes the argument.
  static func validate(_ argument: String?, for option: String) throws {
    guard let argument, !argument.hasPrefix("@"), CredentialPair(argument) == nil else { return }
    throw ValidationError("\(option): no USER:PASSWORD and no @FILE; give both, with a colon between them")
  }

  /// The pair in `argument`, or in the first line of the file that it names.
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

  /// The pair as the user information of a URL (RFC 3986 3.2.1), with every character encoded that could have another meaning.
  var userInformation: String {
    text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      .map { PercentEncoding.encode($0, keeping: .unreserved) }
      .joined(separator: ":")
  }
}
