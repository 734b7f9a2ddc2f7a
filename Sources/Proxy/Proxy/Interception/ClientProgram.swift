package import TapelineLoop
internal import TapelineBase

/// A program of this machine, as far as its trust goes: two runs of it are one client, two programs with one executable are two.
///
/// It consists of the executable; for an interpreter, also its options and the script or code that it runs; and everything in the
/// command line and the environment that concerns trust. Other differences between two runs, such as the URL, do not count.
package struct ClientProgram: Sendable, Hashable {
  /// For people: the name of the script, or of the executable.
  package let name: String
  /// The word of its command line that names the authorities to trust, without their file: `--cacert`.
  let authorityWord: String?
  private let digest: Int

  /// Browsers send an alert for each connection whose certificate they do not like, and then may go on: because a person, or the
  /// test that drives them, wants it (`ignore_https_errors`).
  var isBrowser: Bool { Self.browsers.contains { name == $0 || name.hasPrefix("\($0)-") } }

  private static let browsers = [
    "chrome", "chromium", "headless_shell", "google-chrome", "msedge", "microsoft-edge", "brave", "opera", "vivaldi-bin",
    "firefox",
    "MiniBrowser", "WebKitNetworkProcess", "epiphany",
  ]

  /// `nil` when the process has ended, or we may not look at it.
  ///
  /// - Parameter trustVariables: the names of the environment variables that say whom to trust.
  package init?(_ process: RunningProcess, trustVariables: Set<String>) {
    guard let executable = process.executable else { return nil }
    self.init(
      executable: executable, arguments: process.arguments(), environment: process.environment(), trustVariables: trustVariables)
  }

  init(executable: String, arguments: [String], environment: [String], trustVariables: Set<String>) {
    let command = CommandWords(executable: executable, arguments: arguments)
    name = command.name
    authorityWord = command.authorityWord
    var hasher = Hasher()
    hasher.combine(executable)
    hasher.combine(command.code)
    hasher.combine(command.trust)
    hasher.combine(environment.filter { trustVariables.contains(String($0.prefix { $0 != "=" })) }.sorted())
    digest = hasher.finalize()
  }
}

/// The words of a command line that concern the code that runs, and trust.
struct CommandWords {
  private(set) var name: String
  /// For an interpreter: its options, and the script or the code.
  private(set) var code: [String] = []
  /// Options and settings that are about certificates, with their values, and files of certificates.
  private(set) var trust: [String] = []
  /// The first of them that names authorities, without their file.
  private(set) var authorityWord: String?

  init(executable: String, arguments: [String]) {
    name = Self.shortened(executable)
    var rest = arguments.dropFirst()
    if Self.isInterpreter(name) { takeCode(from: &rest) }
    takeTrust(from: rest)
  }

  private mutating func takeCode(from rest: inout ArraySlice<String>) {
    while let word = rest.popFirst() {
      code.append(word)
      noteAuthorities(in: word)
      if Self.isFollowedByCode(word) {
        guard let next = rest.popFirst() else { return }
        code.append(next)
        if authorityWord == nil, Self.verifications.contains(where: next.contains) { authorityWord = "verify=" }
        if Self.namesItsCode.contains(word) { name = Self.shortened(next) }
        return
      }
      if Self.isFollowedByValue.contains(word) {
        if let value = rest.popFirst() { code.append(value) }
      } else if !word.hasPrefix("-") {
        name = Self.shortened(word)
        return
      }
    }
  }

  private mutating func takeTrust(from words: ArraySlice<String>) {
    var rest = words
    while let word = rest.popFirst() {
      guard Self.isAboutTrust(word) else { continue }
      trust.append(word)
      noteAuthorities(in: word)
      // The option's value, unless the option brought it itself.
      if word.hasPrefix("-"), !word.contains("="), let next = rest.first, !next.hasPrefix("-"), !next.contains("://") {
        trust.append(next)
        rest.removeFirst()
      }
    }
  }

  private mutating func noteAuthorities(in word: String) {
    guard authorityWord == nil, Self.namesAuthorities(word) else { return }
    authorityWord = String(word.prefix { $0 != "=" }.prefix(Self.longestWord))
  }

  // MARK: Words

  private static let interpreters: Set<String> = [
    "bash", "bun", "dash", "deno", "dotnet", "guile", "java", "ksh", "lua", "luajit", "mono", "node", "nodejs", "perl", "php",
    "pypy",
    "python", "R", "Rscript", "ruby", "sh", "tclsh", "zsh",
  ]

  /// With or without a version: `python3.11`.
  private static func isInterpreter(_ name: String) -> Bool {
    let ending = name.utf8.reversed().prefix { Byte.isDigit($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }
    return interpreters.contains(String(name.dropLast(ending.count)))
  }

  private static let namesItsCode: Set<String> = ["-m", "-jar"]
  private static let isFollowedByValue: Set<String> = [
    "-classpath", "--class-path", "-cp", "-I", "--import", "-r", "--require", "-W", "-X",
  ]

  /// `-c`, `-e` and `-m`, alone or after other letters (`-Bc`), and the long ones.
  private static func isFollowedByCode(_ word: String) -> Bool {
    if ["-jar", "--eval", "--print", "-p"].contains(word) { return true }
    guard word.hasPrefix("-"), !word.hasPrefix("--"), word.count <= 4, let last = word.last else { return false }
    return "cem".contains(last) && word.dropFirst().allSatisfy(\.isLetter)
  }

  private static let trustWords = [
    "cacert", "capath", "cafile", "ca-", "-ca", "cert", "insecure", "pin", "ssl", "tls", "trust", "verif",
  ]
  private static let authorityWords = [
    "cacert", "ca-cert", "capath", "cafile", "ca-file", "cainfo", "ca-bundle", "ca_bundle", "ca-dir", "truststore", "trust-store",
  ]
  private static let longestWord = 64
  /// In the code of an interpreter's command line: Python's requests and httpx.
  private static let verifications = ["verify='", "verify=\""]

  /// Options and settings whose value is a file or directory of authorities; `--verify` if its value is a path.
  private static func namesAuthorities(_ word: String) -> Bool {
    let text = word.prefix(256).lowercased()
    guard text.hasPrefix("-") || text.contains("=") else { return false }
    let name = text.prefix { $0 != "=" }
    if name == "--verify" { return text.contains("/") || certificateFiles.contains(where: text.hasSuffix) }
    return authorityWords.contains { name.contains($0) }
  }

  private static let certificateFiles = [".cer", ".crt", ".jks", ".p12", ".pem", ".pfx"]

  /// Options (`--cacert`, `-k`), settings (`http.sslCAInfo=…`), and files of certificates; never a URL.
  private static func isAboutTrust(_ word: String) -> Bool {
    let text = word.prefix(256).lowercased()
    guard !text.contains("://") else { return false }
    if certificateFiles.contains(where: text.hasSuffix) { return true }
    guard text.hasPrefix("-") || text.contains("=") else { return false }
    // `-k`, alone or among other letters.
    if !text.hasPrefix("--"), text.count <= 4, text.contains("k") { return true }
    let name = text.prefix { $0 != "=" }
    return trustWords.contains { name.contains($0) }
  }

  /// The last component of a path, as far as a line has room for it.
  private static func shortened(_ path: String) -> String {
    let last = path.split(separator: "/").last.map(String.init) ?? path
    return String(last.prefix(64))
  }
}
