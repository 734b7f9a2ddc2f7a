internal import CTapeline
internal import Glibc
internal import TapelineFiles

/// The file operations of an authority, with their failures as a person reads them.
enum FileCalls {
  /// Far more than a certificate or a bundle of all roots needs; a file that is longer is something else.
  private static let largestFile = 16 << 20

  /// Nil if there is no such file.
  static func readIfPresent(_ path: String) throws(AuthorityError) -> [UInt8]? {
    guard let descriptor = try openForReading(path) else { return nil }
    defer { _ = tapeline_close(descriptor) }
    return try readAll(descriptor, path)
  }

  /// The same for a file that only its owner may be able to read or write.
  static func readSecretIfPresent(_ path: String) throws(AuthorityError) -> [UInt8]? {
    guard let descriptor = try openForReading(path) else { return nil }
    defer { _ = tapeline_close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw .file(path, code: errno) }
    guard status.st_mode & 0o077 == 0 else {
      throw AuthorityError(
        .insecurePermissions, what: path, why: "others may use it (mode \(String(status.st_mode & 0o777, radix: 8)))",
        remedy: "run chmod 600 on it; if others may have read it, withdraw the trust (tapeline ca trust) and make a new authority"
      )
    }
    return try readAll(descriptor, path)
  }

  static func isPresent(_ path: String) -> Bool {
    var status = stat()
    return unsafe lstat(path, &status) == 0
  }

  /// A directory of somebody else, or that others can enter, is no place for a key; one that is not there is fine.
  static func checkPrivateDirectory(_ directory: String) throws(AuthorityError) {
    do throws(PrivateFileError) {
      try PrivateFile.checkDirectory(directory, isClosed: true)
    } catch .system(ENOENT) {
      return
    } catch .system(let code) {
      throw .file(directory, code: code)
    } catch .exposed(let mode) {
      throw AuthorityError(
        .insecurePermissions, what: directory, why: PrivateFileError.exposed(mode: mode).description,
        remedy: "run chmod 700 on it, and look whether ca.pem is still yours")
    } catch {
      throw AuthorityError(
        .foreign, what: directory, why: error.description, remedy: "name a directory of yours with --ca-dir")
    }
  }

