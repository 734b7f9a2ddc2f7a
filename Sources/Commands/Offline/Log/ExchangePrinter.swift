package import TapelineHAR
package import TapelineInspect
internal import TapelineSystem

/// Prints exchanges, one after the other.
package struct ExchangePrinter {
  /// The path of the file, as it was given.
  package let path: String
  package let source: InputSource
  private let view: ExchangeView?
  private let width: Int
  private let palette: Palette
  private let clock: WallClock
  package let bodies: BodyFiles
  private let stall: Double
  private let schema: ProtobufSchema?
  private var output = StandardOutput()
  /// Read when the first exchange with a page is printed.
  private var titles: PageTitles?
  private var count = 0

  package init(
    path: String, view: ExchangeView?, width: Int, palette: Palette, clock: WallClock, bodies: BodyFiles,
    stall: Double = StreamTiming.stall, descriptors: String? = nil
  ) throws(CommandFailure) {
    schema = try descriptors.map { path throws(CommandFailure) in try Self.schema(in: path) }
    self.path = path
    self.clock = clock
    source = try CaptureFile.source(path, for: .again)
    self.view = view
    self.width = width
    self.palette = palette
    self.bodies = bodies
    self.stall = stall
  }

  private static func schema(in path: String) throws(CommandFailure) -> ProtobufSchema {
    let remedy = "write one with protoc --include_imports --descriptor_set_out"
    do throws(SystemCallError) {
      if let schema = ProtobufSchema(try WholeFile.read(path, limit: 64 << 20)) { return schema }
    } catch {
      throw CommandFailure(status: .badInput, what: path, why: error.text, remedy: remedy)
    }
    throw CommandFailure(status: .badInput, what: path, why: "it is not a set of descriptors", remedy: remedy)
  }

  package mutating func print(_ entry: HAREntry, number: Int) throws(CommandFailure) {
    count += 1
    var entry = entry
    if view?.hasBodies ?? true { bodies.bringIn(&entry) }
    switch view {
    case nil:
      if count > 1 { try output.write(lines: ["", String(repeating: palette.isUnicode ? "─" : "-", count: width), ""]) }
      let summary = ExchangeSummary(
        number: number, entry: named(entry), width: width, palette: palette, clock: clock, stall: stall, schema: schema)
      try output.write(lines: summary.lines)
    case .headers: try output.write(lines: MessageHeads.lines(of: entry))
    case .body:
      try output.write(recorded: body(LoggedBody(response: entry.response), size: entry.response.content.size, of: number))
    case .requestBody:
      try output.write(recorded: body(LoggedBody(request: entry.request), size: entry.request.bodySize, of: number))
    case .raw: try output.write(recorded: RawMessages.bytes(of: entry))
    case .curl: try output.write(line: curl(for: entry, number: number))
    case .events: try output.write(lines: EventStreamText.lines(of: entry, palette: palette))
    case .debug:
      if count > 1 { try output.write(line: "") }
      try output.write(lines: DebugDescription.lines(of: entry))
    case .json:
      try output.write(json: entry.json)
    }
  }

  /// Whether the entry is printed as the log has it.
  var isExact: Bool { view == .json }

  package mutating func flush() throws(CommandFailure) {
    try output.flush()
  }

  /// The entry with the title of its page, if the title is found without reading the whole file.
  private mutating func named(_ entry: HAREntry) -> HAREntry {
    guard entry.pageTitle == nil, entry.pageref != nil else { return entry }
    if titles == nil { titles = PageTitles.read(source, .near) }
    var entry = entry
    titles?.name(&entry)
    return entry
  }

  private func body(_ body: LoggedBody, size: Int, of number: Int) throws(CommandFailure) -> [UInt8] {
    switch body {
    case .bytes(let bytes):
      if bytes.count < size {
        Console.say("\(source.name), exchange \(number): the recorded body is incomplete, \(bytes.count) of \(size) bytes")
      }
      return bytes
    case .empty: return []
    case .notRecorded(let size):
      throw failure(
        number, .conditionFailed, "the body of \(size) bytes was not recorded",
        "record with --bodies all and a larger --max-body")
    case .inFile(let name):
      throw failure(
        number, .conditionFailed, "the body is in \(name), which is not there or not what it was",
        "name the directory of the bodies with --bodies-from")
    case .damaged: throw failure(number, .badInput, "its body is not the base64 that it says", "record it again")
    }
  }

  private func curl(for entry: HAREntry, number: Int) throws(CommandFailure) -> String {
    let text: String
    do throws(CurlRefusal) {
      text = try CurlCommand(entry).text
    } catch {
      throw failure(number, .conditionFailed, error.description, "choose another exchange")
    }
    switch LoggedBody(request: entry.request) {
    case .notRecorded(let size):
      Console.say("\(source.name), exchange \(number): the request had a body of \(size) bytes that was not recorded")
    case .inFile(let name):
      Console.say("\(source.name), exchange \(number): the request had a body, in \(name), which is not there or not what it was")
    case .bytes:
      if RequestPayload(entry.request).isDecoded {
        Console.say("\(source.name), exchange \(number): the command sends the body without the content coding that it had")
      }
      if let lacking = entry.request.postData?.custom[.truncated]?.integer, lacking > 0 {
        Console.say(
          "\(source.name), exchange \(number): the command sends the body without its last \(lacking) bytes, "
            + "which were not recorded")
      }
    case .empty, .damaged: break
    }
    return text
  }

  private func failure(_ number: Int, _ status: ExitStatus, _ why: String, _ remedy: String) -> CommandFailure {
    CommandFailure(status: status, what: "\(source.name), exchange \(number)", why: why, remedy: remedy)
  }
}

/// The parts of an exchange that `show` prints.
package enum ExchangeView: CaseIterable, Sendable {
  case headers
  case body
  case requestBody
  case raw
  case curl
  case events
  case debug
  case json

  /// Whether bodies are part of it; `json` is the entry as the log has it.
  var hasBodies: Bool {
    switch self {
    case .body, .requestBody, .raw, .curl, .events: true
    case .headers, .debug, .json: false
    }
  }
}
