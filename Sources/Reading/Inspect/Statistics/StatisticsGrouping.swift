package import TapelineHAR

/// The criterion by which `stats --by` groups exchanges.
package enum StatisticsGrouping: Hashable, Sendable {
  case host
  /// Authority and path, with numbers, UUIDs, hashes and dates folded as in `URLTemplate`.
  case path
  case status
  case page
  case method
  /// The connection to the server.
  case connection
  /// The version of HTTP, of the response if there is one.
  case version
  /// The distributed trace of the request.
  case trace
  /// The capture, as it was named.
  case file
  /// The directory that the capture is in.
  case directory
  /// Any other field of a query.
  case field(GroupField)

  /// Those with a reader of their own, which an index has a column of.
  package static let named: [StatisticsGrouping] = [
    .host, .path, .status, .page, .method, .connection, .version, .trace, .file, .directory,
  ]

  /// Reads `host,page,req.header["x"]`.
  ///
  /// - Throws: an error at its column if a field is unknown or comes twice, or if there are more than four.
  package static func list(_ text: String) throws(QueryError) -> [StatisticsGrouping] {
    let names = Dictionary(uniqueKeysWithValues: named.map { ($0.name, $0) })
    let fields = try QueryFieldList.parse(text, additional: Set(names.keys))
    let groupings = fields.compactMap { name, field in
      names[name] ?? field.map { StatisticsGrouping.field(GroupField(name: name, field: $0)) }
    }
    guard Set(groupings).count == groupings.count else {
      throw QueryError("a field comes twice", remedy: "name each field once", at: 0)
    }
    guard groupings.count <= 4 else { throw QueryError("more than four fields", remedy: "group by at most four", at: 0) }
    return groupings
  }

  /// As the user writes it.
  package var name: String {
    switch self {
    case .host: "host"
    case .path: "path"
    case .status: "status"
    case .page: "page"
    case .method: "method"
    case .connection: "connection"
    case .version: "version"
    case .trace: "trace"
    case .file: "file"
    case .directory: "directory"
    case .field(let field): field.name
    }
  }

  /// The parts of an entry that the name of its group needs.
  var parts: HAREntryParts {
    switch self {
    case .page: .pageTitle
    case .trace: .fields
    case .field(let field): field.field.parts
    case .host, .path, .status, .method, .connection, .version, .file, .directory: []
    }
  }

  /// Whether the figures of an ordinary entry say where it belongs.
  var isAmongFigures: Bool {
    switch self {
    case .host, .path, .status, .method: true
    case .page, .connection, .version, .trace, .file, .directory, .field: false
    }
  }

  /// Whether an index has it.
  package var isKnownToIndex: Bool {
    switch self {
    case .field: false
    case .host, .path, .status, .page, .method, .connection, .version, .trace, .file, .directory: true
    }
  }

  /// The name of the group that the exchange belongs to; `isAmongFigures` holds.
  func key(of figures: ScannedEntry, _ hosts: inout KnownHosts) -> String {
    switch self {
    case .host: hosts.host(of: figures.request.url) ?? figures.request.url
    case .path: Self.path(of: figures.request.url)
    case .status: Self.status(figures.response.status)
    case .method: figures.request.method
    case .page, .connection, .version, .trace, .file, .directory, .field: preconditionFailure("these need a whole entry")
    }
  }

  /// The name of the group that the exchange belongs to.
  ///
  /// - Parameter number: the place of the exchange in its file, from 1.
  package func key(of entry: HAREntry, number: Int) -> String {
    switch self {
    case .host: RequestURL(entry.request.url)?.host ?? entry.request.url
    case .path: Self.path(of: entry.request.url)
    case .status: Self.status(of: entry)
    case .method: entry.request.method
    case .page: entry.page ?? "none"
    case .connection: Self.connection(of: entry) ?? "none"
    case .version: RecordedVersion(entry)?.name ?? "unknown"
    case .trace: RecordedTrace(entry)?.id ?? "none"
    case .file: entry.file ?? "none"
    case .directory: entry.directory ?? "none"
    case .field(let field): field.key(of: entry, number: number)
    }
  }

  private static func path(of url: String) -> String {
    let template = URLTemplate(url, keepingPorts: true).withoutQuery
    return template.firstRange(of: "://").map { String(template[$0.upperBound...]) } ?? template
  }

  /// A gRPC call that failed is in a group of its own: `200/8`.
  private static func status(of entry: HAREntry) -> String {
    let status = status(entry.response.status)
    return FailedOperation(entry)?.callStatus.map { "\(status)/\($0)" } ?? status
  }

  private static func status(_ status: Int) -> String {
    status <= 0 ? "none" : String(status)
  }

  /// `12 192.0.2.1`, or address and port where the log has no ids.
  private static func connection(of entry: HAREntry) -> String? {
    guard let connection = entry.custom[.connectionID]?.string ?? entry.connection, !connection.isEmpty else { return nil }
    let parts = entry.custom[.connectionID] == nil ? [entry.serverIPAddress, connection] : [connection, entry.serverIPAddress]
    return parts.compactMap(\.self).joined(separator: " ")
  }
}

/// A field of a query whose values are the names of groups.
package struct GroupField: Hashable, Sendable {
  let name: String
  let field: QueryField

  fileprivate func key(of entry: HAREntry, number: Int) -> String {
    let text = field.value(in: entry, number: number).plainText
    return text.isEmpty ? "none" : text
  }
}
