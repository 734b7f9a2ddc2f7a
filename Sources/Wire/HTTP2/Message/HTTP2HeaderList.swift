package import TapelineHTTP
internal import TapelineBase

/// The lines of a header or trailer section as HPACK carries them, pseudo-fields included: order and bytes as they came or as
/// they will go out, unchecked. `HTTP2RequestHead`, `HTTP2ResponseHead` and `HTTP2Trailers` are what a checked list becomes.
package struct HTTP2HeaderList: Sendable {
  /// Names and values, one after the other.
  package let bytes: [UInt8]
  let lines: [Line]

  struct Line: Sendable {
    fileprivate let start: UInt32
    fileprivate let nameEnd: UInt32
    fileprivate let end: UInt32
    /// Whether no hop may put the line into a table (RFC 7541 7.1.3).
    let isNeverIndexed: Bool

    var name: Range<Int> { Int(start)..<Int(nameEnd) }
    var value: Range<Int> { Int(nameEnd)..<Int(end) }
  }

  /// Collects the lines of a list.
  package struct Builder: Sendable {
    private var bytes: [UInt8] = []
    private var lines: [Line] = []

    /// Room that a usual list does not outgrow.
    private static let usualSize = 384
    private static let usualLineCount = 16

    package init() {}

    fileprivate init(bytes: [UInt8], lines: [Line]) {
      self.bytes = bytes
      self.lines = lines
    }

    package mutating func append(name: Span<UInt8>, value: Span<UInt8>, isNeverIndexed: Bool = false) {
      if lines.isEmpty {
        bytes.reserveCapacity(Self.usualSize)
        lines.reserveCapacity(Self.usualLineCount)
      }
      let start = bytes.count
      bytes.append(bytes: name)
      let nameEnd = bytes.count
      bytes.append(bytes: value)
      lines.append(
        Line(
          start: UInt32(start), nameEnd: UInt32(nameEnd), end: UInt32(bytes.count), isNeverIndexed: isNeverIndexed))
    }

    package mutating func append(name: String, value: String, isNeverIndexed: Bool = false) {
      append(name: name.utf8.span, value: value.utf8.span, isNeverIndexed: isNeverIndexed)
    }

    /// Bytes as RFC 9113 6.5.2 counts them.
    var size: Int { bytes.count + lines.count * 32 }

    var lineCount: Int { lines.count }

    /// The lines so far. The builder is empty afterwards.
    package mutating func take() -> HTTP2HeaderList {
      let list = HTTP2HeaderList(bytes: bytes, lines: lines)
      self = Builder()
      return list
    }
  }

  fileprivate init(bytes: [UInt8], lines: [Line]) {
    self.bytes = bytes
    self.lines = lines
  }

  package init(_ lines: [(String, String)]) {
    var builder = Builder()
    for (name, value) in lines { builder.append(name: name, value: value) }
    self = builder.take()
  }

  package var count: Int { lines.count }

  /// Bytes of memory.
  package var memorySize: Int { bytes.memorySize + lines.memorySize }

  /// Bytes as RFC 9113 6.5.2 counts them.
  var size: Int { bytes.count + lines.count * 32 }

  /// The same list with more lines at its end.
  package func appending(_ added: [(name: String, value: String)]) -> HTTP2HeaderList {
    guard !added.isEmpty else { return self }
    var builder = Builder(bytes: bytes, lines: lines)
    for line in added { builder.append(name: line.name, value: line.value) }
    return builder.take()
  }

  /// The same list for another origin than the one that it names, and perhaps another path.
  package func naming(_ scheme: URIScheme, authority: String, path: String? = nil) -> HTTP2HeaderList {
    var builder = Builder()
    for line in lines {
      let value: String? =
        switch text(line.name) {
        case ":authority", "host": authority
        case ":scheme": scheme.text
        case ":path": path
        default: nil
        }
      let name = bytes.span.extracting(line.name)
      if let value {
        builder.append(name: name, value: value.utf8.span, isNeverIndexed: line.isNeverIndexed)
      } else {
        builder.append(name: name, value: bytes.span.extracting(line.value), isNeverIndexed: line.isNeverIndexed)
      }
    }
    return builder.take()
  }

  /// The same list without the lines of this name, which is in lower case.
  package func without(_ name: String) -> HTTP2HeaderList {
    guard lines.contains(where: { text($0.name) == name }) else { return self }
    return HTTP2HeaderList(bytes: bytes, lines: lines.filter { text($0.name) != name })
  }

  /// The lines as text, for logs and tests.
  package var texts: [(name: String, value: String)] {
    lines.map { (text($0.name), text($0.value)) }
  }

  /// How many lines are pseudo-fields: those before the first other line (RFC 9113 8.3).
  package var pseudoFieldCount: Int {
    lines.firstIndex { $0.name.isEmpty || bytes[$0.name.lowerBound] != UInt8(ascii: ":") } ?? lines.count
  }

  /// Where the name of a line is in `bytes`.
  package func nameRange(at index: Int) -> Range<Int> { lines[index].name }

  /// Where the value of a line is in `bytes`.
  package func valueRange(at index: Int) -> Range<Int> { lines[index].value }

  func text(_ range: Range<Int>) -> String { String(bytes: bytes.span.extracting(range)) }
}
