package import TapelineHAR

/// Some exchanges of a HAR by their numbers, in file order. Other exchanges before the last one are skipped unread, and
/// nothing after the last one is read.
package struct NumberedExchanges: ~Copyable {
  private let ranges: [ClosedRange<Int>]
  private let last: Int
  private var file: InputFile
  private var reader = HARElementReader()
  private var isAtEnd = false
  /// Exchanges passed so far, whether given or skipped.
  package private(set) var count = 0

  /// - Parameter ranges: numbers from 1, in any order.
  package init(_ ranges: [ClosedRange<Int>], in source: InputSource) {
    self.ranges = ranges
    last = ranges.map(\.upperBound).max() ?? 0
    file = InputFile(source)
  }

  /// The next of these exchanges that the file has; `nil` after the last.
  package mutating func next() throws(CaptureError) -> (number: Int, entry: HAREntry)? {
    while count < last {
      if let found = try readNext() { return found }
      guard !isAtEnd else { return nil }
      if try file.read() {
        file.withPiece { reader.feed($0) }
      } else {
        reader.finish()
        isAtEnd = true
      }
    }
    return nil
  }

  /// `nil` when more bytes are needed, or after the last exchange.
  private mutating func readNext() throws(CaptureError) -> (number: Int, entry: HAREntry)? {
    do throws(HARReadError) {
      while count < last, let element = try reader.next() {
        guard case .entry = element.kind else { continue }
        count += 1
        guard ranges.contains(where: { $0.contains(count) }) else { continue }
        return (count, try reader.withBytes(of: element) { (bytes) throws(HARReadError) in try HAREntry(json: bytes) })
      }
      return nil
    } catch {
      throw file.captureError(for: error)
    }
  }
}
