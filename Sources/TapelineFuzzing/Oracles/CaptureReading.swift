internal import TapelineHAR

/// Everything that the readers of captures find in one, in a form that does not depend on how its bytes were split.
struct CaptureReading: Equatable {
  private(set) var events: [HARReader.Event] = []
  private(set) var failure: HARReadError.Kind?
  private(set) var findings: [HARFinding] = []
  private(set) var isLintable = true

  /// The size limit for one value: it bounds memory.
  private static let valueSizeLimit = 64 << 10

  init(of input: [UInt8], _ segmentation: Segmentation) {
    let pieces = segmentation.pieces(of: input.count)
    var reader = HARReader(reportsWarnings: true, valueSizeLimit: Self.valueSizeLimit)
    do throws(HARReadError) {
      for range in pieces {
        reader.feed(input.span.extracting(range))
        while let event = try reader.next() { events.append(event) }
      }
      reader.finish()
      while let event = try reader.next() { events.append(event) }
    } catch {
      failure = error.kind
    }
    lint(input, pieces)
  }

  private mutating func lint(_ input: [UInt8], _ pieces: [Range<Int>]) {
    var lint = HARLint(profiles: Set(HARProfile.allCases))
    var findings: [HARFinding] = []
    do throws(HARReadError) {
      for range in pieces { try lint.feed(input.span.extracting(range)) { findings.append($0) } }
      try lint.finish { findings.append($0) }
    } catch {
      isLintable = false
    }
    self.findings = findings
  }

  var pages: [HARPage] {
    events.compactMap { if case .page(let page) = $0 { page } else { nil } }
  }

  var entries: [HAREntry] {
    events.compactMap { if case .entry(let entry) = $0 { entry } else { nil } }
  }
}
