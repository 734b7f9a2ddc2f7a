internal import TapelineSystem
internal import TapelineBase

/// `USER:PASSWORD` from the command line, or from a file that the command line names as `@FILE`.
package struct CredentialPair: Hashable {
  package let text: String

  /// `nil` when the text is not a pair: a name is not empty and has no colon (RFC 7617 2).
  package init?(_ text: String) {
    guard let colon = text.firstIndex(of: ":"), colon != text.startIndex else { return nil }
    self.text = text
  }

  /// The pair in `argument`, or in the first line of the file that it names.
  package static func read(_ argument: String, for option: String) throws(CommandFailure) -> CredentialPair {
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
  package var userInformation: String {
    text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      .map { PercentEncoding.encode($0, keeping: .unreserved) }
      .joined(separator: ":")
  }
}

/// Secrets in a file's first line, so that they are not on the command line, where every user of this machine can read them.
package enum SecretFile {
  private static let longest = 4_096

  /// Refuses a file of ours that others can read, as ssh does: its contents are not secret. Pipes and files that others have made
  /// for us (`/dev/fd/3`, secrets that a system mounts) have rules of their own.
  package static func firstLine(of path: String, for option: String) throws(CommandFailure) -> String {
    let bytes = try content(
      of: path, limit: longest, for: "\(option) @\(path)", remedy: "name a file that can be read, with one line")
    return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }, as: UTF8.self)
  }

  /// The whole of a file, by the same rules.
  ///
  /// - Parameters:
  ///   - what: the option, as the user gave it.
  ///   - isSecret: whether others must not be able to read it.
  package static func content(
    of path: String, limit: Int, for what: String, isSecret: Bool = true, remedy: String = "name a file that can be read"
  ) throws(CommandFailure) -> [UInt8] {
    let status: FileStatus
    let isOurs: Bool
    let bytes: [UInt8]
    do throws(SystemCallError) {
      let descriptor = try SystemCalls.open(path)
      defer { SystemCalls.discard(descriptor) }
      status = try SystemCalls.status(of: descriptor)
      isOurs = status.kind == .regular && status.owner == CurrentUser.id
      bytes = isSecret && isOurs && status.isOpenToOthers ? [] : try WholeFile.read(descriptor, limit: limit)
    } catch {
      let why = what.hasSuffix(path) ? error.text : "\(path): \(error.text)"
      throw CommandFailure(status: .badInput, what: what, why: why, remedy: remedy)
    }
    guard !isSecret || !isOurs || !status.isOpenToOthers else {
      throw CommandFailure(
        status: .badInput, what: what, why: "others may use it (mode \(String(status.permissions & 0o777, radix: 8)))",
        remedy: "chmod 600 \(path)")
    }
    return bytes
  }
}
