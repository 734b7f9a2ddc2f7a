internal import TapelineLoop

/// A process of the command that went past the proxy, or may have.
struct Bypass: Hashable, Sendable {
  /// The first word of its command line, without directories.
  let program: String
  let id: Int32
  /// The address that it was connected to. Absent if it was only seen to run.
  let destination: SocketAddress?
  let reason: Reason?

  /// The cause, if it can be told.
  enum Reason: Hashable, Sendable {
    /// No proxy variable of its environment names ours.
    case noProxyNamed
    /// A variable excepts something, and its value is not the one that we gave it.
    case excepted(variable: String, value: String)
    /// Node.js without our script: older versions do not take proxies from the environment by themselves.
    case nodeWithoutScript
    /// Go, whose programs use no proxy for this machine.
    case go
  }
}

extension Bypass.Reason {
  /// - Parameters:
  ///   - environment: the process's environment as it was started; also empty if unreadable. After a connection, it is readable.
  ///   - given: the variables that we gave the command.
  ///   - destination: the address that the process is connected to, if that is known.
  init?(
    program: String, isGo: Bool, environment: [String: String], given: [String: String], destination: SocketAddress?
  ) {
    let isReadable = destination != nil || !environment.isEmpty
    if isReadable, !Self.proxyNames.contains(where: { environment[$0] != nil && environment[$0] == given[$0] }) {
      self = .noProxyNamed
    } else if isReadable, let name = Self.exceptionNames.first(where: { Self.excepts($0, environment, given) }) {
      self = .excepted(variable: name, value: environment[name] ?? "")
    } else if isGo, destination?.isLoopback ?? true {
      self = .go
    } else if isReadable, program == "node", environment[NodeEnvironment.variable]?.contains(NodeScript.name) != true {
      self = .nodeWithoutScript
    } else {
      return nil
    }
  }

  private static let proxyNames = ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY"]
  private static let exceptionNames = ["no_proxy", "NO_PROXY", "no_grpc_proxy"]

  private static func excepts(_ name: String, _ environment: [String: String], _ given: [String: String]) -> Bool {
    guard let value = environment[name], !value.isEmpty else { return false }
    return value != given[name]
  }
}