  /// Makes the directory, and those above it, for this user only; one that is there stays as it is.
  static func makePrivateDirectory(_ path: String) throws(AuthorityError) {
    if unsafe mkdir(path, 0o700) == 0 { return }
    switch errno {
    case EEXIST: return
    case ENOENT:
      guard let end = path.dropLast().lastIndex(of: "/"), end > path.startIndex else { throw .file(path, code: ENOENT) }
      try makePrivateDirectory(String(path[..<end]))
      guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .file(path, code: errno) }
    case let code: throw .file(path, code: code)
    }
  }

  /// Waits until this process alone has `path` locked, which lasts until the descriptor is closed.
  static func lock(_ path: String) throws(AuthorityError) -> Int32 {
    let descriptor: Int32
    do throws(PrivateFileError) {
      descriptor = try PrivateFile.open(path, flags: O_RDWR, existing: .anything)
    } catch {
      throw .file(path, error)
    }
    while true {
      let status = tapeline_flock(descriptor, LOCK_EX)
      if status == 0 { return descriptor }
      if status == -EINTR { continue }
      _ = tapeline_close(descriptor)
      throw .file(path, code: -status)
    }
  }

  /// Makes the file whole or not at all, on the disk when this returns; one that is there is an error, and stays.
  static func createWhole(_ path: String, _ bytes: [UInt8], mode: mode_t) throws(AuthorityError) {
    let draft = try writeDraft(of: path, bytes, mode: mode, isFlushed: true)
    defer { _ = unsafe unlink(draft) }
    guard unsafe link(draft, path) == 0 else { throw .file(path, code: errno) }
    try flushDirectory(of: path)
  }

  /// Puts the file in place of whatever is there: readers see the old one or the new one, whole. The disk takes its time: such a
  /// file can be made again.
  static func replaceWhole(_ path: String, _ bytes: [UInt8], mode: mode_t) throws(AuthorityError) {
    let draft = try writeDraft(of: path, bytes, mode: mode, isFlushed: false)
    guard unsafe rename(draft, path) == 0 else {
      let code = errno
      _ = unsafe unlink(draft)
      throw .file(path, code: code)
    }
  }

  static func homeDirectory() -> String {
    guard let user = unsafe getpwuid(getuid()), let home = unsafe user.pointee.pw_dir else { return "/" }
    return unsafe String(cString: home)
  }

  // MARK: Parts

  private static func openForReading(_ path: String) throws(AuthorityError) -> Int32? {
    let descriptor = unsafe tapeline_open(path, O_RDONLY | O_CLOEXEC, 0)
    if descriptor == -ENOENT { return nil }
    guard descriptor >= 0 else { throw .file(path, code: -descriptor) }
    return descriptor
  }

  private static func readAll(_ descriptor: Int32, _ path: String) throws(AuthorityError) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < largestFile {
      var count = 0
      let piece = unsafe [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, initialized in
        unsafe count = tapeline_read(descriptor, buffer.baseAddress, buffer.count)
        initialized = max(0, count)
      }
      if count == -Int(EINTR) { continue }
      guard count >= 0 else { throw .file(path, code: Int32(-count)) }
      if count == 0 { return bytes }
      bytes += piece
    }
    throw .file(path, code: EFBIG)
  }

  /// A file beside `path`, with the mode whatever the umask.
  ///
  /// - Parameter isFlushed: whether it is on the disk when this returns.
  private static func writeDraft(
    of path: String, _ bytes: [UInt8], mode: mode_t, isFlushed: Bool
  ) throws(AuthorityError) -> String {
    let draft: String
    let descriptor: Int32
    do throws(PrivateFileError) {
      (draft, descriptor) = try PrivateFile.draft(of: path)
    } catch {
      throw .file(path, error)
    }
    var code = writeAll(bytes, to: descriptor)
    if code == 0, fchmod(descriptor, mode) != 0 { code = errno }
    if code == 0, isFlushed { code = -tapeline_fsync(descriptor) }
    let closing = -tapeline_close(descriptor)
    if code == 0 { code = closing }
    guard code == 0 else {
      _ = unsafe unlink(draft)
      throw .file(path, code: code)
    }
    return draft
  }

  /// Returns 0, or the `errno` that stopped it.
  private static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
    var written = 0
    while written < bytes.count {
      let count = unsafe bytes.withUnsafeBytes {
        unsafe tapeline_write(descriptor, $0.baseAddress?.advanced(by: written), $0.count - written)
      }
      if count == -Int(EINTR) { continue }
      guard count >= 0 else { return Int32(-count) }
      written += count
    }
    return 0
  }

  /// A name is on the disk when its directory is.
  private static func flushDirectory(of path: String) throws(AuthorityError) {
    let directory = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    let descriptor = unsafe tapeline_open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
    guard descriptor >= 0 else { throw .file(directory, code: -descriptor) }
    defer { _ = tapeline_close(descriptor) }
    let code = -tapeline_fsync(descriptor)
    // Some file systems have nothing to flush for a directory, and say so.
    guard code == 0 || code == EINVAL else { throw .file(directory, code: code) }
  }
}

extension AuthorityError {
  static func file(_ path: String, _ error: PrivateFileError) -> AuthorityError {
    switch error {
    case .system(let code): .file(path, code: code)
    case .exists, .link, .notRegular, .foreign, .otherNames, .exposed:
      AuthorityError(
        .insecurePermissions, what: path, why: error.description, remedy: "move it away, and look who has put it there")
    }
  }

  static func file(_ path: String, code: Int32) -> AuthorityError {
    AuthorityError(.file, what: path, why: systemErrorText(code), remedy: "check the path and its permissions")
  }
}

/// What the system says of `code`, e.g. "Permission denied".
func systemErrorText(_ code: Int32) -> String {
  unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
    guard let start = buffer.baseAddress, let text = unsafe tapeline_error_text(code, start, buffer.count) else {
      return "error \(code)"
    }
    return unsafe String(cString: text)
  }
}
