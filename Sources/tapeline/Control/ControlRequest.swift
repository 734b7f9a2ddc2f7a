internal import TapelineHAR

/// A request to a recording.
enum ControlRequest: Hashable, Sendable {
  case status
  /// The traffic since the start, by host.
  case traffic
  /// A new page begins.
  case mark(name: String)
  /// A copy of the log as it is now, at an absolute path.
  case snapshot(path: String)
  /// The log is closed and the next one begun.
  case rotate
  /// The clients that are passed through because they refused our certificate; `clear` forgets them.
  case passthrough(clear: Bool)
  /// The recording ends, as by SIGTERM.
  case stop

  init(line: [UInt8]) throws(ControlMessageError) {
    let members = try ControlProtocol.members(ofLine: line)
    let command = try Self.text("command", of: members)
    switch command {
    case "status": self = .status
    case "traffic": self = .traffic
    case "mark": self = .mark(name: try Self.text("name", of: members))
    case "snapshot": self = .snapshot(path: try Self.text("path", of: members))
    case "rotate": self = .rotate
    case "passthrough": self = .passthrough(clear: members["clear"] == .bool(true))
    case "stop": self = .stop
    case let other: throw .unknownCommand(other)
    }
  }

  private static func text(_ member: String, of members: HARObject) throws(ControlMessageError) -> String {
    guard let text = members[member]?.string else { throw .missing(member: member) }
    return text
  }

  var line: [UInt8] {
    switch self {
    case .status: ControlProtocol.line(["command": "status"])
    case .traffic: ControlProtocol.line(["command": "traffic"])
    case .mark(let name): ControlProtocol.line(["command": "mark", "name": .string(name)])
    case .snapshot(let path): ControlProtocol.line(["command": "snapshot", "path": .string(path)])
    case .rotate: ControlProtocol.line(["command": "rotate"])
    case .passthrough(let clear): ControlProtocol.line(["command": "passthrough", "clear": .bool(clear)])
    case .stop: ControlProtocol.line(["command": "stop"])
    }
  }
}
