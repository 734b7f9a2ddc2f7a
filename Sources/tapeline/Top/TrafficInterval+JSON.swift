internal import TapelineHAR

extension TrafficInterval {
  /// For scripts; times in milliseconds, rates per second.
  var json: HARValue {
    .object(
      HARObject(
        members: [
          .init(name: "seconds", value: .number(HARNumber(seconds))),
          .init(name: "inFlight", value: .number(HARNumber(inFlight))),
          .init(name: "openTunnels", value: .number(HARNumber(openTunnels))),
          .init(name: "clients", value: .number(HARNumber(clients))),
        ] + all.members + [.init(name: "hosts", value: .array(hosts.map(\.json)))]))
  }
}

extension TrafficInterval.Part {
  fileprivate var json: HARValue {
    .object(HARObject(members: [.init(name: "host", value: .string(name))] + members))
  }

  fileprivate var members: [HARObject.Member] {
    [
      .init(name: "perSecond", value: .number(HARNumber(perSecond))), .init(name: "failed", value: .number(HARNumber(failed))),
      .init(name: "errorResponses", value: .number(HARNumber(errorResponses))),
      .init(name: "bytesToServerPerSecond", value: .number(HARNumber(bytesToServerPerSecond))),
      .init(name: "bytesToClientPerSecond", value: .number(HARNumber(bytesToClientPerSecond))),
      .init(name: "p50", value: number(p50)), .init(name: "p95", value: number(p95)), .init(name: "max", value: number(maximum)),
      .init(name: "exchangesInAll", value: .number(HARNumber(exchangesInAll))),
    ]
  }

  private func number(_ value: Double?) -> HARValue {
    value.map { .number(HARNumber($0)) } ?? .null
  }
}
