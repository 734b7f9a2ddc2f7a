package import TapelineLoop
internal import TapelineSystem

/// A process of the command that went past the proxy, or may have.
package struct Bypass: Hashable, Sendable {
  /// The first word of its command line, without directories.
  package let program: String
  package let id: Int32
  /// The address that it was connected to. Absent if it was only seen to run.
  package let destination: SocketAddress?
  package let reason: Reason?

  /// The cause, if it can be told.
  package enum Reason: Hashable, Sendable {
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
  package init?(
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

/// Recognises programs built by Go: its linker puts a note at the front of the file (ELF, `.note.go.buildid`).
enum GoProgram {
  private static let searched = 8_192
  /// A note's type, which is 4, and its name.
  private static let mark: [UInt8] = [4, 0, 0, 0, UInt8(ascii: "G"), UInt8(ascii: "o"), 0, 0]
  private static let magic: [UInt8] = [0x7F, UInt8(ascii: "E"), UInt8(ascii: "L"), UInt8(ascii: "F")]

  static func isOne(_ path: String) -> Bool {
    do throws(SystemCallError) {
      return isOne(try WholeFile.readStart(path, limit: searched)[...])
    } catch {
      return false
    }
  }

  /// - Parameter start: the file's first bytes.
  static func isOne(_ start: ArraySlice<UInt8>) -> Bool {
    start.starts(with: magic) && start.contains(mark)
  }
}
