/// Mends a HAR of any size, in a second pass over the text that a `HARLint` has read to its end.
///
/// Entries without findings are copied byte by byte; the others are written anew. The output has only findings
/// that are not fixable.
public struct HARRepair<Failure: Error>: ~Copyable {
  /// Why the repair stopped early.
  public enum Interruption: Error {
    /// The text is not the text that was checked.
    case malformed(HARReadError)
    /// The sink failed.
    case sink(Failure)
  }

  private var reader = HARElementReader()
  private var elements: ElementLint
  private let defaultPage: String?
  private var writer: HARWriter<Failure>

  /// - Parameters:
  ///   - lint: has checked the same text, and has finished.
  ///   - sink: takes the bytes of the mended text.
  public init(_ lint: HARLint, sink: @escaping (Span<UInt8>) throws(Failure) -> Void) {
    elements = ElementLint(profiles: lint.profiles)
    defaultPage = lint.pages.defaultID
    writer = HARWriter(HARLog(mended: lint.log, pages: lint.pages.pages, beside: lint.beside), sink: sink)
  }

  /// Takes the next bytes of the text.
  public mutating func feed(_ bytes: Span<UInt8>) throws(Interruption) {
    reader.feed(bytes)
    try read()
  }

  /// Ends the text, and completes the output.
  public consuming func finish() throws(Interruption) {
    reader.finish()
    try read()
    do throws(Failure) {
      try writer.finish()
    } catch {
      throw .sink(error)
    }
  }

  private mutating func read() throws(Interruption) {
    while let element = try nextElement() {
      guard element.kind == .entry else { continue }
      if try writeScreened(element) { continue }
      // An entry that is none was reported, and is left out.
      let (entry, findings) = mended(element)
      guard var entry else { continue }
      do throws(Failure) {
        if findings.isEmpty, entry.pageref != nil {
          try reader.withBytes(of: element) { (json) throws(Failure) in try writer.write(json: json) }
        } else {
          entry.pageref = entry.pageref ?? defaultPage
          try writer.write(entry)
        }
      } catch {
        throw .sink(error)
      }
    }
  }

  /// Copies the entry if nothing is wrong with it, and returns whether it did.
  private mutating func writeScreened(_ element: HARElementReader.Element) throws(Interruption) -> Bool {
    // An entry without a page gets one, and is written anew.
    var lint = elements
    guard let (pageref, _) = reader.withBytes(of: element, { lint.screened($0) }), pageref != nil else { return false }
    elements = lint
    do throws(Failure) {
      try reader.withBytes(of: element) { (json) throws(Failure) in try writer.write(json: json) }
    } catch {
      throw .sink(error)
    }
    return true
  }

  private mutating func nextElement() throws(Interruption) -> HARElementReader.Element? {
    do throws(HARReadError) {
      return try reader.next()
    } catch {
      throw .malformed(error)
    }
  }

  private mutating func mended(_ element: HARElementReader.Element) -> (entry: HAREntry?, findings: [HARFinding]) {
    do throws(HARReadError) {
      return try reader.withBytes(of: element) { (json) throws(HARReadError) in try elements.entry(json) }
    } catch {
      return (nil, [])
    }
  }
}
