internal import TapelineBase
package import TapelineHAR

extension CaptureStatistics {
  /// The output of `stats --json`: times in milliseconds, sizes in bytes; unknown values are omitted.
  package var json: HARValue {
    var members: HARObject = [
      "exchanges": .number(HARNumber(all.exchanges)), "failures": .number(HARNumber(all.failures)),
      "ended": .number(HARNumber(all.ended)),
      "tunnels": .number(HARNumber(tunnels)), "sent": .number(HARNumber(all.sentBytes)),
      "received": .number(HARNumber(all.receivedBytes)), "newConnections": .number(HARNumber(newConnections)),
      "reusedConnections": .number(HARNumber(reusedConnections)), "total": all.total.json,
    ]
    if switched > 0 { members["webSockets"] = .number(HARNumber(switched)) }
    if crashes > 0 { members["crashes"] = .number(HARNumber(crashes)) }
    if bypassed > 0 { members["bypassed"] = .number(HARNumber(bypassed)) }
    if captures > 1 { members["captures"] = .number(HARNumber(captures)) }
    var phases: HARObject = [:]
    for phase in Phase.allCases where self[phase].count > 0 { phases[phase.name] = self[phase].json }
    members["phases"] = .object(phases)
    members["overhead"] = ["request": overheadOnRequests.json, "response": overheadOnResponses.json]
    let ranked = rankedGroups
    members["groups"] = .array(ranked.prefix(Self.namedGroups).map(json))
    var rest = others
    for group in ranked.dropFirst(Self.namedGroups) {
      var sum = rest.take() ?? GroupStatistics()
      sum.add(group.statistics)
      rest = sum
    }
    if let rest { members["otherGroups"] = .object(rest.json(named: "")) }
    members["slowest"] = .array(slowest.exchanges.map(\.json))
    members["failuresByKind"] = .array(rankedFailures.map { $0.occurrences.json(of: $0.failure, as: "failure") })
    members["errorStatuses"] = .array(rankedErrorStatuses.map { $0.occurrences.json(of: $0.failure, as: "status") })
    return .object(members)
  }

  private static let namedGroups = 1_000

  /// A group of several values also has each of them.
  private func json(_ group: Group) -> HARValue {
    var members = group.statistics.json(named: group.name)
    guard groupings.count > 1 else { return .object(members) }
    var key: HARObject = [:]
    for (grouping, value) in zip(groupings, group.key) { key[grouping.name] = .string(value) }
    members["by"] = .object(key)
    return .object(members)
  }
}

extension Distribution {
  var json: HARValue {
    var members: HARObject = ["count": .number(HARNumber(count))]
    for (name, percent) in [("p50", 50.0), ("p90", 90), ("p95", 95), ("p99", 99)] {
      if let value = percentile(percent) { members[name] = .number(HARNumber(value)) }
    }
    if let mean { members["mean"] = .number(HARNumber(mean)) }
    if let maximum { members["max"] = .number(HARNumber(maximum)) }
    return .object(members)
  }
}

extension GroupStatistics {
  fileprivate func json(named name: String) -> HARObject {
    [
      "name": .string(name), "exchanges": .number(HARNumber(exchanges)), "failures": .number(HARNumber(failures)),
      "ended": .number(HARNumber(ended)),
      "sent": .number(HARNumber(sentBytes)), "received": .number(HARNumber(receivedBytes)), "wait": wait.json,
      "total": total.json,
    ]
  }
}

extension SlowestExchanges.Exchange {
  fileprivate var json: HARValue {
    var members: HARObject = [
      "number": .number(HARNumber(place.number)), "method": .string(method), "url": .string(url),
      "status": .number(HARNumber(status)),
      "total": .number(HARNumber(total)), "longest": .string(longest.name),
      "longestDuration": .number(HARNumber(longestDuration)),
    ]
    if let file = place.file { members["file"] = .string(file) }
    return .object(members)
  }
}

extension CaptureStatistics.Occurrences {
  fileprivate func json(of failure: CaptureStatistics.Failure, as name: String) -> HARValue {
    var members: HARObject = [:]
    members[name] = .string(failure.description)
    members["count"] = .number(HARNumber(count))
    members["first"] = .number(HARNumber(first.number))
    if let file = first.file { members["file"] = .string(file) }
    return .object(members)
  }
}
