internal import TapelineBase

/// The name of the index beside a capture, and its end. An index holds names and addresses of its capture in clear: it must not
/// outlive what the capture no longer says, whoever has changed the capture.
package enum IndexFile {
  private static let suffix = ".tapeline-index"

  /// `captures/a.har` → `captures/.a.har.tapeline-index`.
  package static func path(beside capture: String) -> String {
    let start = capture.lastIndex(of: "/").map { capture.index(after: $0) } ?? capture.startIndex
    return "\(capture[..<start]).\(capture[start...])\(suffix)"
  }

  /// Call it when a file takes its name: what the index said is about another file.
  package static func remove(beside capture: String) {
    SystemCalls.removeIfPossible(path(beside: capture))
  }

  /// Removes what indexes have left in the directory of a capture: those whose captures are gone, and drafts whose writers are.
  package static func removeOrphans(beside capture: String) {
    let directory = directory(of: capture)
    for name in Directory.namesIfReadable(in: directory.isEmpty ? "." : directory, beginningWith: ".")
    where isOrphan(name, in: directory) {
      SystemCalls.removeIfPossible(directory + name)
    }
  }

  private static func isOrphan(_ name: String, in directory: String) -> Bool {
    guard let end = name.firstRange(of: suffix),
      let status = SystemCalls.statusIfPresent(of: directory + name, followsLinks: false), status.kind == .regular,
      status.owner == CurrentUser.effectiveID
    else { return false }
    let rest = name[end.upperBound...]
    guard rest.isEmpty else {
      // `FileDraft` has named it after its process.
      guard let process = rest.dropFirst().split(separator: "-").first.flatMap({ Int32($0) }) else { return false }
      return isMissing("/proc/\(process)")
    }
    return isMissing(directory + name[..<end.lowerBound].dropFirst())
  }

  /// Whether nothing has this name. A name that cannot be looked at may be there.
  private static func isMissing(_ path: String) -> Bool {
    do throws(SystemCallError) {
      _ = try SystemCalls.status(of: path, followsLinks: false)
      return false
    } catch {
      return error.code == ErrorCode.notFound
    }
  }

  /// With its slash; empty for a name alone.
  private static func directory(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
  }
}
