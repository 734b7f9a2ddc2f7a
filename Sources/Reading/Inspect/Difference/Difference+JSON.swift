package import TapelineHAR

extension Difference {
  /// For programs: times in milliseconds, sizes in bytes; unknown values are omitted.
  package func json(verdicts: [LimitVerdict]) -> HARValue {
    [
      "headline": .string(headline), "findings": .array(findings.map(\.json)), "before": before.json, "after": after.json,
      "times": .array(times.map(\.json)),
      "requests": .array(requests.map(\.json)), "newRequests": .array(added.map(\.json)),
      "removedRequests": .array(removed.map(\.json)), "newHosts": .array(newHosts.map(HARValue.string)),
      "headers": .array(headers.map(\.json)), "limits": .array(verdicts.map(\.json)),
      "remarks": .array(remarks.map(HARValue.string)),
    ]
  }
}

extension CaptureProfile {
  fileprivate var json: HARValue {
    [
      "file": .string(file), "exchanges": .number(HARNumber(exchanges)), "failures": .number(HARNumber(failures)),
      "errors": .number(HARNumber(errorCount)), "requests": .number(HARNumber(requests.count)),
      "decoded": .number(HARNumber(decoded.total)), "wire": .number(HARNumber(wire.total)),
    ]
  }
}

extension Finding {
  fileprivate var json: HARValue {
    var members: HARObject = ["kind": .string(kind.rawValue), "text": .string(text)]
    if let request {
      members["method"] = .string(request.method)
      members["url"] = .string(request.url)
      if !request.operation.isEmpty { members["operation"] = .string(request.operation) }
    }
    return .object(members)
  }
}

extension TimeVerdict {
  /// The typical change in percent, its interval, and the direction if that is more than chance; `nil` with too few exchanges.
  fileprivate var json: HARValue? {
    guard let typical else { return nil }
    var members: HARObject = [
      "changePercent": .number(HARNumber(((typical.factor - 1) * 100).roundedToThousandths)),
      "interval": [
        .number(HARNumber(typical.interval.lower.roundedToThousandths)),
        .number(HARNumber(typical.interval.upper.roundedToThousandths)),
      ],
    ]
    if let direction { members["verdict"] = .string(direction == .slower ? "slower" : "faster") }
    return .object(members)
  }
}

extension TimeChange {
  fileprivate var json: HARValue {
    var members: HARObject = [
      "time": .string(part.name), "percentile": .number(HARNumber(percent)), "before": .number(HARNumber(before)),
      "after": .number(HARNumber(after)), "change": .number(HARNumber(difference.roundedToThousandths)),
      "beforeCount": .number(HARNumber(beforeCount)), "afterCount": .number(HARNumber(afterCount)),
    ]
    if let relative { members["changePercent"] = .number(HARNumber(relative.roundedToThousandths)) }
    if let interval {
      members["interval"] = [
        .number(HARNumber(interval.lower.roundedToThousandths)), .number(HARNumber(interval.upper.roundedToThousandths)),
      ]
      members["significant"] = .bool(isSignificant)
    }
    return .object(members)
  }
}

extension RequestDifference {
  fileprivate var json: HARValue {
    var members: HARObject = [
      "method": .string(request.method), "url": .string(request.url), "before": before.json, "after": after.json,
      "times": .array(times.map(\.json)),
      "status": .array(
        outcomes.map { change in
          [
            "before": .string(change.before.text), "after": .string(change.after.text),
            "count": .number(HARNumber(change.count)), "beforeNumber": .number(HARNumber(change.beforeNumber)),
            "afterNumber": .number(HARNumber(change.afterNumber)),
          ]
        }),
      "redirects": .array(redirects.map(\.json)), "versions": .array(versions.map(\.json)),
    ]
    if !request.operation.isEmpty { members["operation"] = .string(request.operation) }
    if let typical = verdict.json { members["typical"] = typical }
    return .object(members)
  }
}

extension ChangeCount<String> {
  fileprivate var json: HARValue {
    [
      "before": .string(before), "after": .string(after), "count": .number(HARNumber(count)),
      "beforeNumber": .number(HARNumber(beforeNumber)), "afterNumber": .number(HARNumber(afterNumber)),
    ]
  }
}

extension RequestProfile {
  fileprivate var json: HARValue {
    var members: HARObject = [
      "method": .string(request.method), "url": .string(request.url), "exchanges": .number(HARNumber(count)),
      "firstNumber": .number(HARNumber(firstNumber)),
      "status": .object(
        HARObject(
          members: rankedOutcomes.map { HARObject.Member(name: $0.outcome.text, value: .number(HARNumber($0.count))) })),
    ]
    if let mean = decoded.mean { members["meanDecoded"] = .number(HARNumber(mean.roundedToThousandths)) }
    if let mean = wire.mean { members["meanWire"] = .number(HARNumber(mean.roundedToThousandths)) }
    return .object(members)
  }
}

extension HeaderChange {
  fileprivate var json: HARValue {
    var members: HARObject = ["side": .string(side.rawValue), "name": .string(name)]
    if let before { members["before"] = .string(before) }
    if let after { members["after"] = .string(after) }
    members["varies"] = .bool(varies)
    members["exchanges"] = .number(HARNumber(count))
    members["requests"] = .number(HARNumber(requestCount))
    members["beforeNumber"] = .number(HARNumber(beforeNumber))
    members["afterNumber"] = .number(HARNumber(afterNumber))
    return .object(members)
  }
}

extension LimitVerdict {
  fileprivate var json: HARValue {
    [
      "limit": .string(limit), "broken": .bool(isBroken), "message": .string(message),
      "details": .array(details.map(HARValue.string)),
    ]
  }
}

extension Double {
  /// With three decimals: differences of figures with three decimals have no more.
  fileprivate var roundedToThousandths: Double { (self * 1_000).rounded() / 1_000 }
}
