internal import TapelineHAR
package import TapelineInspect

/// Reads captures, or their indexes, for the figures of `stats`.
package struct StatisticsReading {
  private let fleet: CaptureFleet
  private let filter: Query?
  private let indexing: CaptureIndexing

  /// - Parameter filter: the exchanges to count; `nil` for all.
  package init(of fleet: CaptureFleet, filter: Query?, indexing: CaptureIndexing) {
    indexing.removeOrphans(beside: fleet.files)
    self.fleet = fleet
    self.filter = filter
    // Facts that an index does not have must be read in the capture.
    self.indexing = filter?.isKnownToIndex ?? true ? indexing : .never
  }

  /// Whether there are several captures.
  var hasSeveral: Bool { fleet.hasSeveral }

  /// Statistics for these exchanges, still without them.
  ///
  /// - Parameter slowest: how many of the slowest exchanges to keep.
  package func statistics(by groupings: [StatisticsGrouping], slowest: Int) -> CaptureStatistics {
    CaptureStatistics(by: groupings, slowest: slowest, filter: filter)
  }

  /// Counts all exchanges.
  ///
  /// - Throws: when a capture cannot be read; if it is one of several, the others are counted.
  package func count(into statistics: inout CaptureStatistics) throws(CommandFailure) {
    try fleet.forEach { (file) throws(CommandFailure) in try count(file, into: &statistics) }
  }

  /// Counts the streams among the exchanges, whose bodies no index has.
  ///
  /// - Throws: as above.
  package func count(into streams: inout StreamStatistics, by groupings: [StatisticsGrouping]) throws(CommandFailure) {
    let parts = StreamStatistics.parts(groupings).union(filter?.parts ?? [])
    try fleet.forEach { (file) throws(CommandFailure) in
      let source = try CaptureFile.source(file, for: parts.contains(.pageTitle) ? .again : .once)
      var capture = CaptureFile(source, parts: parts, filter: filter, bringsBodiesIn: true)
      while let (number, entry) = try capture.next() { streams.add(entry, number: number) }
    }
  }

  private func count(_ file: String, into statistics: inout CaptureStatistics) throws(CommandFailure) {
    let parts = CaptureStatistics.parts(statistics.groupings).union(filter?.parts ?? [])
    let source = try CaptureFile.source(file, for: parts.contains(.pageTitle) ? .again : .once)
    statistics.beginCapture(named: fleet.hasSeveral ? file : nil)
    // Facts that an index does not have must be read in the capture.
    if statistics.groupings.allSatisfy(\.isKnownToIndex), let index = indexing.index(of: source) {
      do throws(CaptureIndex.Damage) {
        return try statistics.add(index, of: file, filter: filter)
      } catch {
        throw CaptureIndexing.failure(file, error)
      }
    }
    var capture = CaptureFile(source, parts: parts, filter: filter)
    let needsOnlyFigures = statistics.needsOnlyFigures
    while true {
      if needsOnlyFigures, let (number, figures) = try capture.nextFigures() {
        statistics.add(figures, number: number)
      } else if let (number, entry) = try capture.next(onOther: { event in
        if case .member(let member) = event { statistics.add(member) }
      }) {
        statistics.add(entry, number: number)
      } else {
        return
      }
    }
  }
}
