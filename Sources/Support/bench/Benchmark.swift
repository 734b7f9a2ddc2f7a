import CAllocations
import TapelineSystem

/// One operation of the hot path.
struct Benchmark {
  let name: String
  /// The bytes that one operation reads or writes, if its rate is of interest.
  let bytes: Int?
  /// Whether the calling thread does all of the work, so that its allocations can be counted.
  let countsAllocations: Bool
  /// Does the operation this many times. The result depends on every repetition, so that none can be optimised away.
  let run: (Int) throws -> Int

  init(name: String, bytes: Int? = nil, countsAllocations: Bool = false, run: @escaping (Int) throws -> Int) {
    self.name = name
    self.bytes = bytes
    self.countsAllocations = countsAllocations
    self.run = run
  }
}

/// The cost of one operation of a benchmark.
struct Measurement {
  let name: String
  /// CPU nanoseconds per operation: the median and the best of the samples.
  let median: Double
  let minimum: Double
  /// Operations in each sample.
  let repetitions: Int
  let bytes: Int?
  /// Per operation, if they were counted.
  let allocations: Double?

  /// 10⁶ bytes per second of CPU time, for the median of the samples.
  var megabytesPerSecond: Double? {
    bytes.map { Double($0) / median * 1000 }
  }
}

extension Benchmark {
  private static let sampleCount = 11
  /// Long enough to make the clock's own cost and resolution negligible.
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
