internal import TapelineText

/// Gathers one head or trailer section from the pieces that come.
///
/// It holds bytes only while a section is incomplete, and never more than the section's bounds. A section that is complete in the
/// input is copied from there once. Bytes after the section are never taken.
struct ReceiveBuffer: Sendable {
  private var gathered: [UInt8] = []
  private var scanner: HeadScanner

  /// A complete section, including its final empty line.
  struct Section {
    let bytes: [UInt8]
    let lineCount: Int
  }

  init(_ section: HeadScanner.Section, limits: HTTPLimits) {
    scanner = HeadScanner(section, limits: limits)
  }

  /// Takes the section's bytes from `input`, and moves `offset` past them.
  mutating func receive(_ input: Span<UInt8>, from offset: inout Int) throws(HTTPParseError) -> Section? {
    let start = offset
    guard let end = try scanner.scan(input, from: start) else {
      gathered.append(bytes: input.extracting(start..<input.count))
      offset = input.count
      return nil
    }
    offset = end
    let rest = input.extracting(start..<end)
    if gathered.isEmpty { return Section(bytes: [UInt8](copying: rest), lineCount: scanner.lineCount) }
    gathered.append(bytes: rest)
    return Section(bytes: gathered, lineCount: scanner.lineCount)
  }

  /// Whether the section begins with `prefix`, judged by the bytes gathered so far and then those in `more`.
  func begins(with prefix: StaticString, more: Span<UInt8>) -> Bool {
    var beginning = Array(gathered.prefix(prefix.utf8CodeUnitCount))
    for index in more.indices where beginning.count < prefix.utf8CodeUnitCount { beginning.append(more[index]) }
    return beginning.elementsEqual(prefix.description.utf8)
  }
}
