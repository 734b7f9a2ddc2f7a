package import TapelineInspect

/// Reads a HAR twice for its critical paths: for its exchanges, then for its bodies.
package struct CriticalPathReading {
  private let path: String
  private let filter: Query?
  private let bodies: BodyFiles

  package init(of path: String, filter: Query?, bodies: BodyFiles) {
    self.path = path
    self.filter = filter
    self.bodies = bodies
  }

  /// - Parameter page: the title or id of the only page to look at; `nil` for all.
  package func search(page: String?) throws(CommandFailure) -> CriticalPathSearch {
    let source = try CaptureFile.source(path, for: .again)
    var search = CriticalPathSearch()
    var exchanges = CaptureFile(source, parts: CriticalPathSearch.parts, filter: filter, bodies: bodies)
    while let (number, entry) = try exchanges.next(onPage: { search.add($0) }) { search.add(entry, number: number) }
    guard search.select(page: page) else {
      throw CommandFailure(
        status: .conditionFailed, what: path == "-" ? "standard input" : path,
        why: "no exchange belongs to page '\((page ?? "").printable)'", remedy: "tapeline waterfall prints the pages")
    }
    var contents = CaptureFile(
      source, parts: CriticalPathSearch.bodyParts, filter: filter, bodies: bodies, bringsBodiesIn: true)
    while let (number, entry) = try contents.next() { search.readBody(of: entry, number: number) }
    return search
  }
}
