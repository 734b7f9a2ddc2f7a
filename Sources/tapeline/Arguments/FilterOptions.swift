internal import ArgumentParser
internal import TapelineInspect

/// Which exchanges of a file a command looks at.
struct FilterOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Only exchanges for which this holds, as in 'status >= 500 and wait > 1s'.", valueName: "query"))
  var filter: String?

  func validate() throws {
    _ = try query()
  }

  /// `nil` when all are looked at.
  func query() throws -> Query? {
    guard let filter else { return nil }
    do throws(QueryError) {
      return try Query(filter)
    } catch {
      throw ValidationError("--filter '\(filter)': \(error); \(error.remedy)")
    }
  }
}
