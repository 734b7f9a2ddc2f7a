import TapelineHAR
import TapelineSystem

/// Measures parts of the hot path separately. The result is JSON on stdout; an argument selects benchmarks by part of their name.
@main
struct TapelineBench {
  static func main() throws {
    let wanted = CommandLine.arguments.dropFirst().first ?? ""
    let all =
      try HTTPBenchmarks.all() + JSONBenchmarks.all() + ReaderBenchmarks.all() + RecorderBenchmarks.all()
      + InspectBenchmarks.all() + CoreBenchmarks.all()
    let selected = all.filter { wanted.isEmpty || $0.name.contains(wanted) }
    guard !selected.isEmpty else {
      let names = all.map { "  \($0.name)\n" }.joined()
      let message = "tapeline-bench: no part's name contains \"\(wanted)\"; there are\n\(names)"
      try SystemCalls.writeAll(Array(message.utf8).span, to: StandardStream.error)
      CurrentProcess.exit(64)
    }
    print(json(of: try selected.map { try $0.measure() }))
  }

  private static func json(of measurements: [Measurement]) -> String {
    var writer = JSONWriter()
    writer.append(json: "{\"benchmarks\": [")
    for (index, measurement) in measurements.enumerated() {
      writer.append(json: index == 0 ? "\n  " : ",\n  ")
      writer.append(json: "{\"name\": ")
      writer.append(string: measurement.name)
      writer.append(json: ", \"cpuNanoseconds\": ")
      writer.append(number: measurement.median.rounded())
      writer.append(json: ", \"minimum\": ")
      writer.append(number: measurement.minimum.rounded())
      writer.append(json: ", \"repetitions\": ")
      writer.append(integer: measurement.repetitions)
      if let rate = measurement.megabytesPerSecond {
        writer.append(json: ", \"megabytesPerSecond\": ")
        writer.append(number: rate.rounded())
      }
      if let allocations = measurement.allocations {
        writer.append(json: ", \"allocations\": ")
        writer.append(number: (allocations * 100).rounded() / 100)
      }
      writer.append(byte: UInt8(ascii: "}"))
    }
    writer.append(json: "\n]}")
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}
