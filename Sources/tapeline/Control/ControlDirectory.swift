internal import TapelineSystem
internal import TapelineTime

/// Where this user's recordings have their control sockets: a directory that nobody else can enter.
struct ControlDirectory: Hashable {
  let path: String

  /// The places, best first: the user's runtime directory, then one of the user's in the directory for temporary files.
  static func candidates(environment: [String: String]) -> [ControlDirectory] {
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
  func sockets() -> [String] {
    guard isPrivate else { return [] }
    let names = Directory.namesIfReadable(in: path).filter { $0.hasSuffix(Self.suffix) && !$0.hasPrefix(".") }
    return names.sorted().map { "\(path)/\($0)" }.filter(isServed)
  }

  static let suffix = ".sock"

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
