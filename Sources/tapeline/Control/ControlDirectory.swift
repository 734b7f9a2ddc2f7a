internal import Glibc
internal import TapelineTime

/// Where this user's recordings have their control sockets: a directory that nobody else can enter.
struct ControlDirectory: Hashable {
  let path: String

  /// The places, best first: the user's runtime directory, then one of the user's in the directory for temporary files.
  static func candidates(environment: [String: String]) -> [ControlDirectory] {
    let runtime = environment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? "\($0)/tapeline" : nil }
    return [runtime, "\(TemporaryFiles.directory(environment))/tapeline-\(geteuid())"].compactMap(\.self).map(
      ControlDirectory.init)
  }

  /// Makes the directory unless it is there.
  ///
  /// - Returns: 0, or the `errno` that says why it cannot be used; `EPERM` where others could have put something into it.
  func prepare() -> Int32 {
    if unsafe mkdir(path, 0o700) == 0 { return 0 }
    let making = errno
    guard making == EEXIST else { return making }
    return isPrivate ? 0 : EPERM
  }

  /// Whether it is a directory of ours, and no link to one, which only we can enter.
  private var isPrivate: Bool {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { return false }
    return status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid() && status.st_mode & 0o077 == 0
  }

  /// The sockets at which a recording answers, in the order of their names. Those that a dead process left are removed.
  func sockets() -> [String] {
    guard isPrivate else { return [] }
    let names = DirectoryNames.of(path).filter { $0.hasSuffix(Self.suffix) && !$0.hasPrefix(".") }
    return names.sorted().map { "\(path)/\($0)" }.filter(isServed)
  }

  static let suffix = ".sock"

  private func isServed(_ socket: String) -> Bool {
    do throws(ControlConnectionError) {
      _ = try ControlConnection.open(socket, before: .now)
      return true
    } catch .system(ECONNREFUSED) {
      // Sockets get this name only once they are listened on, so nobody ever will be.
      _ = unsafe unlink(socket)
      return false
    } catch .timedOut {
      return true
    } catch {
      return false
    }
  }
}
