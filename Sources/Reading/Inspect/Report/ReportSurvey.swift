package import TapelineHAR

/// The first pass over a capture: how large its report would be, and what must be cut to keep it within its limit.
package struct ReportSurvey: ~Copyable {
  private let options: ReportOptions
  private var blocks = ReportBlocks()
  private var exchangeCount = 0
  /// The exchanges whose size was measured.
  private var measured = 0
  /// Bytes of everything that is not a body.
  private var frameSize = 0
  private var ranks = ReportSelection.Survey()
  /// Bytes of the measured exchanges in a report that cuts all bodies.
  private var rankedSize = 0
  private var bodySizes = BodySizes()
  private var critical = ReportCriticalPath()
  /// Bytes of bodies as they are in the page; escapes make them longer.
  private var escapedSize = 0

  /// Once it is clear that bodies will be cut, only this much of each is escaped; the rest is assumed to grow at the same rate.
  private static let sampleSize = 4 << 10

  /// Bytes of the block of a body that is left out, about.
  private static let bodyFrameSize = 88

  package init(_ options: ReportOptions) {
    self.options = options
  }

  /// Whether of the exchanges that follow only the rank counts: the report is already full, even if all bodies were left out.
  package var isSettled: Bool { frameSize >= budgetForFrames }

  /// The number of bytes that are needed of each body that follows; `nil` for all.
  package var bodyLimit: Int? { escapedSize > budgetForFrames - frameSize ? Self.sampleSize : nil }

  private var budgetForFrames: Int { options.sizeLimit - ReportPage.size }

  package mutating func add(_ entry: HAREntry, number: Int) {
    exchangeCount += 1
    guard !isSettled else {
      // They are about as large as the ones before.
      ranks.add(entry, bytes: rankedSize / max(1, measured))
      return
    }
    measured += 1
    critical.add(entry, number: number)
    let shown = ReportEntry(entry, number: number, bodies: options.bodies, bodyLimit: bodyLimit)
    let size = blocks.append(row: shown) + blocks.append(shown) + ReportCriticalPath.rowSize
    let bodies = [shown.requestBody, shown.responseBody].count { $0 != nil }
    ranks.add(entry, bytes: size + bodies * Self.bodyFrameSize)
    rankedSize += size + bodies * Self.bodyFrameSize
    frameSize += size
    _ = blocks.discard()
    var (kept, whole) = (0, 0)
    for body in [shown.requestBody, shown.responseBody] {
      guard let body, let text = body.text?.utf8 else { continue }
      kept += text.count
      whole += text.count + body.leftOut
      bodySizes.add(text.count + body.leftOut)
    }
    blocks.append(bodiesOf: shown)
    let escaped = blocks.discard()
    escapedSize += kept == whole ? escaped : Int(saturating: Double(escaped) * Double(whole) / Double(kept))
  }

  /// Takes a page of the log: when it was loaded is an edge of the critical path.
  package mutating func add(_ page: HARPage) {
    critical.add(page)
  }

  package var plan: ReportPlan {
    let selection = ranks.selection(within: budgetForFrames)
    // A path through exchanges that are not there explains nothing.
    var critical = selection == nil ? self.critical : ReportCriticalPath()
    critical.close()
    return ReportPlan(
      options: options, exchangeCount: exchangeCount, bodyLimit: plannedLimit, selection: selection, critical: critical)
  }

  private var plannedLimit: Int? {
    guard !isSettled else { return 0 }
    let budget = max(0, budgetForFrames - frameSize)
    guard escapedSize > budget else { return nil }
    let share = Double(bodySizes.total) / Double(escapedSize)
    return bodySizes.limit(within: Int(saturating: Double(budget) * share))
  }
}

/// The result of a survey.
package struct ReportPlan: Sendable {
  let options: ReportOptions
  let exchangeCount: Int
  /// The maximum number of bytes of a body's text to keep; `nil` for any number.
  let bodyLimit: Int?
  /// The exchanges to keep; `nil` for all.
  let selection: ReportSelection?
  let critical: ReportCriticalPath

  /// The number of bytes of each body's text that a writer needs, in whole groups of base64; `nil` for all.
  package var readingLimit: Int? { bodyLimit.map { (max($0, ReportCriticalPath.leastBody) + 3) / 4 * 4 } }
}

/// The number of bodies by size, to find where to cut them; its memory does not grow with their number.
struct BodySizes: Sendable, Hashable {
  private var counts = [Int](repeating: 0, count: SizeBuckets.count)
  private var sums = [Int](repeating: 0, count: SizeBuckets.count)
  private(set) var total = 0

  mutating func add(_ size: Int) {
    guard size > 0 else { return }
    let bucket = SizeBuckets.bucket(of: size)
    counts[bucket] += 1
    sums[bucket] += size
    total += size
  }

  /// The largest size such that all bodies, cut to it, fit into `budget` bytes; `nil` if no body must be cut.
  func limit(within budget: Int) -> Int? {
    guard total > budget else { return nil }
    // All bodies above the limit shrink to it; those below stay. The kept bytes grow with the limit. The limit is in the first
    // bucket whose upper bound needs too many bytes: the bound before it still fits.
    var whole = 0
    var larger = counts.reduce(0, +)
    for bucket in counts.indices {
      whole += sums[bucket]
      larger -= counts[bucket]
      if whole + larger * SizeBuckets.upperBound(of: bucket) > budget {
        return bucket == 0 ? 0 : SizeBuckets.upperBound(of: bucket - 1)
      }
    }
    return nil
  }
}
