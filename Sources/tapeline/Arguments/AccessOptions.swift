internal import ArgumentParser
internal import TapelineProxy

/// Who may use the proxy, and to reach which hosts.
struct AccessOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Ask clients for this name and password; @FILE takes them from a file, which other users cannot read off the process list.",
      valueName: "user:password|@file"))
  var auth: String?

  @Option(
    name: .customLong("allow-host"),
    help: ArgumentHelp("Reach only these, as in *.example.com; may repeat.", valueName: "pattern"))
  var allowedHosts: [HostPattern] = []

  @Option(
    name: .customLong("deny-host"),
    help: ArgumentHelp("Do not reach these, whatever is allowed; may repeat.", valueName: "pattern"))
  var deniedHosts: [HostPattern] = []

  private static let longestFile = 4_096

  func validate() throws {
    if let auth, !auth.hasPrefix("@"), !Self.isPair(auth) {
      throw ValidationError("--auth: no USER:PASSWORD and no @FILE; give both, with a colon between them")
    }
  }

  func policy() throws(CommandFailure) -> AccessPolicy {
    var policy = AccessPolicy()
    policy.allowedHosts = allowedHosts
    policy.deniedHosts = deniedHosts
    policy.credentials = try auth.map { text throws(CommandFailure) in ProxyCredentials(pair: try Self.pair(in: text)) }
    return policy
  }

  /// What was given, or the first line of the file that was.
  private static func pair(in text: String) throws(CommandFailure) -> String {
    guard text.hasPrefix("@") else { return text }
    let path = String(text.dropFirst())
    let octets: [UInt8]
    do throws(FileError) {
      octets = try WholeFile.read(path, limit: longestFile)
    } catch {
      throw CommandFailure(
        status: .badInput, what: "--auth @\(path)", why: error.description, remedy: "give a file with USER:PASSWORD in one line")
    }
    let line = String(decoding: octets.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }, as: UTF8.self)
    guard isPair(line) else {
      throw CommandFailure(
        status: .badInput, what: "--auth @\(path)", why: "its first line is no USER:PASSWORD",
        remedy: "write both, with a colon between them")
    }
    return line
  }

  /// A name is not empty and has no colon (RFC 7617 2).
  private static func isPair(_ text: String) -> Bool {
    text.firstIndex(of: ":").map { $0 != text.startIndex } ?? false
  }
}
