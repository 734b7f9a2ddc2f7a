package import TapelineHAR

/// Finds a few exchanges of a HAR by their places in it; what lies before them is passed over unread, and what comes after the
/// last of them is not looked at.
package enum NumberedEntries {
  /// - Returns: those that the file has, by their numbers, and how many exchanges were passed.
  package static func read(
    path: String, numbers: Set<Int>
  ) throws(CaptureError) -> (entries: [Int: HAREntry], count: Int) {
    var search = Search(numbers: numbers)
    var file = try InputFile(path: path)
    var reader = HARElementReader()
    while !search.isComplete, try file.read() {
      file.withPiece { reader.feed($0) }
      try search.drain(&reader)
    }
    if !search.isComplete {
      reader.finish()
      try search.drain(&reader)
    }
    return (search.entries, search.count)
  }
}

private struct Search {
  let numbers: Set<Int>
  private(set) var entries: [Int: HAREntry] = [:]
  private(set) var count = 0

  init(numbers: Set<Int>) {
    self.numbers = numbers
  }

  var isComplete: Bool { entries.count == numbers.count }

  mutating func drain(_ reader: inout HARElementReader) throws(CaptureError) {
    do throws(HARReadError) {
      while !isComplete, let element = try reader.next() {
        guard case .entry = element.kind else { continue }
        count += 1
        guard numbers.contains(count) else { continue }
        entries[count] = try reader.withOctets(of: element) { (octets) throws(HARReadError) in try HAREntry(json: octets) }
      }
    } catch {
      throw .malformed(error)
    }
  }
}
