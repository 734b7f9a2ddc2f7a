internal import CTapeline
internal import Glibc

/// Directories and their entries.
package enum Directory {
  /// The names that begin with `prefix`, in no particular order, without `.` and `..`.
  package static func names(in path: String, beginningWith prefix: String = "") throws(SystemCallError) -> [String] {
    var names: [String] = []
    try unsafe forEachName(in: path) { name, _ in
      guard unsafe strncmp(name, prefix, prefix.utf8.count) == 0 else { return true }
      let text = unsafe String(cString: name)
      if text != ".", text != ".." { names.append(text) }
      return true
    }
    return names
  }

  /// Like `names`, but empty if the directory cannot be read.
  package static func namesIfReadable(in path: String, beginningWith prefix: String = "") -> [String] {
    do throws(SystemCallError) {
      return try names(in: path, beginningWith: prefix)
    } catch {
      return []
    }
  }

  /// - Parameter body: takes a name and the directory's descriptor, both borrowed; returns whether to continue.
  static func forEachName(
    in path: String, _ body: (UnsafePointer<CChar>, Int32) -> Bool
  ) throws(SystemCallError) {
    let descriptor = try SystemCalls.open(path, .directory)
    guard let directory = unsafe fdopendir(descriptor) else {
      SystemCalls.discard(descriptor)
      throw SystemCallError(code: ENOMEM, call: .opendir)
    }
    defer { _ = unsafe closedir(directory) }
    while let entry = unsafe readdir(directory) {
      let goesOn = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
        unsafe name.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: name.pointee)) {
          unsafe body($0, descriptor)
        }
      }
      if !goesOn { return }
    }
  }

  /// - Parameter mode: reduced by the umask.
  package static func make(_ path: String, mode: UInt32) throws(SystemCallError) {
    _ = try SystemCalls.retrying(.mkdir) { unsafe tapeline_mkdir(path, mode) }
  }

  /// Makes the directory and missing ones above it; an existing directory stays as it is.
  package static func makeAll(_ path: String, mode: UInt32) throws(SystemCallError) {
    do throws(SystemCallError) {
      return try makeUnlessPresent(path, mode: mode)
    } catch  where error.code == ENOENT {
      guard let end = path.dropLast().lastIndex(of: "/"), end > path.startIndex else { throw error }
      try makeAll(String(path[..<end]), mode: mode)
    }
    try makeUnlessPresent(path, mode: mode)
  }

  package static func makeUnlessPresent(_ path: String, mode: UInt32) throws(SystemCallError) {
    do throws(SystemCallError) {
      try make(path, mode: mode)
    } catch  where error.code == EEXIST {
      guard try SystemCalls.status(of: path).kind == .directory else { throw SystemCallError(code: ENOTDIR, call: .mkdir) }
    }
  }

  /// Makes a directory that only we can enter, under an unused name: `prefix` and six more characters.
  package static func makeTemporary(_ prefix: String) throws(SystemCallError) -> String {
    var pattern = Array("\(prefix)XXXXXX".utf8CString)
    _ = try unsafe pattern.withUnsafeMutableBufferPointer { pattern throws(SystemCallError) in
      try SystemCalls.retrying(.mkdtemp) { unsafe tapeline_mkdtemp(pattern.baseAddress) }
    }
    return String(decoding: pattern.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Removes an empty directory.
  package static func remove(_ path: String) throws(SystemCallError) {
    _ = try SystemCalls.retrying(.rmdir) { unsafe tapeline_rmdir(path) }
  }

  /// Removes a file, a link, or a directory with all its content; does nothing if the path does not exist. Links are not
  /// followed.
  ///
  /// - Returns: the first path that could not be removed, and why. Everything else is removed.
  @discardableResult
  package static func removeTree(_ path: String) -> (path: String, error: SystemCallError)? {
    do throws(SystemCallError) {
      try SystemCalls.remove(path)
      return nil
    } catch  where error.code == ENOENT {
      return nil
    } catch  where error.code == EISDIR {
      return removeDirectory(path)
    } catch {
      return (path, error)
    }
  }

  private static func removeDirectory(_ path: String) -> (path: String, error: SystemCallError)? {
    var first: (path: String, error: SystemCallError)?
    do throws(SystemCallError) {
      for name in try names(in: path) {
        let failure = removeTree("\(path)/\(name)")
        first = first ?? failure
      }
      try remove(path)
      return first
    } catch  where error.code == ENOENT {
      return first
    } catch {
      return first ?? (path, error)
    }
  }

  /// Flushes the names in it to the disk: the name of a file is on the disk only when its directory is.
  package static func synchronize(_ path: String) throws(SystemCallError) {
    let descriptor = try SystemCalls.open(path, .directory)
    defer { SystemCalls.discard(descriptor) }
    do throws(SystemCallError) {
      try SystemCalls.synchronize(descriptor)
    } catch  where error.code == EINVAL {
      // Some file systems have nothing to flush for a directory, and report that as an error.
    }
  }
}
