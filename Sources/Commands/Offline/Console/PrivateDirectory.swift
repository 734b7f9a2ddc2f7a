internal import TapelineSystem

/// A directory for files that a run needs until it ends, which only we can enter. Removed with its owner.
///
/// The directory is locked while it is used, and the system releases the lock when the process ends, in whatever way. The next
/// run removes the files that a killed process has left, which may include copies of credentials.
package final class PrivateDirectory {
  package let path: String
  /// The directory's descriptor, which holds the lock.
  private let descriptor: Int32

  /// For directories that are locked, or were.
  private static let prefix = "tapeline-run."

  /// Under which the descriptor outlives a crash; `nil` if the directory does not.
  private let keptName: String?

  private static let keptName = "private directory"

  /// In the directory for temporary files; after a crash, the one from before it.
  ///
  /// - Parameter outlivesCrashes: of one directory of the process.
  package init(environment: [String: String], outlivesCrashes: Bool = false) throws(CommandFailure) {
    keptName = outlivesCrashes ? Self.keptName : nil
    if outlivesCrashes, let path = ProcessRestart.text(.privateDirectory),
      let descriptor = ProcessRestart.descriptor(Self.keptName)
    {
      self.path = path
      self.descriptor = descriptor
      return
    }
    let parent = TemporaryFiles.directory(environment)
    Self.removeAbandoned(in: parent)
    let made: (path: String, descriptor: Int32)
    do throws(SystemCallError) {
      made = try Self.make(in: parent)
    } catch {
      throw CommandFailure(
        status: .cannotCreate, what: "no directory in \(parent)", why: error.text, remedy: "set TMPDIR to one that can be written"
      )
    }
    path = made.path
    descriptor = made.descriptor
    guard outlivesCrashes else { return }
    ProcessRestart.keep(path, as: .privateDirectory)
    ProcessRestart.keep(descriptor, as: Self.keptName)
  }

  /// Removes the directory and the files in it. Files that cannot be removed stay until somebody cleans up temporary files.
  deinit {
    if let keptName { ProcessRestart.forget(keptName) }
    Directory.removeTree(path)
    SystemCalls.discard(descriptor)
  }

  /// The directory gets the name that other processes look for once it is locked.
  private static func make(in parent: String) throws(SystemCallError) -> (path: String, descriptor: Int32) {
    let draft = try Directory.makeTemporary("\(parent)/tapeline-new-")
    let path = "\(parent)/\(prefix)\(draft.suffix(6))-\(CurrentProcess.id)"
    do throws(SystemCallError) {
      guard let descriptor = try lock(draft) else { throw SystemCallError(code: ErrorCode.wouldBlock, call: .flock) }
      do throws(SystemCallError) {
        try SystemCalls.rename(draft, to: path)
        return (path, descriptor)
      } catch {
        SystemCalls.discard(descriptor)
        throw error
      }
    } catch {
      Directory.removeTree(draft)
      throw error
    }
  }

  // MARK: What others have left

  private static func removeAbandoned(in parent: String) {
    for name in Directory.namesIfReadable(in: parent, beginningWith: prefix) {
      let path = "\(parent)/\(name)"
      let status = SystemCalls.statusIfPresent(of: path, followsLinks: false)
      guard status?.kind == .directory, status?.owner == CurrentUser.effectiveID else { continue }
      do throws(SystemCallError) {
        guard let descriptor = try lock(path) else { continue }
        Directory.removeTree(path)
        SystemCalls.discard(descriptor)
      } catch {
        // Another program is removing it.
      }
    }
  }

  /// A descriptor with the lock; `nil` if another process has the lock.
  private static func lock(_ path: String) throws(SystemCallError) -> Int32? {
    let descriptor = try SystemCalls.open(path, [.directory, .noFollow])
    do throws(SystemCallError) {
      if try SystemCalls.tryLock(descriptor, .exclusive) { return descriptor }
    } catch {
      SystemCalls.discard(descriptor)
      throw error
    }
    SystemCalls.discard(descriptor)
    return nil
  }
}

/// Where temporary files go.
package enum TemporaryFiles {
  package static func directory(_ environment: [String: String]) -> String {
    environment["TMPDIR"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
  }
}
