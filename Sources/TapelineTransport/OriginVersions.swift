internal import TapelineHTTP

/// The HTTP version in which each server last answered, for one loop. It tells whether the server understands chunks
/// (RFC 9112 6.1).
///
/// The least recently noted server is forgotten first, and is then like one never met.
struct OriginVersions {
  private struct Entry {
    var version: HTTPVersion
    var lastNote: UInt64
  }

  /// Servers that are remembered.
  static let limit = 1024

  private var entries: [Route: Entry] = [:]
  private var notes: UInt64 = 0

  var count: Int { entries.count }

  subscript(route: Route) -> HTTPVersion? { entries[route]?.version }

  mutating func note(_ version: HTTPVersion, of route: Route) {
    notes += 1
    entries[route] = Entry(version: version, lastNote: notes)
    guard entries.count > Self.limit else { return }
    // A scan, once for each server that is met for the first time: cheap beside the connection that was opened for it.
    if let oldest = entries.min(by: { $0.value.lastNote < $1.value.lastNote })?.key { entries[oldest] = nil }
  }
}
