internal import TapelineSystem

/// A process that waits in a command's network for the end of the recording. If that ends without a farewell, as by SIGKILL, the
/// guard kills all that is left in the network: programs that can reach nothing any more.
///
/// The kernel would kill the command alone (PR_SET_PDEATHSIG), and not what the command has started. The guard is nobody's child,
/// so that no program waits for it, and it has no descriptor of the command's.
struct NetworkGuard {
  /// The end of a pipe whose other end the recording holds, and writes a byte to when it lets the command's programs live on.
  let lifeline: Int32

  /// Not ours: somebody who kills programs of our name must not kill the guard before the others.
  private static let name = "network-guard"

  /// Returns whether this is the guard's process.
  func splitOff() throws(SystemCallError) -> Bool {
    try SystemCalls.splitOff(keeping: lifeline, named: Self.name)
  }

  /// The guard's whole life.
  func stand() {
    do throws(SystemCallError) {
      if let word = try SystemCalls.read(lifeline, upTo: 1), !word.isEmpty { return }
      // Programs may have started others meanwhile.
      while killAll() { _ = try SystemCalls.wait(for: .readable, on: Self.noDescriptor, milliseconds: 1) }
    } catch {
      return
    }
  }

  /// poll(2) ignores it, and waits.
  private static let noDescriptor: Int32 = -1

  /// Returns whether anybody was there.
  private func killAll() -> Bool {
    guard let network = Self.network(of: "self") else { return false }
    let inside = ProcFile.numbers(in: "/proc", limit: .max)
      .filter { $0 != CurrentProcess.id && Self.network(of: "\($0)") == network }
    for process in inside { ProcessSignal.send(ProcessSignal.kill, to: process) }
    return !inside.isEmpty
  }

  /// `nil` for a process that has ended, and for one that is not ours.
  private static func network(of process: String) -> String? { ProcFile.link("/proc/\(process)/ns/net") }
}
