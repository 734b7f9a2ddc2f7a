package import TapelineHAR

/// Merges several logs into one: all pages, and the entries in the order in which their exchanges began.
///
/// Each log is read twice: once to find the positions of its entries (a few dozen bytes of memory for each), once to copy them
/// unchanged.
package struct CaptureMerge {
  /// Why a merge failed.
  package enum Failure<SinkFailure: Error>: Error {
    /// The log at this position in the list of inputs cannot be read.
    case source(Int, CaptureError)
    case sink(SinkFailure)
  }

  private struct Place {
    let start: Int
    let source: Int32
    let entry: Int32
  }

  private let sources: [MergeSource]
  /// For each merged entry in order, its log and its place there.
  private let order: [Place]

  /// Reads every log once, from sources that can be read anywhere.
  package init(_ inputs: [InputSource]) throws(Failure<Never>) {
    var sources: [MergeSource] = []
    var ids: Set<String> = []
    for (index, input) in inputs.enumerated() {
      do throws(CaptureError) {
        sources.append(try MergeSource(input))
      } catch {
        throw .source(index, error)
      }
      sources[index].claimIDs(&ids)
    }
    var order: [Place] = []
    for (index, source) in sources.enumerated() {
      for (number, entry) in source.entries.enumerated() {
        order.append(Place(start: entry.start, source: Int32(index), entry: Int32(number)))
      }
    }
    order.sort { ($0.start, $0.source, $0.entry) < ($1.start, $1.source, $1.entry) }
    self.sources = sources
    self.order = order
  }

  /// The number of entries.
  package var entryCount: Int { order.count }

  /// Writes the merged log, whose creator is `creator`.
  package func write<SinkFailure: Error>(
    creator: HARCreator, sink: @escaping (Span<UInt8>) throws(SinkFailure) -> Void
  ) throws(Failure<SinkFailure>) {
    var writer = HARWriter(log(creator), sink: sink)
    for place in order {
      let bytes = try bytes(at: place, SinkFailure.self)
      do throws(SinkFailure) {
        try writer.write(json: bytes.span)
      } catch {
        throw .sink(error)
      }
    }
    do throws(SinkFailure) {
      try writer.finish()
    } catch {
      throw .sink(error)
    }
  }

  private func bytes<SinkFailure: Error>(
    at place: Place, _: SinkFailure.Type
  ) throws(Failure<SinkFailure>) -> [UInt8] {
    let source = sources[Int(place.source)]
    do throws(CaptureError) {
      return try source.bytes(of: source.entries[Int(place.entry)])
    } catch {
      throw .source(Int(place.source), error)
    }
  }

  /// The header of the merged log: `_merged` has a summary of each source log.
  private func log(_ creator: HARCreator) -> HARLog {
    let comments = sources.compactMap { source in source.comment.map { "\(source.name): \($0)" } }
    var log = HARLog(
      creator: creator, browser: commonBrowser, pages: sources.flatMap(\.pages),
      comment: comments.isEmpty ? nil : comments.joined(separator: "; "))
    log.custom["_merged"] = .array(sources.map(\.summary))
    if let dropped { log.custom["_dropped"] = dropped }
    return log
  }

  /// The browser, if all logs have the same.
  private var commonBrowser: HARCreator? {
    guard let first = sources.first?.browser, sources.allSatisfy({ $0.browser == first }) else { return nil }
    return first
  }

  /// The gaps that the logs report, added up.
  private var dropped: HARValue? {
    var sum = HARObject()
    for member in sources.flatMap({ $0.members["_dropped"]?.object?.members ?? [] }) {
      guard let count = member.value.integer else { continue }
      sum[member.name] = .number(HARNumber((sum[member.name]?.integer ?? 0) + count))
    }
    return sum.isEmpty ? nil : .object(sum)
  }
}
