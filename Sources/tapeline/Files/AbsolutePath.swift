internal import TapelineSystem

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
    do throws(SystemCallError) {
      let path = try SystemCalls.workingDirectory()
      // Linux gives "(unreachable)" before a directory that is outside of the process's root.
      return path.hasPrefix("/") ? path : nil
    } catch {
      return nil
    }
  }()
}
