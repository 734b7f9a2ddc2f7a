import CAllocations
import TapelineSystem

/// One operation of the hot path.
struct Benchmark {
  let name: String
  /// What one operation reads or writes, where its rate is of interest.
  let bytes: Int?
  /// Whether all of its work is done on the calling thread, so that its allocations can be counted.
  let countsAllocations: Bool
  /// Does the operation so many times. What it returns depends on every repetition, so that none can be optimised away.
  let run: (Int) throws -> Int

  init(name: String, bytes: Int? = nil, countsAllocations: Bool = false, run: @escaping (Int) throws -> Int) {
    self.name = name
    self.bytes = bytes
    self.countsAllocations = countsAllocations
    self.run = run
  }
}

/// What one operation of a benchmark costs.
struct Measurement {
  let name: String
  /// CPU nanoseconds per operation, the middle of the samples and the best of them.
  let median: Double
  let minimum: Double
  /// Operations in each sample.
  let repetitions: Int
  let bytes: Int?
  /// Per operation, where they were counted.
  let allocations: Double?

  /// 10⁶ bytes in a second of CPU time, in the middle of the samples.
  var megabytesPerSecond: Double? {
    bytes.map { Double($0) / median * 1000 }
  }
}

extension Benchmark {
  private static let sampleCount = 11
  /// Long enough that the clock's own cost and resolution vanish.
  private static let sampleNanoseconds: Int64 = 50_000_000

  func measure() throws -> Measurement {
    var repetitions = 1
    while try cpuNanoseconds(repetitions) < Self.sampleNanoseconds { repetitions *= 2 }
    var samples: [Double] = []
    for _ in 0..<Self.sampleCount {
      samples.append(Double(try cpuNanoseconds(repetitions)) / Double(repetitions))
    }
    samples.sort()
    return Measurement(
      name: name, median: samples[samples.count / 2], minimum: samples[0], repetitions: repetitions, bytes: bytes,
      allocations: countsAllocations ? try allocations(repetitions) : nil)
  }

  private func allocations(_ repetitions: Int) throws -> Double {
    let before = tapeline_allocations()
    _ = try run(repetitions)
    return Double(tapeline_allocations() - before) / Double(repetitions)
  }

  private func cpuNanoseconds(_ repetitions: Int) throws -> Int64 {
    let start = SystemClock.processNanoseconds
    let evidence = try run(repetitions)
    let end = SystemClock.processNanoseconds
    precondition(evidence != 0, "a benchmark did nothing")
    return end - start
  }
}
