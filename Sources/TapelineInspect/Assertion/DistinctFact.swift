internal import TapelineHAR

/// The facts of exchanges that a rule can call new: `new hosts <= baseline.har`.
enum DistinctFact: String, CaseIterable, Sendable {
  case hosts
  /// With their host, and with varying parts folded.
  case paths
  case methods
  case status
  case types
  case errors

  /// The singular, for messages.
  var singular: String {
    switch self {
    case .hosts: "host"
    case .paths: "path"
    case .methods: "method"
    case .status: "status"
    case .types: "type"
    case .errors: "error"
    }
  }

  /// The plural, for messages.
  var plural: String {
    switch self {
    case .status: "statuses"
    case .hosts, .paths, .methods, .types, .errors: rawValue
    }
  }

  /// The fact's value in this exchange; `nil` when it has none.
  func value(in entry: HAREntry) -> String? {
    switch self {
    case .hosts: RequestURL(entry.request.url)?.host ?? entry.request.url
    case .paths: URLTemplate(entry.request.url).withoutQuery
    case .methods: entry.request.method
    case .status: entry.response.status == 0 ? nil : String(entry.response.status)
    case .types: mediaType(entry.response.content.mimeType)
    // Without the details of the particular exchange, if the log separates them.
    case .errors: RecordedFailure(entry).map { $0.facts ?? $0.message }
    }
  }

  private func mediaType(_ text: String) -> String? {
    let type = text.prefix { $0 != ";" && $0 != " " }.lowercased()
    return type.isEmpty || type == "x-unknown" ? nil : type
  }
}
