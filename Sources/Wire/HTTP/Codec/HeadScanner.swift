internal import TapelineBase

/// Finds the empty line that ends a head or a trailer section, and enforces the bounds on the way.
///
/// Takes pieces of any size and looks at each byte once, so a slow drip costs no more than a single read. LF alone counts as a
/// line end here: the parser of the section decides whether that is allowed.
struct HeadScanner: Sendable {
  /// Line ends seen, including that of the final empty line.
  private(set) var lineCount = 0
  /// Bytes seen.
  private var length = 0
  /// The length of the start line with its end; `nil` until that end has come; 0 where there is no start line.
  private var startLineLength: Int?
  private let section: Section
  private var line = Line.empty

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

  init(_ section: Section) {
    self.section = section
    startLineLength =
      switch section {
      case .request, .response: nil
      case .trailers: 0
      }
  }

  /// Scans `input` from `start`. Returns the index after the section's end, or `nil` if the section does not end in `input`.
  mutating func scan(_ input: Span<UInt8>, from start: Int, _ limits: HTTPLimits) throws(HTTPParseError) -> Int? {
    var index = start
    while index < input.count {
      switch (line, input[index]) {
      case (.empty, Byte.lineFeed), (.carriageReturn, Byte.lineFeed):
        try advance(1, endsLine: true, limits)
        return index + 1
      case (.empty, Byte.carriageReturn):
        line = .carriageReturn
        try advance(1, endsLine: false, limits)
        index += 1
      case (.carriageReturn, _) where limits.tolerance.contains(.bareCarriageReturn):
        line = .text
      case (.carriageReturn, _):
        throw HTTPParseError(.bareCarriageReturn, in: section.part)
      case (.empty, _), (.text, _):
        let lineFeed = input.firstLineFeed(from: index)
        let endsLine = lineFeed < input.count
        let next = endsLine ? lineFeed + 1 : lineFeed
        line = endsLine ? .empty : .text
        try advance(next - index, endsLine: endsLine, limits)
        index = next
      }
    }
    return nil
  }

  private mutating func advance(_ bytes: Int, endsLine: Bool, _ limits: HTTPLimits) throws(HTTPParseError) {
    length += bytes
    if endsLine { lineCount += 1 }
    guard let startLineLength else {
      if length > section.startLineLimit(limits) { throw HTTPParseError(section.startLineTooLong, in: section.part) }
      if endsLine { self.startLineLength = length }
      return
    }
    if length - startLineLength > section.blockLimit(limits) { throw HTTPParseError(section.blockTooLarge, in: section.part) }
    if lineCount > section.lineLimit(limits) { throw HTTPParseError(.tooManyFields, in: section.part) }
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

  fileprivate func startLineLimit(_ limits: HTTPLimits) -> Int {
    part == .request ? limits.requestLine : limits.statusLine
  }

  fileprivate func blockLimit(_ limits: HTTPLimits) -> Int {
    switch self {
    case .request, .response: limits.headerBlock
    case .trailers: limits.trailers
    }
  }

  /// Lines that are no field lines are counted, too.
  fileprivate func lineLimit(_ limits: HTTPLimits) -> Int {
    switch self {
    case .request, .response: limits.fields + 2
    case .trailers: limits.fields + 1
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

/// Gathers one head or trailer section from the pieces that come.
///
/// It holds bytes only while a section is incomplete, and never more than the section's bounds. A section that is complete in the
/// input is copied from there once. Bytes after the section are never taken.
struct ReceiveBuffer: Sendable {
  private(set) var gathered: [UInt8] = []
  private var scanner: HeadScanner

  /// A complete section, including its final empty line.
  struct Section {
    let bytes: [UInt8]
    let lineCount: Int

    /// The bytes for the parser: a CR that ends no line is a space, where that is tolerated (RFC 9112 2.2).
    func readable(by tolerance: Tolerance) -> [UInt8] {
      guard tolerance.contains(.bareCarriageReturn) else { return bytes }
      return bytes.indices.map { index in
        let isBare = bytes[index] == Byte.carriageReturn && bytes[index + 1] != Byte.lineFeed
        return isBare ? Byte.space : bytes[index]
      }
    }
  }

  init(_ section: HeadScanner.Section) {
    scanner = HeadScanner(section)
  }

  /// Takes the section's bytes from `input`, and moves `offset` past them.
  mutating func receive(
    _ input: Span<UInt8>, from offset: inout Int, _ limits: HTTPLimits
  ) throws(HTTPParseError) -> Section? {
    let start = offset
    guard let end = try scanner.scan(input, from: start, limits) else {
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

/// The bounds on what a peer can make tapeline hold: one object for all connections. Each has a default; none is off.
package final class HTTPLimits: Sendable {
  /// Bytes of all field lines of a head with the final empty line; more get 431. By default above what curl, browsers, nginx,
  /// Node, Go and Java take, and with it the bounds on other lines.
  package let headerBlock: Int
  /// Bytes of a request line with its line end; a longer one gets 414.
  package let requestLine: Int
  /// Bytes of a status line with its line end.
  package let statusLine: Int
  /// Field lines of a head, and of a trailer section; more get 431.
  package let fields: Int
  /// Bytes between a chunk's size and its line end.
  package let chunkExtension: Int
  /// Bytes of a trailer section with the final empty line; more get 431.
  package let trailers: Int
  /// The rules that do not hold.
  package let tolerance: Tolerance
  /// Bytes of the heads of the 1xx responses before the final response, each with `informationalOverhead`.
  package let informationalResponses: Int
  /// Bytes of a request's content that are held to find its length, for an origin that does not understand chunks; more get 411.
  package let heldContent: Int

  package static let standard = HTTPLimits()
  /// About what a head takes in memory beside its bytes.
  package static let informationalOverhead = 512

  package init(
    requestLine: Int? = nil, statusLine: Int? = nil, headerBlock: Int = 1 << 20, fields: Int = 10_000,
    chunkExtension: Int? = nil, trailers: Int? = nil, informationalResponses: Int? = nil, heldContent: Int = 1 << 20,
    tolerance: Tolerance = []
  ) {
    self.headerBlock = headerBlock
    self.requestLine = requestLine ?? headerBlock
    self.statusLine = statusLine ?? headerBlock
    self.fields = fields
    self.chunkExtension = chunkExtension ?? headerBlock
    self.trailers = trailers ?? headerBlock
    self.tolerance = tolerance
    self.informationalResponses = informationalResponses ?? headerBlock
    self.heldContent = heldContent
  }
}
