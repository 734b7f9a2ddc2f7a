package import TapelineHAR

extension ExchangeRow {
  package init(number: Int, entry: HAREntry) {
    let status = entry.response.status
    let outcome: Outcome =
      RecordedFailure(entry) == nil ? .status(status) : .failed(status: status == 0 ? nil : status)
    self.init(
      number: number, startedDateTime: entry.startedDateTime, method: entry.request.method, url: entry.request.url,
      outcome: outcome, sent: known(entry.request.bodySize), received: known(entry.response.bodySize) ?? decodedSize(of: entry),
      phases: PhaseDurations(entry.timings), total: entry.time)
  }
}

extension PhaseDurations {
  /// HAR's −1, and any other negative figure, is a phase that did not happen.
  package init(_ timings: HARTimings) {
    self.init()
    self[.blocked] = happened(timings.blocked)
    self[.dns] = happened(timings.dns)
    self[.connect] = happened(timings.connect)
    self[.ssl] = happened(timings.ssl)
    self[.send] = happened(timings.send)
    self[.wait] = happened(timings.wait)
    self[.receive] = happened(timings.receive)
  }
}

private func happened(_ milliseconds: Double?) -> Double? {
  milliseconds.flatMap { $0 >= 0 ? $0 : nil }
}

private func known(_ size: Int) -> Int? {
  size >= 0 ? size : nil
}

/// For logs that have no size on the wire.
private func decodedSize(of entry: HAREntry) -> Int? {
  entry.response.content.size > 0 ? entry.response.content.size : nil
}
