internal import TapelineInspect

/// How variables are written: for a shell, for containers, or for programs.
package enum EnvironmentFormat: String, Sendable, CaseIterable {
  /// POSIX shells.
  case sh
  case fish
  case powershell
  /// A file for `docker run --env-file`.
  case docker
  /// Members of a service in a Compose file.
  case compose
  case json

  /// Whether the programs run in a container, where our files are not, and loopback is another.
  package var isForContainers: Bool {
    switch self {
    case .docker, .compose: true
    case .sh, .fish, .powershell, .json: false
    }
  }

  /// The lines that set `variables`. No line has a character that drives a terminal.
  ///
  /// - Parameters:
  ///   - files: those that the variables name, for a container to mount.
  ///   - needsHostNetwork: whether a container reaches the proxy in the host's network alone.
  package func lines(_ variables: [(name: String, value: String)], files: [String], needsHostNetwork: Bool) -> [String] {
    switch self {
    case .sh:
      variables.map { "export \($0.name)=\($0.value.shellQuoted)" }
    case .fish:
      variables.map { "set -gx \($0.name) \($0.value.shellQuoted)" }
    case .powershell:
      variables.map { "$env:\($0.name) = \(Self.powerShell($0.value))" }
    case .docker:
      // Such a file has no quotes: the rest of the line is the value.
      variables.filter { !$0.value.hasHiddenControls && !$0.value.contains("\n") }.map { "\($0.name)=\($0.value)" }
    case .compose:
      ["environment:"] + variables.map { "  \($0.name): \(Self.compose($0.value))" }
        + (files.isEmpty ? [] : ["volumes:"] + files.map { "  - \(Self.compose("\($0):\($0):ro"))" })
        + (needsHostNetwork ? ["network_mode: host"] : [])
    case .json:
      ["{"]
        + variables.enumerated().map { index, variable in
          "  \(Self.json(variable.name)): \(Self.json(variable.value))\(index + 1 < variables.count ? "," : "")"
        } + ["}"]
    }
  }

  private static func isPlain(_ unit: UInt16) -> Bool {
    (0x20..<0x7F).contains(unit)
  }

  /// A JSON string in ASCII, which is YAML as well.
  private static func json(_ text: String) -> String {
    let units = text.utf16.map { unit in
      guard isPlain(unit) else {
        let digits = String(unit, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }
      let character = String(decoding: [unit], as: UTF16.self)
      return character == "\"" || character == "\\" ? "\\\(character)" : character
    }
    return "\"\(units.joined())\""
  }

  /// Compose replaces variables in values.
  private static func compose(_ text: String) -> String {
    json(text).replacing("$", with: "$$")
  }

  /// Single quotes carry everything but themselves and what drives a terminal.
  private static func powerShell(_ text: String) -> String {
    guard !text.utf16.allSatisfy(isPlain) else { return "'\(text.replacing("'", with: "''"))'" }
    let units = text.utf16.map { unit in
      guard isPlain(unit) else { return "'+[char]0x\(String(unit, radix: 16))+'" }
      let character = String(decoding: [unit], as: UTF16.self)
      return character == "'" ? "''" : character
    }
    return "('\(units.joined())')"
  }
}
