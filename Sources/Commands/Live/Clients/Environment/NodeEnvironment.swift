package import TapelineOffline
internal import TapelineSystem

/// Makes Node.js programs load our script first: they take options from a variable.
enum NodeEnvironment {
  static let variable = "NODE_OPTIONS"

  private static let option = "--require"

  /// The variable's new value: its present options, then ours. Removes a script of ours that it already names: that of an
  /// enclosing recording, or of an earlier recording in the same shell.
  static func options(script: NodeScript, inherited: String?) -> String {
    var kept: [Substring] = []
    for word in words(inherited ?? "") {
      if isOurs(word), kept.last == option[...] {
        kept.removeLast()
      } else {
        kept.append(word)
      }
    }
    return (kept.map(String.init) + [option, quoted(script.path)]).joined(separator: " ")
  }

  private static func isOurs(_ word: Substring) -> Bool {
    word.hasSuffix("/\(NodeScript.name)") || word.hasSuffix("/\(NodeScript.name)\"")
  }

  /// Node.js splits the value at blanks outside double quotes. Inside them, a backslash takes the next character as it is.
  private static func words(_ options: String) -> [Substring] {
    var words: [Substring] = []
    var start = options.startIndex
    var isQuoted = false
    var isEscaped = false
    for index in options.indices {
      let character = options[index]
      if isEscaped {
        isEscaped = false
      } else if isQuoted, character == "\\" {
        isEscaped = true
      } else if character == "\"" {
        isQuoted.toggle()
      } else if character == " ", !isQuoted {
        words.append(options[start..<index])
        start = options.index(after: index)
      }
    }
    words.append(options[start...])
    return words.filter { !$0.isEmpty }
  }

  private static func quoted(_ path: String) -> String {
    guard path.contains(where: { $0 == " " || $0 == "\"" || $0 == "\\" }) else { return path }
    let escaped = path.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }.joined()
    return "\"\(escaped)\""
  }
}

/// The file that Node.js programs load first, so that their requests come to the proxy: `Node/tapeline-node.cjs`, which the
/// build embeds in tapeline.
package struct NodeScript: Hashable {
  package let path: String

  /// The file name by which we recognise our script in an environment, in any directory.
  package static let name = "tapeline-node.cjs"

  package init(path: String) {
    self.path = path
  }

  /// Writes the file into `directory`.
  package init(in directory: String) throws(CommandFailure) {
    path = "\(directory)/\(Self.name)"
    do throws(PrivateFileError) {
      try WholeFile.write(PackageResources.tapeline_node_cjs, to: path, mode: 0o644)
    } catch {
      throw CommandFailure(
        status: .cannotCreate, what: path, why: error.description,
        remedy: "make room there: Node.js programs need it to be recorded")
    }
  }
}
