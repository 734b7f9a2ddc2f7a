internal import Synchronization
internal import TapelineSystem

/// A socket that listens, for several loops to accept from: a local one (`unix:/path`), or one that another program has handed
/// over.
///
/// Any thread. It owns the descriptor, and the name of a local socket that it has made.
package final class SharedListeningSocket: Sendable {
  private let descriptor: Int32
  let isLocal: Bool
  /// As the kernel tells it: 0.0.0.0:0 for a local socket.
  let name: SocketAddress
  /// The name that was made for it; `nil` for a socket that was handed over.
  package let path: String?
  /// The file of that name, so that nobody else's is removed.
  private let file: Mutex<(device: UInt64, inode: UInt64)?>

  private static let backlog: Int32 = 1024

  /// Listens at a path, for this user alone. The socket of a process that is gone is replaced.
  package init(path: String) throws(LoopError) {
    self.path = path
    isLocal = true
    file = Mutex(nil)
    do throws(SystemCallError) {
      if let kept = ProcessRestart.descriptor(Self.keptName(of: path)) {
        name = try SystemCalls.localAddress(of: kept)
        descriptor = kept
        noteFile(at: path)
        return
      }
      let socket = FileDescriptor(owning: try SystemCalls.makeLocalSocket())
      do throws(SystemCallError) {
        try Self.bind(socket.rawValue, to: path)
        // Before it listens nobody can connect to it.
        try SystemCalls.setPermissions(0o600, of: path)
        try SystemCalls.listen(socket.rawValue, backlog: Self.backlog)
        name = try SystemCalls.localAddress(of: socket.rawValue)
      } catch {
        socket.discard()
        throw error
      }
      descriptor = socket.release()
    } catch {
      throw LoopError(error, subject: path)
    }
    ProcessRestart.keep(descriptor, as: Self.keptName(of: path))
    noteFile(at: path)
  }

  private func noteFile(at path: String) {
    let found = SystemCalls.statusIfPresent(of: path, followsLinks: false).map { ($0.device, $0.inode) }
    file.withLock { $0 = found }
  }

  /// The end of a path tells it from others.
  private static func keptName(of path: String) -> String { "local \(String(decoding: path.utf8.suffix(36), as: UTF8.self))" }

  /// Where a socket listens.
  package enum Place: Sendable {
    case address(SocketAddress)
    /// A local one. An abstract name begins with `@`.
    case path(String)
  }

  /// Where a socket listens that another program has handed over.
  ///
  /// - Throws: if it is no socket that listens for streams.
  package static func place(ofHandedOver descriptor: Int32) throws(LoopError) -> Place {
    guard SystemCalls.acceptsStreams(descriptor) else {
      throw LoopError(.other(0), "descriptor \(descriptor) is no socket that listens for connections of streams")
    }
    do throws(SystemCallError) {
      return try SystemCalls.isLocalSocket(descriptor)
        ? .path(try SystemCalls.localPath(of: descriptor)) : .address(try SystemCalls.localAddress(of: descriptor))
    } catch {
      throw LoopError(error, subject: "descriptor \(descriptor)")
    }
  }

  /// Takes over a socket that listens already.
  package init(handedOver descriptor: Int32) throws(LoopError) {
    self.descriptor = descriptor
    path = nil
    file = Mutex(nil)
    do throws(SystemCallError) {
      try SystemCalls.adoptSocket(descriptor)
      isLocal = try SystemCalls.isLocalSocket(descriptor)
      name = try SystemCalls.localAddress(of: descriptor)
    } catch {
      throw LoopError(error, subject: "descriptor \(descriptor)")
    }
  }

  /// Accepts from a socket that listens already, and stays its owner's too.
  package convenience init(sharing descriptor: Int32) throws(LoopError) {
    let own: Int32
    do throws(SystemCallError) {
      own = try SystemCalls.duplicate(descriptor)
    } catch {
      throw LoopError(error, subject: "descriptor \(descriptor)")
    }
    do throws(LoopError) {
      try self.init(handedOver: own)
    } catch {
      SystemCalls.discard(own)
      throw error
    }
  }

  /// `nil` for a local socket.
  package var address: SocketAddress? { isLocal ? nil : name }

  deinit {
    remove()
    if let path { ProcessRestart.forget(Self.keptName(of: path)) }
    SystemCalls.discard(descriptor)
  }

  /// Removes the name: no client finds the socket any more. Idempotent.
  package func remove() {
    guard let path, let file = file.withLock({ $0.take() }) else { return }
    guard let found = SystemCalls.statusIfPresent(of: path, followsLinks: false), (found.device, found.inode) == file else {
      return
    }
    SystemCalls.removeIfPossible(path)
  }

  /// A descriptor of the caller's own.
  func duplicate() throws(LoopError) -> FileDescriptor {
    do throws(SystemCallError) {
      return FileDescriptor(owning: try SystemCalls.duplicate(descriptor))
    } catch {
      throw LoopError(error)
    }
  }

  private static func bind(_ socket: Int32, to path: String) throws(SystemCallError) {
    do throws(SystemCallError) {
      try SystemCalls.bindLocal(socket, to: path)
    } catch  where error.code == ErrorCode.addressInUse && isAbandoned(path) {
      SystemCalls.removeIfPossible(path)
      try SystemCalls.bindLocal(socket, to: path)
    }
  }

  /// Whether a name is a socket at which nobody listens.
  private static func isAbandoned(_ path: String) -> Bool {
    do throws(SystemCallError) {
      let probe = try SystemCalls.makeLocalSocket()
      defer { SystemCalls.discard(probe) }
      _ = try SystemCalls.connectLocal(probe, to: path)
      return false
    } catch {
      return error.code == ErrorCode.connectionRefused
        && SystemCalls.statusIfPresent(of: path, followsLinks: false)?.kind == .socket
    }
  }
}
