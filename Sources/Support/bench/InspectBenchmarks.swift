import TapelineHAR
import TapelineInspect

/// The work of `list` and `stats` on each entry beyond reading it.
enum InspectBenchmarks {
  static func all() throws -> [Benchmark] {
    let entry = try HAREntry(json: Array(ReaderBenchmarks.entry.utf8))
    return [
      try matching("inspect.query.plain", #"host ~ "api" and status >= 500"#, entry),
      try matching("inspect.query.expression", #"url ~ "/(stories|events)/20[0-9]+/" and wait > 5ms"#, entry),
      try matching("inspect.query.header", #"resp.header["etag"] and not req.header["range"]"#, entry),
      statistics(entry),
      row("inspect.list.80", width: 80, entry),
      row("inspect.list.160", width: 160, entry),
    ]
  }

  private static func matching(_ name: String, _ text: String, _ entry: HAREntry) throws -> Benchmark {
    let query = try Query(text)
    return Benchmark(name: name) { repetitions in
      (0..<repetitions).reduce(1) { $0 + (query.matches(entry, number: $1) ? 1 : 0) }
    }
  }

  private static func statistics(_ entry: HAREntry) -> Benchmark {
    Benchmark(name: "inspect.stats") { repetitions in
      var statistics = CaptureStatistics(by: [.host])
      for number in 0..<repetitions { statistics.add(entry, number: number) }
      return statistics.all.exchanges
    }
  }

  private static func row(_ name: String, width: Int, _ entry: HAREntry) -> Benchmark {
    let table = ExchangeTable(columns: .standard(width: width), width: width, palette: Palette(isColored: false), clock: .local)
    return Benchmark(name: name) { repetitions in
      var groups = table.groups
      // The first rows of a group are held back.
      return (0..<repetitions).reduce(1) { $0 + groups.lines(adding: table.row(for: entry, number: $1)).count }
    }
  }
}
