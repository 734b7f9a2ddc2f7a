extension EntryLint {
  /// Two microseconds: sums of decimal fractions are not exact.
  private static let tolerance = 0.002

  mutating func checkTimings() {
    checkSigns()
    checkTLS()
    checkSum()
  }

  /// −1 means that a phase did not happen; sending, waiting and receiving always happen.
  private mutating func checkSigns() {
    for (name, phase) in [
      ("blocked", \HARTimings.blocked), ("dns", \HARTimings.dns), ("connect", \HARTimings.connect), ("ssl", \HARTimings.ssl),
    ] {
      guard let value = entry.timings[keyPath: phase], value < 0, value != -1 else { continue }
      entry.timings[keyPath: phase] = -1
      report(.negativePhase, at: path["timings"][name], "a phase that did not happen is −1")
    }
    for (name, phase) in [("send", \HARTimings.send), ("wait", \HARTimings.wait), ("receive", \HARTimings.receive)] {
      guard entry.timings[keyPath: phase] < 0 else { continue }
      entry.timings[keyPath: phase] = 0
      report(.negativePhase, at: path["timings"][name], "a phase that every exchange has is not negative")
    }
  }

  /// TLS is a part of connecting. If it was counted separately, `time` shows it, or `ssl` is longer than `connect`.
  private mutating func checkTLS() {
    guard let ssl = entry.timings.ssl, ssl > 0 else { return }
    let connect = max(entry.timings.connect ?? -1, 0)
    let isCountedBeside = (sum - entry.time).magnitude > Self.tolerance && (sum + ssl - entry.time).magnitude <= Self.tolerance
    guard isCountedBeside || ssl > connect + Self.tolerance else { return }
    entry.timings.connect = connect + ssl
    report(.sslOutsideConnect, at: path["timings"]["ssl"], "ssl lies inside of connect, and connect has it")
  }

  private mutating func checkSum() {
    guard (sum - entry.time).magnitude > Self.tolerance else { return }
    let path = path["time"]
    if sum == 0, entry.time > 0 {
      // Only the total was measured. It was mostly waiting.
      let isToldAlready = isReported(self.path["timings"])
      entry.timings.wait = entry.time
      if !isToldAlready { report(.wrongSum, at: path, "time is \(entry.time), and no phase took any") }
      return
    }
    report(.wrongSum, at: path, "time is \(entry.time), the phases make \(sum)")
    entry.time = sum
  }

  /// The correct value of `time`.
  private var sum: Double {
    let timings = entry.timings
    let phases = [timings.blocked ?? -1, timings.dns ?? -1, timings.connect ?? -1, timings.send, timings.wait, timings.receive]
    let sum = phases.reduce(0) { $0 + max($1, 0) }
    // Sums of thousandths have three decimals; any further decimals were not measured.
    let rounded = (sum * 1e6).rounded() / 1e6
    return rounded.isFinite ? rounded : 0
  }
}
