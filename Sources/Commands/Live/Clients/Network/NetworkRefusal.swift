internal import TapelineSystem

/// Why a command cannot have a network of its own on this system.
package struct NetworkRefusal: Sendable, Hashable {
  let step: NetworkStep
  /// The code of the failed call (errno(3)).
  let code: Int32

  /// For the user, without a full stop: what cannot be done, why, and the setting to change.
  package var text: String {
    text { ProcFile.read($0, limit: 4096) }
  }

  /// - Parameter read: the content of a file, if it exists.
  func text(read: (String) -> [UInt8]?) -> String {
    let remedy =
      forbidding(read: read).map { "\($0.name) is \($0.value): an administrator can set it to \($0.remedy)" }
      ?? advice(read: read)
    return "cannot \(step.purpose): \(SystemCallError.text(of: code))" + (remedy.map { "; \($0)" } ?? "")
  }

  /// The advice where no setting forbids it.
  private func advice(read: (String) -> [UInt8]?) -> String? {
    switch step {
    case .rules: "the kernel needs nf_tables with tproxy and socket (modules nft_tproxy and nft_socket)"
    case .namespace where isFiltered(read: read):
      "a seccomp filter may forbid it, as those of containers do (docker run --security-opt seccomp=unconfined permits it)"
    case .link: "the kernel needs packet queues (modules nfnetlink_queue and nft_queue)"
    case .namespace, .users, .routes, .sockets, .counters, .guardian, .privileges: nil
    }
  }

  /// Whether a filter judges our system calls (proc(5), `Seccomp`).
  private func isFiltered(read: (String) -> [UInt8]?) -> Bool {
    let status = read("/proc/self/status").map { String(decoding: $0, as: UTF8.self) } ?? ""
    return status.split(separator: "\n").contains { $0.hasPrefix("Seccomp:") && $0.hasSuffix("2") }
  }

  private struct Setting {
    let name: String
    let path: String
    /// The value that forbids.
    let value: String
    let remedy: String
  }

  private static let settings = [
    Setting(
      name: "kernel.apparmor_restrict_unprivileged_userns", path: "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
      value: "1", remedy: "0"),
    Setting(
      name: "kernel.unprivileged_userns_clone", path: "/proc/sys/kernel/unprivileged_userns_clone", value: "0", remedy: "1"),
    Setting(
      name: "user.max_user_namespaces", path: "/proc/sys/user/max_user_namespaces", value: "0", remedy: "1000 or more"),
    Setting(
      name: "user.max_net_namespaces", path: "/proc/sys/user/max_net_namespaces", value: "0", remedy: "1000 or more"),
  ]

  private func forbidding(read: (String) -> [UInt8]?) -> Setting? {
    Self.settings.first { setting in
      guard let content = read(setting.path) else { return false }
      return String(decoding: content, as: UTF8.self).filter { !$0.isWhitespace } == setting.value
    }
  }
}
