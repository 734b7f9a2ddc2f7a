internal import TapelineSystem

/// A listening control socket that only its owner can use. Owns the descriptor and the name in the directory.
final class ControlListener: Sendable {
  /// Absolute.
  let path: String
  let descriptor: Int32

  private static let backlog: Int32 = 16

  /// Listens in the first of `directories` that can be used.
  static func open(in directories: [ControlDirectory]) throws(CommandFailure) -> ControlListener {
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
  }

  deinit {
    remove()
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
