import Glibc
import TapelineTestSupport
import Testing

/// What somebody has prepared where a file of ours is to be.
enum FileCondition: String, CaseIterable {
  case link = "a link is there"
  case foreign = "another user's is there"
  case open = "everybody may write to its directory"
  case existing = "something is in it"
  case umask = "umask 0"

  /// Only root can give a file away.
  static var testable: [FileCondition] { geteuid() == 0 ? allCases : allCases.filter { $0 != .foreign } }
}

/// A directory in which a file, or a directory, of ours is to be made under a condition.
final class FilePlace {
  let condition: FileCondition
  private let root: TemporaryDirectory
  /// Where the file is to be.
  let directory: String
  let path: String
  private let isDirectory: Bool

  private static let precious = "precious\n"

  init(_ name: String, _ condition: FileCondition, isDirectory: Bool) throws {
    self.condition = condition
    self.isDirectory = isDirectory
    root = try TemporaryDirectory()
    directory = try root.makeDirectory("place")
    path = "\(directory)/\(name)"
    #expect(unsafe chmod(directory, 0o700) == 0)
    switch condition {
    case .link:
      let victim = isDirectory ? try root.makeDirectory("victim") : try root.write("", to: "victim")
      #expect(unsafe chmod(victim, isDirectory ? 0o777 : 0o666) == 0)
      #expect(unsafe symlink(victim, path) == 0)
    case .foreign:
      try make()
      #expect(unsafe chmod(path, isDirectory ? 0o777 : 0o666) == 0)
      #expect(unsafe chown(path, 12_345, 12_345) == 0)
    case .open: #expect(unsafe chmod(directory, 0o777) == 0)
    case .existing: try make(Self.precious)
    case .umask: break
    }
  }

  private func make(_ text: String = "") throws {
    if isDirectory { _ = try root.makeDirectory("place/\(name)") } else { try root.write(text, to: "place/\(name)") }
  }

  private var name: String { String(path.dropFirst(directory.count + 1)) }

  /// Starts the program, with the umask of the condition.
  func start(_ arguments: [String], _ environment: [String: String] = [:]) throws -> TestProcess {
    let mask = condition == .umask ? "umask 0; " : ""
    let variables = ["XDG_RUNTIME_DIR": runtime, "TMPDIR": root.path].merging(environment) { $1 }
    return try TestProcess(
      "sh", ["-c", "\(mask)exec \"$0\" \"$@\"", try TapelineProcess.binary] + arguments, environment: variables)
  }

  /// A directory of its own for control sockets.
  var runtime: String {
    _ = unsafe mkdir(root.path("runtime"), 0o700)
    return root.path("runtime")
  }

  /// A place for what else is made.
  func other(_ name: String) -> String { root.path(name) }

  /// What has become of it: a word for the table, and a complaint where it is neither refused nor private.
  ///
  /// - Parameter made: the file that was made, if one was.
  func outcome(_ made: String?) throws -> String {
    try checkVictim()
    guard let made else {
      if condition == .existing, !isDirectory { #expect(try readText(path) == Self.precious) }
      return "refused"
    }
    var status = stat()
    guard unsafe lstat(made, &status) == 0 else { return "MISSING" }
    let isOurs = [S_IFREG, S_IFSOCK].contains(status.st_mode & S_IFMT) && status.st_uid == geteuid() && status.st_nlink == 1
    guard isOurs, status.st_mode & 0o777 == 0o600 else { return "EXPOSED (\(String(status.st_mode, radix: 8)))" }
    if isDirectory ? !made.hasPrefix("\(path)/") : made != path { return "another name" }
    guard condition == .existing, !isDirectory else { return "private" }
    return try readText(made).hasPrefix(Self.precious) ? "private, and kept" : "private, in its place"
  }

  /// Nothing has happened to what a link leads to.
  private func checkVictim() throws {
    guard condition == .link else { return }
    let victim = root.path("victim")
    #expect(try isDirectory || readText(victim).isEmpty, "what the link leads to was written")
    #expect(try fileMode(victim) == (isDirectory ? 0o777 : 0o666))
  }

  /// The same of a directory that is gone again, from what was seen in it: its path, then kind, mode and owner of it and of a
  /// file in it.
  func outcome(ofDirectory seen: [String]) throws -> String {
    try checkVictim()
    guard let made = seen.first else { return "refused" }
    let user = geteuid()
    guard seen.dropFirst() == ["directory 700 \(user)", "regular file 600 \(user)"] else { return "EXPOSED (\(seen))" }
    switch condition {
    case .link, .foreign, .existing: return made != path && made.hasPrefix("\(directory)/") ? "another name" : "WRONG (\(made))"
    case .open, .umask: return made.hasPrefix("\(directory)/") ? "private" : "WRONG (\(made))"
    }
  }
}
