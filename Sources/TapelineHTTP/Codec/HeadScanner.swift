internal import TapelineText

/// Finds the empty line that ends a head or a trailer section, and enforces the bounds on the way.
///
/// Takes pieces of any size and looks at each byte once, so a slow drip costs no more than a single read. LF alone counts as a
/// line end here: the parser of the section decides whether that is allowed.
struct HeadScanner: Sendable {
  /// Line ends seen, including that of the final empty line.
  private(set) var lineCount = 0
  private let section: Section
  private let startLineLimit: Int
  private let blockLimit: Int
  private let lineLimit: Int
  /// Bytes seen.
  private var length = 0
  private var line = Line.empty
  /// The length of the start line with its end; `nil` until that end has come; 0 where there is no start line.
  private var startLineLength: Int?

  enum Section: Sendable {
    case request
    case response
    case trailers(of: HTTPParseError.Part)
  }

  /// The part of the current line that has come.
  private enum Line {
    case empty
    case carriageReturn
    case text
  }

  init(_ section: Section, limits: HTTPLimits) {
    self.section = section
    switch section {
    case .request, .response:
      startLineLength = nil
      startLineLimit = section.part == .request ? limits.requestLine : limits.statusLine
      blockLimit = limits.headerBlock
      lineLimit = limits.fields + 2
    case .trailers:
      startLineLength = 0
      startLineLimit = 0
      blockLimit = limits.trailers
      lineLimit = limits.fields + 1
    }
  }

  /// Scans `input` from `start`. Returns the index after the section's end, or `nil` if the section does not end in `input`.
  mutating func scan(_ input: Span<UInt8>, from start: Int) throws(HTTPParseError) -> Int? {
    var index = start
    while index < input.count {
      switch (line, input[index]) {
      case (.empty, Byte.lineFeed), (.carriageReturn, Byte.lineFeed):
        try advance(1, endsLine: true)
        return index + 1
      case (.empty, Byte.carriageReturn):
        line = .carriageReturn
        try advance(1, endsLine: false)
        index += 1
      case (.carriageReturn, _):
        throw HTTPParseError(.bareCarriageReturn, in: section.part)
      case (.empty, _), (.text, _):
        let lineFeed = input.firstLineFeed(from: index)
        let endsLine = lineFeed < input.count
        let next = endsLine ? lineFeed + 1 : lineFeed
        line = endsLine ? .empty : .text
        try advance(next - index, endsLine: endsLine)
        index = next
      }
    }
    return nil
  }

  private mutating func advance(_ bytes: Int, endsLine: Bool) throws(HTTPParseError) {
    length += bytes
    if endsLine { lineCount += 1 }
    guard let startLineLength else {
      if length > startLineLimit { throw HTTPParseError(section.startLineTooLong, in: section.part) }
      if endsLine { self.startLineLength = length }
      return
    }
    if length - startLineLength > blockLimit { throw HTTPParseError(section.blockTooLarge, in: section.part) }
    if lineCount > lineLimit { throw HTTPParseError(.tooManyFields, in: section.part) }
  }
}

extension HeadScanner.Section {
  fileprivate var part: HTTPParseError.Part {
    switch self {
    case .request: .request
    case .response: .response
    case .trailers(let part): part
    }
  }

  fileprivate var startLineTooLong: HTTPParseError.Kind {
    part == .request ? .requestLineTooLong : .statusLineTooLong
  }

  fileprivate var blockTooLarge: HTTPParseError.Kind {
    switch self {
    case .request, .response: .headerBlockTooLarge
    case .trailers: .trailersTooLarge
    }
  }
}
