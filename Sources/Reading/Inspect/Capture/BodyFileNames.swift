package import TapelineHAR
internal import TapelineSystem
internal import TapelineBase

/// The names of body files (`_file`) in entries that move to a log in another directory: the files stay where they are.
package struct BodyFileNames: Sendable {
  /// The path from the new log's directory to the old one's, with a slash at its end; empty if names stay as they are.
  private let prefix: String

  /// - Parameters:
  ///   - path: the log that the entries come from.
  ///   - output: the log that they go to; `nil` for standard output, which has no directory.
  package init(of path: String, in output: String?) {
    guard let output, let start = Self.directory(of: output), let end = Self.directory(of: path) else {
      prefix = ""
      return
    }
    prefix = RelativePath.from(start, to: end)
  }

  /// The absolute path of a file's directory, without links; `nil` if it cannot be had.
  private static func directory(of path: String) -> String? {
    try? SystemCalls.realPath(of: path.lastIndex(of: "/").map { String(path[...$0]) } ?? ".")
  }

  /// Whether any name changes.
  var change: Bool { !prefix.isEmpty }

  /// Makes the names in an entry lead to the same files as before. An absolute path, which no log of ours has, stays.
  ///
  /// - Returns: whether the entry has such a name.
  @discardableResult
  package func follow(_ entry: inout HAREntry) -> Bool {
    guard change else { return false }
    var isMoved = follow(in: &entry.response.content.custom)
    if var data = entry.request.postData, follow(in: &data.custom) {
      entry.request.postData = data
      isMoved = true
    }
    return isMoved
  }

  private func follow(in members: inout HARObject) -> Bool {
    guard let name = members[.file]?.string, !name.hasPrefix("/") else { return false }
    members[.file] = .string(prefix + name)
    return true
  }
}
