package import TapelineHAR

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
