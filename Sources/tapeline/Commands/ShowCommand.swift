internal import ArgumentParser
internal import TapelineHAR
internal import TapelineInspect

/// `tapeline show FILE N`: one exchange.
struct ShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Print one exchange of a HAR.",
    discussion: """
      EXAMPLES
        tapeline show session.har 3
        tapeline show session.har 3 --headers
        tapeline show session.har 3 --body > page.html
        tapeline show session.har 3 --curl | sh
        tapeline show session.har 3 --json | jq .timings
      """)

  @Argument(help: ArgumentHelp("The HAR to read; - for stdin.", valueName: "file"))
  var file: String

  @Argument(help: ArgumentHelp("The number of the exchange, as list prints it.", valueName: "n"))
  var number: Int

  @Flag(help: "What to print instead of a summary.")
  var view: View?

  enum View: EnumerableFlag {
    case debug
    case headers
    case body
    case curl
    case json

    static func help(for view: View) -> ArgumentHelp? {
      switch view {
      case .debug: "The response debug description, with the full timeline."
      case .headers: "Both heads, as they went over the wire."
      case .body: "The response body alone, octet for octet."
      case .curl: "A curl command line that sends the request again."
      case .json: "The entry as JSON, in one line."
      }
    }
  }

  func validate() throws {
    if number < 1 {
      throw ValidationError("exchange \(number): numbers start at 1; see tapeline list")
    }
  }

  mutating func run() throws {
    let entry = try find()
    var output = StandardOutput()
    switch view {
    case nil:
      let palette = Terminal.palette(environment: ProcessEnvironment.variables())
      try output.write(lines: ExchangeSummary(number: number, entry: entry, palette: palette).lines)
    case .debug: try output.write(lines: DebugDescription.lines(of: entry))
    case .headers: try output.write(lines: MessageHeads.lines(of: entry))
    case .body: try output.write(body(of: entry))
    case .curl: try output.write(line: curl(for: entry))
    case .json:
      try output.write(entry.json)
      try output.write(line: "")
    }
    try output.flush()
  }

  private func find() throws(CommandFailure) -> HAREntry {
    var source = try CaptureFile(path: file)
    var last = 0
    while let (position, entry) = try source.next() {
      if position == number { return entry }
      last = position
    }
    throw failure(.usage, "the file has \(last) exchanges", "choose one of those that tapeline list prints")
  }

  private func body(of entry: HAREntry) throws(CommandFailure) -> [UInt8] {
    switch RecordedBody(response: entry.response) {
    case .octets(let octets):
      if octets.count < entry.response.content.size {
        Console.say(
          "\(file), exchange \(number): the recorded body is incomplete, \(octets.count) of \(entry.response.content.size) octets"
        )
      }
      return octets
    case .empty: return []
    case .notRecorded(let size):
      throw failure(
        .conditionFailed, "the body of \(size) octets was not recorded", "record with --bodies all and a larger --max-body")
    case .damaged: throw failure(.badInput, "its body is not the base64 that it says", "record it again")
    }
  }

  private func curl(for entry: HAREntry) throws(CommandFailure) -> String {
    guard let command = CurlCommand(entry) else {
      throw failure(.conditionFailed, "it is a tunnel, in which no request was seen", "choose another exchange")
    }
    if case .notRecorded(let size) = RecordedBody(request: entry.request) {
      Console.say("\(file), exchange \(number): the request had a body of \(size) octets that was not recorded")
    }
    return command.text
  }

  private func failure(_ status: ExitStatus, _ why: String, _ remedy: String) -> CommandFailure {
    CommandFailure(status: status, what: "\(file), exchange \(number)", why: why, remedy: remedy)
  }
}
