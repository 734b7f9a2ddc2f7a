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
    var phases: HARObject = [:]
    for phase in Phase.allCases where self[phase].count > 0 { phases[phase.name] = self[phase].json }
    members["phases"] = .object(phases)
    members["overhead"] = ["request": overheadOnRequests.json, "response": overheadOnResponses.json]
    members["groups"] = .array(rankedGroups.map { $0.statistics.json(named: $0.name) })
    if let others { members["otherGroups"] = others.json(named: "") }
    members["slowest"] = .array(slowest.exchanges.map(\.json))
    members["failuresByKind"] = .array(rankedFailures.map { $0.occurrences.json(of: $0.failure, as: "failure") })
    members["errorStatuses"] = .array(rankedErrorStatuses.map { $0.occurrences.json(of: $0.failure, as: "status") })
    return .object(members)
  }
}

extension Distribution {
  fileprivate var json: HARValue {
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
  fileprivate func json(named name: String) -> HARValue {
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
    [
      "number": .number(HARNumber(number)), "method": .string(method), "url": .string(url), "status": .number(HARNumber(status)),
      "total": .number(HARNumber(total)), "longest": .string(longest.name),
      "longestDuration": .number(HARNumber(longestDuration)),
    ]
  }
}

extension CaptureStatistics.Occurrences {
  fileprivate func json(of failure: CaptureStatistics.Failure, as name: String) -> HARValue {
    .object(
      HARObject(members: [
        HARObject.Member(name: name, value: .string(failure.description)),
        HARObject.Member(name: "count", value: .number(HARNumber(count))),
        HARObject.Member(name: "first", value: .number(HARNumber(first))),
      ]))
  }
}
