internal import TapelineDigest
internal import TapelineHAR
internal import TapelineSystem
internal import TapelineBase

/// Stores bodies in files of their own, named by the hash of their content: equal bodies share one file.
///
/// Owned by the recorder's thread. A file is written under another name and renamed when it is complete: a kill leaves no partial
/// file under the final name.
struct BodyStore {
  private let directory: String
  /// The path from the HAR's directory to this one, with a slash at the end; empty when they are the same.
  private let prefix: String
  private let syncs: Bool

  /// Makes the directory if it does not exist.
  init(directory: String, besideHAR path: String, syncs: Bool) throws(RecorderError) {
    do throws(SystemCallError) {
      try Directory.make(directory, mode: 0o700)
    } catch {
      guard error.code == ErrorCode.exists else { throw .cannotUseBodies(path: directory, code: error.code) }
    }
    do throws(PrivateFileError) {
      try PrivateFile.checkDirectory(directory, isClosed: false)
    } catch .system(let code) {
      throw .cannotUseBodies(path: directory, code: code)
    } catch {
      throw .notPrivate(path: directory, error)
    }
    let absolute = try Self.realPath(of: directory)
    self.directory = absolute
    let name = path.lastIndex(of: "/")
    let parent = name.map { String(path[...$0]) } ?? "."
    prefix = RelativePath.from(try Self.realPath(of: parent), to: absolute)
    self.syncs = syncs
    do throws(SystemCallError) {
      try SystemCalls.checkAccess(to: absolute, for: .writing, .executing)
    } catch {
      throw .cannotUseBodies(path: directory, code: error.code)
    }
  }

  /// Makes sure that a file with these bytes exists, and returns its path relative to the HAR's directory.
  func store(_ bytes: Span<UInt8>) throws(RecorderError) -> String {
    let name = MessageDigest.sha256.hexadecimal(of: bytes)
    let path = "\(directory)/\(name)"
    let found = SystemCalls.statusIfPresent(of: path, followsLinks: false)
    if found?.kind != .regular || found?.size != bytes.count { try write(bytes, to: path) }
    return prefix + name
  }

  private func write(_ bytes: Span<UInt8>, to path: String) throws(RecorderError) {
    let draft = try draft(of: path)
    do throws(SystemCallError) {
      try draft.write(bytes)
      try draft.replace(durability: syncs ? .content : .none)
    } catch {
      throw .writeFailed(path: directory, code: error.code)
    }
  }

  private func draft(of path: String) throws(RecorderError) -> FileDraft {
    do throws(PrivateFileError) {
      return try FileDraft(of: path)
    } catch .system(let code) {
      throw .writeFailed(path: directory, code: code)
    } catch {
      throw .notPrivate(path: directory, error)
    }
  }

  private static func realPath(of path: String) throws(RecorderError) -> String {
    do throws(SystemCallError) {
      return try SystemCalls.realPath(of: path)
    } catch {
      throw .cannotUseBodies(path: path, code: error.code)
    }
  }
}
