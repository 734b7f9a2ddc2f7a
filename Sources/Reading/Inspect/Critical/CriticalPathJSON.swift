package import TapelineHAR

extension CriticalPathSearch {
  /// The output of `critical --json`: times in milliseconds.
  package var json: HARValue {
    [
      "pages": .array(paths.map(\.json)), "undated": .number(HARNumber(undated)), "lifetimes": .number(HARNumber(lifetimes)),
    ]
  }
}

extension CriticalPath {
  /// A page: its paths as numbers of exchanges, and every exchange.
  package var json: HARValue {
    var members: HARObject = [
      "title": .string(title), "duration": .number(HARNumber(duration)),
      "paths": .array(paths.map { path in .array(path.map { .number(HARNumber(rows[$0].number)) }) }),
    ]
    if let costliest { members["costliest"] = .number(HARNumber(costliest.number)) }
    if let rival { members["rival"] = .number(HARNumber(rival.number)) }
    if let group {
      members["group"] = [
        "numbers": .array(group.numbers.map { .number(HARNumber($0)) }), "saves": .number(HARNumber(group.saving)),
      ]
    }
    members["conclusion"] = .string(CriticalPathText.sentence(about: self))
    members["exchanges"] = .array(rows.map(\.json))
    return .object(members)
  }
}

extension CriticalPath.Row {
  fileprivate var json: HARValue {
    var members: HARObject = [
      "number": .number(HARNumber(number)), "method": .string(method), "url": .string(url), "outcome": .string(outcome),
      "offset": .number(HARNumber(offset)), "client": .number(HARNumber(clientTime)), "duration": .number(HARNumber(duration)),
    ]
    if let slack { members["slack"] = .number(HARNumber(slack)) }
    members["saves"] = .number(HARNumber(saving))
    members["confidence"] = .number(HARNumber(confidence))
    members["why"] = .array(causes.map(\.json))
    return .object(members)
  }
}

extension CriticalPath.Cause {
  fileprivate var json: HARValue {
    [
      "number": .number(HARNumber(number)), "reason": .string(reason.rawValue), "confidence": .number(HARNumber(confidence)),
      "binding": .bool(isBinding),
    ]
  }
}
