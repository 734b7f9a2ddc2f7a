internal import TapelineHAR
package import TapelineInspect

/// Prints the figures of `stats`.
package struct StatisticsPrinter {
  private let top: Int
  private let isJSON: Bool
  private let width: Int
  private let palette: Palette

  /// - Parameter top: the maximum number of groups and slowest exchanges.
  package init(top: Int, isJSON: Bool, width: Int, palette: Palette) {
    self.top = top
    self.isJSON = isJSON
    self.width = width
    self.palette = palette
  }

  /// - Throws: also after printing, when one of several captures could not be read.
  package func print(_ reading: StatisticsReading, by groupings: [StatisticsGrouping]) throws(CommandFailure) {
    var statistics = reading.statistics(by: groupings, slowest: top)
    var failure: CommandFailure?
    do throws(CommandFailure) {
      try reading.count(into: &statistics)
    } catch {
      // The others of several are a result.
      guard reading.hasSeveral else { throw error }
      failure = error
    }
    try print(statistics.json) { StatisticsText(statistics, groupCount: top, width: width, palette: palette).lines }
    if let failure { throw failure }
  }

  /// The figures of streams alone.
  ///
  /// - Parameter stall: a longer gap is a stall, in milliseconds.
  package func printStreams(
    of reading: StatisticsReading, by groupings: [StatisticsGrouping], stall: Double
  ) throws(CommandFailure) {
    var streams = StreamStatistics(by: groupings, stall: stall)
    try reading.count(into: &streams, by: groupings)
    try print(streams.json) { streams.lines(groupCount: top, width: width, palette: palette) }
  }

  private func print(_ json: @autoclosure () -> HARValue, _ lines: () -> [String]) throws(CommandFailure) {
    var output = StandardOutput()
    if isJSON { try output.write(json: json()) } else { try output.write(lines: lines()) }
    try output.flush()
  }
}
