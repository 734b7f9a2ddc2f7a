package import TapelineLoop
internal import TapelineSystem

/// A program of the command that went past the proxy, or may have.
package struct Bypass: Hashable, Sendable {
  /// The first word of its command line, without directories.
  package let program: String
  package let id: Int32
  /// The address that it was connected to. Absent if it was only seen to run.
  package let destination: SocketAddress?
  package let reason: Reason?
  /// How many connections to the address came about; 0 if it only tried.
  package var connections: Int

  /// The cause, if it can be told.
  package enum Reason: Hashable, Sendable {
    /// No proxy variable of its environment names ours.
    case noProxyNamed
    /// A variable excepts something, and its value is not the one that we gave it.
    case excepted(variable: String, value: String)
    /// Node.js without our script: older versions do not take proxies from the environment by themselves.
    case nodeWithoutScript
    /// A language whose programs use no proxy for this machine.
    case language(Language)
  }

  /// Languages whose libraries use no proxy for loopback addresses, whatever the variables say.
  package enum Language: String, Sendable {
    case go = "Go"
    /// `URI::Generic#find_proxy`.
    case ruby = "Ruby"
  }

  package init(program: String, id: Int32, destination: SocketAddress?, reason: Reason?, connections: Int = 1) {
    self.program = program
    self.id = id
    self.destination = destination
    self.reason = reason
    self.connections = connections
  }
}

/// How a command went past the proxy, as far as could be seen.
package struct BypassReport: Sendable {
  /// Connections that came about, for each program and address.
  package var connections: [Bypass] = []
  /// Programs that only tried, or would have.
  package var suspects: [Bypass] = []
  /// Connections that were too short for anybody to say whose they were: the command's, or another program's.
  package var unattributed: [Unattributed] = []
  /// Whether no connection can have been missed. Otherwise, those of a few milliseconds may be.
  package var isComplete = false

  package struct Unattributed: Hashable, Sendable {
    package let destination: SocketAddress
    package let connections: Int

    package init(destination: SocketAddress, connections: Int) {
      self.destination = destination
      self.connections = connections
    }
  }

  package init() {}

  package var count: Int { connections.reduce(0) { $0 + $1.connections } }
}

extension Bypass.Reason {
  /// - Parameters:
  ///   - language: the language that the program is written in, if it matters.
  ///   - environment: the variables with which the process was started; `nil` if they are not known.
  ///   - given: the variables that we gave the command.
  ///   - destination: the address that the process is connected to, if that is known.
  package init?(
    program: String, language: Bypass.Language?, environment: [String: String]?, given: [String: String],
    destination: SocketAddress?
  ) {
    if let environment, !Self.proxyNames.contains(where: { environment[$0] != nil && environment[$0] == given[$0] }) {
      self = .noProxyNamed
    } else if let environment, let name = Self.exceptionNames.first(where: { Self.excepts($0, environment, given) }) {
      self = .excepted(variable: name, value: environment[name] ?? "")
    } else if let language, destination?.isLoopback ?? true {
      self = .language(language)
    } else if let environment, program == "node", environment[NodeEnvironment.variable]?.contains(NodeScript.name) != true {
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
