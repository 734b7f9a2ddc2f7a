internal import TapelineOffline
internal import TapelineSystem
internal import TapelineTime

/// Where this user's recordings have their control sockets: a directory that nobody else can enter.
package struct ControlDirectory: Hashable {
  package let path: String

  /// The places, best first: the user's runtime directory, then one of the user's in the directory for temporary files.
  package static func candidates(environment: [String: String]) -> [ControlDirectory] {
    let runtime = environment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? "\($0)/tapeline" : nil }
    return [runtime, "\(TemporaryFiles.directory(environment))/tapeline-\(CurrentUser.effectiveID)"].compactMap(\.self).map(
      ControlDirectory.init)
  }

  /// Makes the directory unless it exists.
  ///
  /// - Throws: `EPERM` where others could have put something into it.
  func prepare() throws(SystemCallError) {
    do throws(SystemCallError) {
      try Directory.make(path, mode: 0o700)
    } catch  where error.code == ErrorCode.exists {
      guard isPrivate else { throw SystemCallError(code: ErrorCode.notPermitted, call: .mkdir) }
    }
  }

  /// Whether the path is a directory of ours, not a link to one, that only we can enter.
  private var isPrivate: Bool {
    guard let status = SystemCalls.statusIfPresent(of: path, followsLinks: false) else { return false }
    return status.kind == .directory && status.owner == CurrentUser.effectiveID && !status.isOpenToOthers
  }

  /// The sockets at which a recording answers, in the order of their names. Those that a dead process left are removed.
  package func sockets() -> [String] {
    guard isPrivate else { return [] }
    let names = Directory.namesIfReadable(in: path).filter { $0.hasSuffix(Self.suffix) && !$0.hasPrefix(".") }
    return names.sorted().map { "\(path)/\($0)" }.filter(isServed)
  }

  package static let suffix = ".sock"

  private func isServed(_ socket: String) -> Bool {
    do throws(ControlConnectionError) {
      _ = try ControlConnection.open(socket, before: .now)
      return true
    } catch .system(ErrorCode.connectionRefused) {
      // A socket gets this name only once it listens, so this one never will again.
      SystemCalls.removeIfPossible(socket)
      return false
    } catch .timedOut {
      return true
    } catch {
      return false
    }
  }
}

/// A listening control socket that only its owner can use. Owns the descriptor and the name in the directory.
final class ControlListener: Sendable {
  /// Absolute.
  let path: String
  let descriptor: Int32

  private static let backlog: Int32 = 16

  /// Listens in the first of `directories` that can be used.
  static func open(in directories: [ControlDirectory]) throws(CommandFailure) -> ControlListener {
    if let path = ProcessRestart.text(.controlPath), let kept = ProcessRestart.descriptor(keptName) {
      return ControlListener(path: path, kept)
    }
    var failure = CommandFailure(
      status: .unavailable, what: "no control socket", why: "there is no place for it", remedy: "set XDG_RUNTIME_DIR")
    for directory in directories {
      do throws(CommandFailure) {
        return try ControlListener(in: directory)
      } catch {
        failure = error
      }
    }
    throw failure
  }

  /// Goes on with the socket from before a crash.
  private init(path: String, _ descriptor: Int32) {
    self.path = path
    self.descriptor = descriptor
  }

  private static let keptName = "control"

  /// The socket gets its name once it listens and has its mode, so every client that finds it can connect.
  private init(in directory: ControlDirectory) throws(CommandFailure) {
    let name = "\(CurrentProcess.id)-\(String(UInt32.random(in: .min ... .max), radix: 16))\(ControlDirectory.suffix)"
    path = "\(directory.path)/\(name)"
    do throws(SystemCallError) {
      try directory.prepare()
      descriptor = try SystemCalls.makeLocalSocket()
    } catch {
      throw Self.failure(directory, error)
    }
    // From here on `deinit` closes and removes.
    let draft = "\(directory.path)/.\(name)"
    do throws(SystemCallError) {
      try SystemCalls.bindLocal(descriptor, to: draft)
      try SystemCalls.setPermissions(0o600, of: draft)
      try SystemCalls.listen(descriptor, backlog: Self.backlog)
      try SystemCalls.rename(draft, to: path)
    } catch {
      SystemCalls.removeIfPossible(draft)
      throw Self.failure(directory, error)
    }
    ProcessRestart.keep(path, as: .controlPath)
    ProcessRestart.keep(descriptor, as: Self.keptName)
  }

  deinit {
    remove()
    ProcessRestart.forget(Self.keptName)
    SystemCalls.discard(descriptor)
  }

  /// Removes the name: no client finds the socket any more.
  func remove() {
    SystemCalls.removeIfPossible(path)
  }

  /// Returns the next connection, or throws the `errno` of the failure.
  func accept() throws(ControlConnectionError) -> ControlConnection {
    do throws(SystemCallError) {
      return ControlConnection(descriptor: try SystemCalls.acceptLocal(descriptor))
    } catch {
      throw .system(error.code)
    }
  }

  private static func failure(_ directory: ControlDirectory, _ error: SystemCallError) -> CommandFailure {
    CommandFailure(
      status: .unavailable, what: "no control socket in \(directory.path)", why: error.text,
      remedy:
        "mark, wait, snapshot, rotate, status and stop cannot reach this recording; set XDG_RUNTIME_DIR to a directory of yours"
    )
  }
}
