internal import TapelineInspect
internal import TapelineSystem

/// A path with wildcards, for shells that have no `**`, and for scripts that quote it: `captures/**/*.har`.
///
/// `*` stands for any characters of a name and `?` for one; `**` as a whole component stands for directories of any depth, also
/// for none. Hidden names match only a component that begins with a dot, and `**` follows no links.
struct FilePattern {
  private enum Component {
    case name(String)
    case pattern(TextPattern, isHidden: Bool)
    case anyDepth
  }

  /// `/`, or empty.
  private let root: String
  private let components: [Component]

  /// `nil` for a path without wildcards.
  init?(_ text: String) {
    guard text.contains("*") || text.contains("?") else { return nil }
    root = text.hasPrefix("/") ? "/" : ""
    components = text.split(separator: "/").map { part in
      if part == "**" { return .anyDepth }
      guard part.contains("*") || part.contains("?") else { return .name(String(part)) }
      return .pattern(TextPattern(glob: String(part)), isHidden: part.hasPrefix("."))
    }
  }

  /// The files that match, each once, in the order of their bytes. Directories that cannot be read have none.
  var paths: [String] {
    var found: Set<String> = []
    collect(root, components[...], into: &found)
    return found.sorted(by: NumberedPath.inOrder)
  }

  /// - Parameter base: with a slash at its end, or empty.
  private func collect(_ base: String, _ rest: ArraySlice<Component>, into found: inout Set<String>) {
    guard let first = rest.first else { return }
    let others = rest.dropFirst()
    switch first {
    case .name(let name): take(base + name, others, into: &found)
    case .pattern(let pattern, let isHidden):
      for name in names(in: base) where name.hasPrefix(".") == isHidden && pattern.matches(name) {
        take(base + name, others, into: &found)
      }
    case .anyDepth:
      collect(base, others, into: &found)
      for name in names(in: base) where !name.hasPrefix(".") {
        guard SystemCalls.statusIfPresent(of: base + name, followsLinks: false)?.kind == .directory else { continue }
        collect(base + name + "/", rest, into: &found)
      }
    }
  }

  private func take(_ path: String, _ rest: ArraySlice<Component>, into found: inout Set<String>) {
    guard let kind = SystemCalls.statusIfPresent(of: path)?.kind else { return }
    if rest.isEmpty {
      if kind != .directory { found.insert(path) }
    } else if kind == .directory {
      collect(path + "/", rest, into: &found)
    }
  }

  private func names(in base: String) -> [String] {
    Directory.namesIfReadable(in: base.isEmpty ? "." : base)
  }
}
