internal import Glibc

/// Paths that mean the same file to a process with another working directory.
enum AbsolutePath {
  static func of(_ path: String) -> String {
    if path.hasPrefix("/") { return path }
    // Relative paths in a directory that is gone lead nowhere.
    let directory = workingDirectory ?? "."
    return directory == "/" ? "/\(path)" : "\(directory)/\(path)"
  }

  /// Where the program was started, which it never leaves, without links; `nil` when that directory is gone, and has no name.
  static let workingDirectory: String? = {
    guard let directory = unsafe getcwd(nil, 0) else { return nil }
    defer { unsafe free(directory) }
    // Linux gives "(unreachable)" before a directory that is outside of the process's root.
    let path = unsafe String(cString: directory)
    return path.hasPrefix("/") ? path : nil
  }()
}
