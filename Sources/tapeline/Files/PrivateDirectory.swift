internal import Glibc

/// A directory for files that a run needs until it ends, which only we can enter. Removed with its owner.
final class PrivateDirectory {
  let path: String

  /// In the directory for temporary files.
  init(environment: [String: String]) throws(CommandFailure) {
    let parent = TemporaryFiles.directory(environment)
    var template = Array("\(parent)/tapeline-run-XXXXXX".utf8CString)
    let cause: Int32 = unsafe template.withUnsafeMutableBufferPointer { name in
      guard let start = name.baseAddress else { return EINVAL }
      return unsafe mkdtemp(start) == nil ? errno : 0
    }
    guard cause == 0 else {
      throw CommandFailure(
        status: .cannotCreate, what: "no directory in \(parent)", why: systemErrorText(cause),
        remedy: "set TMPDIR to one that can be written")
    }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Removes the directory and the files in it. What cannot be removed stays for whoever cleans up temporary files.
  deinit {
    for name in DirectoryNames.of(path) {
      _ = unsafe unlink("\(path)/\(name)")
    }
    _ = unsafe rmdir(path)
  }
}
