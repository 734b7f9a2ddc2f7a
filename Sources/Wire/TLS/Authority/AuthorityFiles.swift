internal import TapelineSystem

/// The file operations of an authority, with error messages for people.
enum AuthorityFiles {
  /// Far more than a certificate or a bundle of all roots needs; a longer file is something else.
  private static let largestFile = 16 << 20

  /// Nil if there is no such file.
  static func readIfPresent(_ path: String) throws(AuthorityError) -> [UInt8]? {
    do throws(SystemCallError) {
      return try WholeFile.read(path, limit: largestFile)
    } catch {
      return try nilIfMissing(path, error)
    }
  }

  /// Like `readIfPresent`, for a file that only its owner may be able to read or write.
  static func readSecretIfPresent(_ path: String) throws(AuthorityError) -> [UInt8]? {
    let status: FileStatus
    let bytes: [UInt8]
    do throws(SystemCallError) {
      let descriptor = try SystemCalls.open(path)
      defer { SystemCalls.discard(descriptor) }
      status = try SystemCalls.status(of: descriptor)
      bytes = status.isOpenToOthers ? [] : try WholeFile.read(descriptor, limit: largestFile)
    } catch {
      return try nilIfMissing(path, error)
    }
    guard !status.isOpenToOthers else {
      throw AuthorityError(
        .insecurePermissions, what: path, why: "others may use it (mode \(String(status.permissions & 0o777, radix: 8)))",
        remedy: "run chmod 600 on it; if others may have read it, withdraw the trust (tapeline ca trust) and make a new authority"
      )
    }
    return bytes
  }

  /// A dangling link counts too.
  static func isPresent(_ path: String) -> Bool {
    SystemCalls.statusIfPresent(of: path, followsLinks: false) != nil
  }

  /// Refuses a directory that belongs to somebody else or that others can enter: a key is not safe there. A missing directory is
  /// fine.
  static func checkPrivateDirectory(_ directory: String) throws(AuthorityError) {
    do throws(PrivateFileError) {
      try PrivateFile.checkDirectory(directory, isClosed: true)
    } catch .system(ErrorCode.notFound) {
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

  /// Makes the directory, and missing ones above it, for this user only; an existing directory stays as it is.
  static func makePrivateDirectory(_ path: String) throws(AuthorityError) {
    do throws(SystemCallError) {
      try Directory.makeAll(path, mode: 0o700)
    } catch {
      throw .file(path, code: error.code)
    }
  }

  /// Waits until this process alone has locked `path`. The lock lasts until the descriptor is closed.
  static func lock(_ path: String) throws(AuthorityError) -> Int32 {
    let descriptor: Int32
    do throws(PrivateFileError) {
      descriptor = try PrivateFile.open(path, flags: .readWrite, existing: .anything)
    } catch {
      throw .file(path, error)
    }
    do throws(SystemCallError) {
      try SystemCalls.lock(descriptor)
      return descriptor
    } catch {
      SystemCalls.discard(descriptor)
      throw .file(path, code: error.code)
    }
  }

  /// Makes the file whole or not at all; it is on the disk when this returns. An existing file is an error, and stays.
  static func createWhole(_ path: String, _ bytes: [UInt8], mode: UInt32) throws(AuthorityError) {
    let draft = try draft(of: path)
    do throws(SystemCallError) {
      try draft.write(bytes.span)
      try draft.place(mode: mode)
    } catch {
      throw .file(path, code: error.code)
    }
  }

  /// Replaces an existing file: readers see the old one or the new one, whole. It may reach the disk later, because such a file
  /// can be made again.
  static func replaceWhole(_ path: String, _ bytes: [UInt8], mode: UInt32) throws(AuthorityError) {
    let draft = try draft(of: path)
    do throws(SystemCallError) {
      try draft.write(bytes.span)
      try draft.replace(mode: mode)
    } catch {
      throw .file(path, code: error.code)
    }
  }

  // MARK: Parts

  private static func draft(of path: String) throws(AuthorityError) -> FileDraft {
    do throws(PrivateFileError) {
      return try FileDraft(of: path)
    } catch {
      throw .file(path, error)
    }
  }

  private static func nilIfMissing(_ path: String, _ error: SystemCallError) throws(AuthorityError) -> [UInt8]? {
    guard error.code == ErrorCode.notFound else { throw .file(path, code: error.code) }
    return nil
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
    AuthorityError(.file, what: path, why: SystemCallError.text(of: code), remedy: "check the path and its permissions")
  }
}

/// The directory of an authority: everybody may read its certificate, only its owner the key.
package struct AuthorityDirectory: Sendable, Hashable {
  package let path: String

  package init(path: String) {
    self.path = path.isEmpty ? "." : path
  }

  /// The default directory (XDG Base Directory Specification): the specification says to ignore relative paths.
  package init(environment: [String: String]) {
    if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") {
      path = "\(data)/tapeline"
    } else {
      path = "\(environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? CurrentUser.homeDirectory)/.local/share/tapeline"
    }
  }

  package var certificateFile: String { "\(path)/ca.pem" }
  package var keyFile: String { "\(path)/ca.key" }
  /// Locked while a process makes an authority here.
  var lockFile: String { "\(path)/ca.lock" }
}

/// Why there is no authority, or no certificate from it: the operation that failed, the reason, and the remedy.
package struct AuthorityError: Error, Sendable, Hashable, CustomStringConvertible {
  package enum Kind: Sendable, Hashable {
    /// There is no authority in the directory.
    case missing
    /// There is a key without a certificate, or a certificate without a key.
    case incomplete
    /// The key and the certificate do not match.
    case mismatch
    /// Others could read the key, or replace it.
    case insecurePermissions
    /// The directory belongs to another user.
    case foreign
    case expired
    case notYetValid
    /// tapeline did not write these files.
    case unusable
    /// No certificate can be made for this host name.
    case hostName
    /// The system refused a file operation.
    case file
    /// OpenSSL refused.
    case cryptography
  }

  package let kind: Kind
  package let what: String
  package let why: String
  package let remedy: String

  package init(_ kind: Kind, what: String, why: String, remedy: String) {
    self.kind = kind
    self.what = what
    self.why = why
    self.remedy = remedy
  }

  /// `<what>: <why>; <what to do>`, the form of all our messages.
  package var description: String {
    "\(what): \(why); \(remedy)"
  }
}
