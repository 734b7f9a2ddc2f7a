internal import CProcessors

/// The processors, by number, on which this thread may run.
package func allowedProcessors() -> [Int] {
  let set = ownProcessors()
  return unsafe withUnsafeBytes(of: set) { bytes in
    (0..<bytes.count * 8).filter { unsafe bytes[$0 / 8] & 1 << UInt8($0 % 8) != 0 }
  }
}

/// Runs `body` on one processor alone.
package func onProcessor<Value>(_ number: Int, _ body: () throws -> Value) rethrows -> Value {
  let before = ownProcessors()
  var one = cpu_set_t()
  unsafe withUnsafeMutableBytes(of: &one) { unsafe $0[number / 8] = 1 << UInt8(number % 8) }
  bind(to: one)
  defer { bind(to: before) }
  return try body()
}

private func ownProcessors() -> cpu_set_t {
  var set = cpu_set_t()
  let result = unsafe tapeline_get_processors(&set)
  precondition(result == 0, "the kernel did not say on which processors this thread may run")
  return set
}

private func bind(to set: cpu_set_t) {
  var set = set
  let result = unsafe tapeline_set_processors(&set)
  precondition(result == 0, "the kernel did not bind this thread to processors of its own")
}
