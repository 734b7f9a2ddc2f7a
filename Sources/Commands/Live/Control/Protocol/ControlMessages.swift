package import TapelineOffline
package import TapelineHAR

/// A request to a recording.
package enum ControlRequest: Hashable, Sendable {
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
  /// The rules, after those with the numbers in `turned` were turned on or off.
  case rules(turned: [Int], off: Bool)
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
    case "rules":
      let turned = members["turned"]?.array?.compactMap(\.integer) ?? []
      self = .rules(turned: turned, off: members["off"] == .bool(true))
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
    case .rules(let turned, let off):
      ControlProtocol.line([
        "command": "rules", "turned": .array(turned.map { .number(HARNumber($0)) }), "off": .bool(off),
      ])
    case .stop: ControlProtocol.line(["command": "stop"])
    }
  }
}

/// A recording's answer: the members of a result, or the failure.
package enum ControlReply: Hashable, Sendable {
  case result(HARObject)
  case failure(CommandFailure)

  static let done = ControlReply.result([:])

  init(line: [UInt8]) throws(ControlMessageError) {
    var members = try ControlProtocol.members(ofLine: line)
    guard let isResult = members["ok"]?.bool else { throw .missing(member: "ok") }
    if isResult {
      members[ControlProtocol.versionMember] = nil
      members["ok"] = nil
      self = .result(members)
    } else {
      self = .failure(try Self.failure(members["error"]))
    }
  }

  private static func failure(_ error: HARValue?) throws(ControlMessageError) -> CommandFailure {
    guard let what = error?["what"]?.string, let why = error?["why"]?.string, let remedy = error?["remedy"]?.string,
      let status = error?["status"]?.integer.flatMap(Int32.init(exactly:)).flatMap(ExitStatus.init)
    else { throw .missing(member: "error") }
    return CommandFailure(status: status, what: what, why: why, remedy: remedy)
  }

  var line: [UInt8] {
    switch self {
    case .result(let members):
      ControlProtocol.line(HARObject(members: [.init(name: "ok", value: true)] + members.members))
    case .failure(let failure):
      ControlProtocol.line([
        "ok": false,
        "error": [
          "what": .string(failure.what), "why": .string(failure.why), "remedy": .string(failure.remedy),
          "status": .number(HARNumber(Int(failure.status.rawValue))),
        ],
      ])
    }
  }
}
