package import TapelineHAR

extension PhaseDurations {
  /// HAR's −1, or any other negative figure, means that a phase did not happen.
  ///
  /// `blocked` is the rest of HAR's `blocked` if the client's part is a phase of its own.
  package init(_ entry: HAREntry) {
    self.init()
    let timings = entry.timings
    let client = entry.clientTime
    self[.client] = client > 0 ? client : nil
    self[.blocked] = happened(timings.blocked).map { ($0 - client).roundedToNanoseconds(if: client > 0) }
    self[.dns] = happened(timings.dns)
    self[.connect] = happened(timings.connect)
    self[.ssl] = happened(timings.ssl)
    self[.send] = happened(timings.send)
    self[.wait] = happened(timings.wait)
    self[.receive] = happened(timings.receive)
  }
}

extension HAREntry {
  /// How long the exchange took in milliseconds, without the client's own part. Rankings use this value.
  ///
  /// HAR's `time` includes that part: before the first request in a tunnel, most of it is a client that reads its authorities.
  package var total: Double {
    let client = clientTime
    return (time - client).roundedToNanoseconds(if: client > 0)
  }

  /// The client's own part of `timings.blocked`, which our logs have; 0 if a log has none, or an absurd value.
  var clientTime: Double {
    guard let client = custom["_blocked"]?["client"]?.double, client > 0, let blocked = timings.blocked, blocked > 0 else {
      return 0
    }
    return min(client, blocked)
  }
}

extension Double {
  /// A difference of figures with three decimals has at most three decimals.
  fileprivate func roundedToNanoseconds(if condition: Bool) -> Double {
    condition ? Swift.max(0, (self * 1_000_000).rounded() / 1_000_000) : self
  }
}

private func happened(_ milliseconds: Double?) -> Double? {
  milliseconds.flatMap { $0 >= 0 ? $0 : nil }
}
