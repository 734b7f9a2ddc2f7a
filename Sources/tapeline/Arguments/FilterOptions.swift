internal import ArgumentParser
internal import TapelineInspect

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
