internal import TapelineHAR

/// A recording's answer: the members of a result, or the failure.
enum ControlReply: Hashable, Sendable {
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
