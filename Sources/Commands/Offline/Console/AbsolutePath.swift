internal import TapelineSystem

/// Paths that mean the same file to a process with another working directory.
package enum AbsolutePath {
  package static func of(_ path: String) -> String {
    if path.hasPrefix("/") { return path }
    // Relative paths in a removed directory lead nowhere.
    let directory = workingDirectory ?? "."
    return directory == "/" ? "/\(path)" : "\(directory)/\(path)"
  }

  /// The directory where the program was started, without links; the program never leaves it. `nil` if the directory was removed.
  package static let workingDirectory: String? = {
    do throws(SystemCallError) {
      let path = try SystemCalls.workingDirectory()
      // Linux puts "(unreachable)" before a directory that is outside the process's root.
      return path.hasPrefix("/") ? path : nil
    } catch {
      return nil
    }
  }()
}
