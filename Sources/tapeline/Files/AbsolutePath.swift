internal import Glibc

/// Paths that mean the same file to a process with another working directory.
enum AbsolutePath {
  static func of(_ path: String) -> String {
    if path.hasPrefix("/") { return path }
    return workingDirectory == "/" ? "/\(path)" : "\(workingDirectory)/\(path)"
  }

  /// Where the program was started, which it never leaves. A directory that is gone has no name, and relative paths in it lead
  /// nowhere.
  private static let workingDirectory: String = {
    guard let directory = unsafe getcwd(nil, 0) else { return "." }
    defer { unsafe free(directory) }
    return unsafe String(cString: directory)
  }()
}
