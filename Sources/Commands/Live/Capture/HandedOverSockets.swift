internal import TapelineOffline
internal import TapelineInspect
internal import TapelineLoop
internal import TapelineSystem

/// Judges the sockets that a service manager has handed over: what they listen on counts, as it does for `--listen`.
enum HandedOverSockets {
  /// - Returns: the paths of local sockets that other users of this machine can open.
  static func check(_ descriptors: [Int32], allowsRemote: Bool) throws(CommandFailure) -> [String] {
    var openPaths: [String] = []
    for descriptor in descriptors {
      switch try place(of: descriptor) {
      case .address(let address):
        guard allowsRemote || address.isLoopback else {
          throw CommandFailure(
            status: .usage, what: "the socket \(address) that was handed over",
            why: "other machines could use this proxy and be recorded", remedy: "add --allow-remote to allow it")
        }
      case .path(let path):
        if isOpen(path) { openPaths.append(path) }
      }
    }
    return openPaths
  }

  private static func place(of descriptor: Int32) throws(CommandFailure) -> SharedListeningSocket.Place {
    do throws(LoopError) {
      return try SharedListeningSocket.place(ofHandedOver: descriptor)
    } catch {
      throw CommandFailure(
        status: .usage, what: "a socket that was handed over", why: error.message,
        remedy: "name addresses and paths with ListenStream= in the socket unit")
    }
  }

  static func warning(of path: String) -> String {
    "the local socket \(path.printable) lets every user of this machine use the proxy; set SocketMode=0600 in its unit, or add --auth USER:PASSWORD"
  }

  /// Whether users other than the owner and its group come to the socket: by its mode, and by that of each directory above it. A
  /// name without a file has no mode.
  private static func isOpen(_ path: String) -> Bool {
    guard path.hasPrefix("/"), let socket = SystemCalls.statusIfPresent(of: path) else { return true }
    guard socket.permissions & 0o002 != 0 else { return false }
    let parts = path.split(separator: "/").dropLast()
    return parts.indices.allSatisfy { last in
      let directory = SystemCalls.statusIfPresent(of: "/\(parts[...last].joined(separator: "/"))")
      return directory.map { $0.permissions & 0o001 != 0 } ?? true
    }
  }
}
