internal import ArgumentParser
internal import TapelineOffline
internal import TapelineHAR
internal import TapelineInspect
internal import TapelineSystem
internal import TapelineTime

/// The exchanges of a file that a command looks at.
struct FilterOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Only exchanges that match, as in 'status >= 500 and wait > 1s'.", valueName: "query"))
  var filter: String?

  func validate() throws {
    _ = try query()
  }

  /// `nil` for all exchanges.
  func query() throws -> Query? {
    guard let filter else { return nil }
    return try parsing(filter, as: "--filter") { (text) throws(QueryError) in try Query(text) }
  }
}

/// Parses text in the query language; the error shows the place that cannot be understood.
func parsing<Parsed>(
  _ text: String, as option: String, _ parse: (String) throws(QueryError) -> Parsed
) throws -> Parsed {
  do throws(QueryError) {
    return try parse(text)
  } catch {
    let lines = ["\(option): \(error); \(error.remedy)"] + error.excerpt(of: text)
    throw ValidationError(lines.joined(separator: "\n"))
  }
}

/// Indexes beside the captures that a command reads.
struct IndexOptions: ParsableArguments {
  @Flag(
    inversion: .prefixedNo,
    help: "Keep an index beside each capture, so that the next question does not read it again. (default: for several captures)")
  var index: Bool?

  func indexing(of fleet: CaptureFleet) -> CaptureIndexing {
    switch index {
    case true?: .always
    case false?: .never
    case nil: fleet.hasSeveral ? .always : .ifPresent
    }
  }
}

/// How a result looks.
struct StyleOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("When to use colours; auto means on a terminal, unless NO_COLOR is set.", valueName: "auto|always|never"))
  var color = Color.auto

  enum Color: String, ExpressibleByArgument, CaseIterable {
    case auto
    case always
    case never
  }

  func palette(environment: [String: String]) -> Palette {
    let isColored =
      switch color {
      case .auto: Terminal.wantsColor(environment: environment)
      case .always: true
      case .never: false
      }
    return Palette(isColored: isColored, isUnicode: Terminal.isUnicode(environment: environment))
  }

  /// Prints a result as JSON, or else as lines for the terminal.
  func print(json: HARValue? = nil, _ lines: (_ width: Int, _ palette: Palette) -> [String]) throws {
    let environment = ProcessEnvironment.variables()
    if let json { return try StandardOutput.print(json: json) }
    try StandardOutput.print(lines(Terminal.width(environment: environment), palette(environment: environment)))
  }
}

/// The time zone of the times that are printed for people.
struct ClockOptions: ParsableArguments {
  @Flag(help: "Print times in UTC instead of the local zone (TZ).")
  var utc = false

  var clock: WallClock { utc ? .utc : .local }
}

/// The option that says what a stall of a stream is.
struct StallOptions: ParsableArguments {
  @Option(help: ArgumentHelp("A longer gap between events of a stream is a stall.", valueName: "time"))
  var stall = DurationArgument(.seconds(1))

  var milliseconds: Double { Double(stall.duration.nanoseconds) / 1e6 }
}

/// The directory of the bodies that a HAR has in files of their own.
struct BodySourceOptions: ParsableArguments {
  @Option(
    name: .customLong("bodies-from"),
    help: ArgumentHelp(
      "The directory of the bodies that record --bodies-dir kept in files. (default: where the HAR says)", valueName: "directory")
  )
  var directory: String?

  func files(besideHAR path: String) -> BodyFiles {
    BodyFiles(besideHAR: path, directory: directory)
  }
}

/// Whether output may replace an existing file.
struct OverwritingOptions: ParsableArguments {
  @Flag(help: "Replace an existing file that -o names.")
  var force = false

  /// For commands that write to stdout without `-o`, where there is nothing to replace.
  func validate(output: String?) throws {
    if force, output == nil { throw ValidationError("--force: it goes with -o; give both") }
  }
}
