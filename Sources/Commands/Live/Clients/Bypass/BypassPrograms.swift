internal import TapelineLoop
internal import TapelineSystem

/// Recognises the programs of a command, and why they go past the proxy.
struct BypassPrograms {
  private let given: [String: String]
  private var languages: [String: Bypass.Language?] = [:]

  /// - Parameter given: the variables that we gave the command.
  init(given: [String: String]) {
    self.given = given
  }

  /// A process's way past the proxy, to `destination` if that is known.
  mutating func bypass(_ process: RunningProcess, to destination: SocketAddress?, connections: Int) -> Bypass {
    let program = Self.name(of: process)
    return Bypass(
      program: program, id: process.id, destination: destination,
      reason: Bypass.Reason(
        program: program, language: language(of: process), environment: process.variables(), given: given,
        destination: destination),
      connections: connections)
  }

  private mutating func language(of process: RunningProcess) -> Bypass.Language? {
    guard let path = process.executable else { return nil }
    if let known = languages[path] { return known }
    // Read through the process, as the path may belong to another root directory.
    let language = Self.isRuby(path) ? Bypass.Language.ruby : GoProgram.isOne("/proc/\(process.id)/exe") ? .go : nil
    languages[path] = .some(language)
    return language
  }

  /// With or without a version: `ruby3.1`.
  private static func isRuby(_ path: String) -> Bool {
    let name = path.split(separator: "/").last ?? ""
    return name.hasPrefix("ruby") && name.dropFirst(4).allSatisfy { $0.isNumber || $0 == "." }
  }

  private static let longestName = 64

  private static func name(of process: RunningProcess) -> String {
    let called = process.arguments(limit: 4_096).first?.split(separator: "/").last.map(String.init) ?? ""
    return String((called.isEmpty ? process.name : called).prefix(longestName))
  }
}

/// Recognises programs built by Go: its linker puts a note at the front of the file (ELF, `.note.go.buildid`).
enum GoProgram {
  private static let searched = 8_192
  /// A note's type, which is 4, and its name.
  private static let mark: [UInt8] = [4, 0, 0, 0, UInt8(ascii: "G"), UInt8(ascii: "o"), 0, 0]
  private static let magic: [UInt8] = [0x7F, UInt8(ascii: "E"), UInt8(ascii: "L"), UInt8(ascii: "F")]

  static func isOne(_ path: String) -> Bool {
    do throws(SystemCallError) {
      return isOne(try WholeFile.readStart(path, limit: searched)[...])
    } catch {
      return false
    }
  }

  /// - Parameter start: the file's first bytes.
  static func isOne(_ start: ArraySlice<UInt8>) -> Bool {
    start.starts(with: magic) && start.contains(mark)
  }
}
