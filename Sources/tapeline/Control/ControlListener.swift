internal import CTapeline
internal import Glibc

/// A control socket that is listened on, for its owner alone. Owns the descriptor and the name in the directory.
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

  /// The socket gets its name when it is listened on and has its mode, so whoever finds it can connect.
  private init(in directory: ControlDirectory) throws(CommandFailure) {
    let preparing = directory.prepare()
    guard preparing == 0 else { throw Self.failure(directory, preparing) }
    let name = "\(getpid())-\(String(UInt32.random(in: .min ... .max), radix: 16))\(ControlDirectory.suffix)"
    let path = "\(directory.path)/\(name)"
    let draft = "\(directory.path)/.\(name)"
    let descriptor = tapeline_local_socket()
    guard descriptor >= 0 else { throw Self.failure(directory, -descriptor) }
    self.path = path
    self.descriptor = descriptor
    // From here on `deinit` closes and removes.
    var cause = unsafe -tapeline_local_bind(descriptor, draft)
    if cause == 0, unsafe chmod(draft, 0o600) != 0 { cause = errno }
    if cause == 0 { cause = -tapeline_listen(descriptor, Self.backlog) }
    if cause == 0, unsafe rename(draft, path) != 0 { cause = errno }
    guard cause == 0 else {
      _ = unsafe unlink(draft)
      throw Self.failure(directory, cause)
    }
  }

  deinit {
    remove()
    _ = tapeline_close(descriptor)
  }

  /// Takes the name away: nobody finds the socket any more.
  func remove() {
    _ = unsafe unlink(path)
  }

  /// The next connection, or the `errno` that says why there is none.
  func accept() throws(ControlConnectionError) -> ControlConnection {
    let accepted = tapeline_local_accept(descriptor)
    guard accepted >= 0 else { throw .system(-accepted) }
    return ControlConnection(descriptor: accepted)
  }

  private static func failure(_ directory: ControlDirectory, _ cause: Int32) -> CommandFailure {
    CommandFailure(
      status: .unavailable, what: "no control socket in \(directory.path)", why: systemErrorText(cause),
      remedy:
        "mark, wait, snapshot, rotate, status and stop cannot reach this recording; set XDG_RUNTIME_DIR to a directory of yours"
    )
  }
}
