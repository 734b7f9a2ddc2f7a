package import TapelineHAR

extension AssertionReport {
  /// For programs; times in milliseconds, sizes in bytes, shares of 1. Unknown values are omitted. `message` is present if there
  /// were too few exchanges, which counts as one of `failed`.
  package var json: HARValue {
    var members: HARObject = [
      "file": .string(file), "failed": .number(HARNumber(failures)), "skipped": .number(HARNumber(count(.skipped))),
      "passed": .number(HARNumber(count(.passed))), "exchanges": .number(HARNumber(floor.found)),
      "minExchanges": .number(HARNumber(floor.required)),
    ]
    if !floor.isMet { members["message"] = .string(floor.message) }
    members["rules"] = .array(results.map(\.json))
    return .object(members)
  }
}

extension AssertionResult {
  fileprivate var json: HARValue {
    var members: HARObject = ["rule": .string(assertion.text)]
    if let origin = assertion.origin {
      members["file"] = .string(origin.file)
      members["line"] = .number(HARNumber(origin.line))
    }
    members["outcome"] = .string(outcome.rawValue)
    members["message"] = .string(message)
    if let measured { members["measured"] = .number(HARNumber(measured)) }
    if let bound { members["bound"] = .number(HARNumber(bound)) }
    members["exchanges"] = .number(HARNumber(population))
    if outcome == .failed {
      members["offenders"] = .array(offenders.map(\.json))
      members["offenderCount"] = .number(HARNumber(offenderCount))
    }
    return .object(members)
  }
}

extension Offender {
  fileprivate var json: HARValue {
    [
      "number": .number(HARNumber(number)), "method": .string(method), "url": .string(url), "status": .number(HARNumber(status)),
      "facts": .object(HARObject(members: facts.map { HARObject.Member(name: $0.name, value: .string($0.text)) })),
    ]
  }
}
