internal import TapelineSystem

extension HARFile {
  /// Opens an empty file, creates it if necessary, and locks it.
  ///
  /// - Parameter replaces: whether the file may have content, which is deleted as soon as the file is locked.
  static func create(_ path: String, replacing replaces: Bool) throws(RecorderError) -> Int32 {
    let descriptor: Int32
    do throws(PrivateFileError) {
      descriptor = try PrivateFile.open(path, flags: .readWrite, existing: replaces ? .anything : .empty)
    } catch .exists {
      throw isLocked(path) ? .locked(path: path) : .fileExists(path: path)
    } catch {
      throw RecorderError(error, path: path)
    }
    do throws(SystemCallError) {
      if try SystemCalls.tryLock(descriptor, .exclusive) {
        if replaces { try SystemCalls.truncate(descriptor, to: 0) }
        return descriptor
      }
    } catch {
      SystemCalls.discard(descriptor)
      throw .cannotCreate(path: path, code: error.code)
    }
    SystemCalls.discard(descriptor)
    throw .locked(path: path)
  }

  /// Whether a recorder is writing to the file.
  private static func isLocked(_ path: String) -> Bool {
    do throws(SystemCallError) {
      let descriptor = try SystemCalls.open(path, [.noFollow, .nonBlocking])
      defer { SystemCalls.discard(descriptor) }
      return try !SystemCalls.tryLock(descriptor, .exclusive)
    } catch {
      return false
    }
  }
}
