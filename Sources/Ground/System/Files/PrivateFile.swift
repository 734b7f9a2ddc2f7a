internal import Glibc

/// Opens files for writing such that only their owner can read them, now or later: every file of ours that is not public by its
/// nature comes from here.
///
/// A new file is made exclusively with mode 0600, whatever the umask. An existing file is accepted only if it is a regular file
/// of ours with one name, and `path` is not a link to it; it gets that mode before anything is written. The caller closes the
/// descriptors.
package enum PrivateFile {
  /// The kind of file that may already exist.
  package enum Existing: Sendable, Hashable {
    case nothing
    /// `mktemp` makes empty files.
    case empty
    /// The content stays, and new bytes follow it.
    case anything
  }

  package static let mode: UInt32 = 0o600

  /// - Parameter flags: how to open it, besides the flags that are set here: `[.writeOnly, .append]`, for instance.
  package static func open(_ path: String, flags: OpenFlags, existing: Existing) throws(PrivateFileError) -> Int32 {
    try checkName(path)
    let made: Int32?
    do throws(SystemCallError) {
      made = try SystemCalls.open(path, flags.union([.create, .exclusive, .noFollow]), mode: mode)
    } catch {
      guard error.code == EEXIST else { throw .system(error.code) }
      made = nil
    }
    if let made { return try checked(made) { () throws(PrivateFileError) in try protect(made) } }
    guard existing != .nothing else { throw isLink(path) ? .link : .exists }
    // Never blocks, even if it is a pipe that nobody reads.
    let found = try openFound(path, flags.union([.noFollow, .nonBlocking, .noControllingTerminal]))
    return try checked(found) { () throws(PrivateFileError) in
      let status = try status(of: found)
      try checkOurs(status)
      guard existing == .anything || status.size == 0 else { throw .exists }
      try protect(found)
    }
  }

  /// A file without a name, for reading and writing: it disappears when its descriptor is closed.
  package static func unnamed(in directory: String) throws(PrivateFileError) -> Int32 {
    let path = "\(directory)/tapeline.\(CurrentProcess.id)-\(String(UInt64.random(in: 0 ... .max), radix: 16))"
    let descriptor = try open(path, flags: .readWrite, existing: .nothing)
    return try checked(descriptor) { () throws(PrivateFileError) in
      do throws(SystemCallError) {
        try SystemCalls.remove(path)
      } catch {
        throw .system(error.code)
      }
    }
  }

  /// Checks that a renamed file may replace the file at `path`: a regular file of ours may be replaced, and nothing else.
  package static func checkReplaceable(_ path: String) throws(PrivateFileError) {
    try checkName(path)
    let status: FileStatus
    do throws(SystemCallError) {
      status = try SystemCalls.status(of: path, followsLinks: false)
    } catch {
      if error.code == ENOENT { return }
      throw .system(error.code)
    }
    guard status.kind != .link else { throw .link }
    guard status.kind == .regular else { throw .notRegular }
    guard status.owner == CurrentUser.effectiveID else { throw .foreign }
  }

  /// Opens an existing stream: a terminal, a pipe of ours, or a path with which the system names an open descriptor.
  ///
  /// - Returns: nil if `path` names a file or nothing instead.
  package static func openStream(_ path: String, flags: OpenFlags) throws(PrivateFileError) -> Int32? {
    try checkName(path)
    if isOpenDescriptor(path) {
      do throws(SystemCallError) {
        return try SystemCalls.open(path, flags)
      } catch {
        throw .system(error.code)
      }
    }
    guard let status = SystemCalls.statusIfPresent(of: path, followsLinks: false) else { return nil }
    switch status.kind {
    case .regular, .link, .directory: return nil
    case .characterDevice, .socket, .other: break
    }
    let descriptor = try openFound(path, flags.union([.noFollow, .noControllingTerminal]))
    return try checked(descriptor) { () throws(PrivateFileError) in
      let status = try Self.status(of: descriptor)
      // The owner of a pipe reads what is written into it.
      guard status.kind == .characterDevice || status.owner == CurrentUser.effectiveID else { throw .foreign }
    }
  }

  /// Opens a file of ours to append to it, made if it is missing; or a stream.
  package static func openLog(_ path: String) throws(PrivateFileError) -> Int32 {
    let flags: OpenFlags = [.writeOnly, .append]
    if let stream = try openStream(path, flags: flags) { return stream }
    return try open(path, flags: flags, existing: .anything)
  }

  /// Checks that nobody else can replace the content of a directory of ours.
  ///
  /// - Parameter isClosed: whether others must not enter it either.
  package static func checkDirectory(_ path: String, isClosed: Bool) throws(PrivateFileError) {
    try checkName(path)
    let status: FileStatus
    do throws(SystemCallError) {
      status = try SystemCalls.status(of: path)
    } catch {
      throw .system(error.code)
    }
    guard status.kind == .directory else { throw .system(ENOTDIR) }
    guard status.owner == CurrentUser.effectiveID else { throw .foreign }
    guard status.permissions & (isClosed ? 0o077 : 0o022) == 0 else { throw .exposed(mode: status.permissions) }
  }

  // MARK: Parts

  /// The system would cut a name at a NUL.
  private static func checkName(_ path: String) throws(PrivateFileError) {
    guard !path.utf8.contains(0) else { throw .system(EINVAL) }
  }

  private static func checkOurs(_ status: FileStatus) throws(PrivateFileError) {
    guard status.kind == .regular else { throw .notRegular }
    guard status.owner == CurrentUser.effectiveID else { throw .foreign }
    guard status.linkCount == 1 else { throw .otherNames }
  }

  private static func protect(_ descriptor: Int32) throws(PrivateFileError) {
    do throws(SystemCallError) {
      try SystemCalls.setPermissions(mode, of: descriptor)
    } catch {
      throw .system(error.code)
    }
  }

  private static func status(of descriptor: Int32) throws(PrivateFileError) -> FileStatus {
    do throws(SystemCallError) {
      return try SystemCalls.status(of: descriptor)
    } catch {
      throw .system(error.code)
    }
  }

  private static func openFound(_ path: String, _ flags: OpenFlags) throws(PrivateFileError) -> Int32 {
    do throws(SystemCallError) {
      return try SystemCalls.open(path, flags)
    } catch {
      switch error.code {
      case ELOOP: throw .link
      case ENXIO, EISDIR: throw .notRegular
      default: throw .system(error.code)
      }
    }
  }

  private static func isLink(_ path: String) -> Bool {
    SystemCalls.statusIfPresent(of: path, followsLinks: false)?.kind == .link
  }

  /// Except for `/dev/null`, these are links, made by the system itself, to the open descriptors of this process.
  private static func isOpenDescriptor(_ path: String) -> Bool {
    ["/dev/fd/", "/proc/self/fd/"].contains(where: path.hasPrefix) || ["/dev/stdout", "/dev/stderr", "/dev/null"].contains(path)
  }

  /// Returns the descriptor if `check` does not throw.
  private static func checked(
    _ descriptor: Int32, _ check: () throws(PrivateFileError) -> Void
  ) throws(PrivateFileError) -> Int32 {
    do throws(PrivateFileError) {
      try check()
      return descriptor
    } catch {
      SystemCalls.discard(descriptor)
      throw error
    }
  }
}

/// Why a file is not opened for writing, or a directory not used: somebody else could read the content or change where it goes.
package enum PrivateFileError: Error, Sendable, Hashable, CustomStringConvertible {
  /// An `errno`.
  case system(Int32)
  /// Something is there already, and it is not an empty file that may be used.
  case exists
  case link
  case notRegular
  /// It belongs to another user.
  case foreign
  /// The file has other names, perhaps where others can read them.
  case otherNames
  /// Others can write to the directory, or enter it although they must not.
  case exposed(mode: UInt32)

  package var description: String {
    switch self {
    case .system(let code): SystemCallError.text(of: code)
    case .exists: "it exists already"
    case .link: "it is a symbolic link, and may lead to a file of somebody else"
    case .notRegular: "it is not a regular file"
    case .foreign: "it belongs to another user"
    case .otherNames: "the file has another name too (a hard link)"
    case .exposed(let mode): "others may use it (mode \(String(mode, radix: 8)))"
    }
  }
}
