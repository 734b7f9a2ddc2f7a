internal import TapelineHAR

/// What of exchanges can be called new: `new hosts <= baseline.har`.
enum DistinctFact: String, CaseIterable, Sendable {
  case hosts
  /// With their host, and what varies in them folded.
  case paths
  case methods
  case status
  case types
  case errors

  /// One of them, in a message.
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

  /// Several of them.
  var plural: String {
    switch self {
    case .status: "statuses"
    case .hosts, .paths, .methods, .types, .errors: rawValue
    }
  }

  /// What it is in this exchange; `nil` when it has none.
  func value(in entry: HAREntry) -> String? {
    switch self {
    case .hosts: RequestURL(entry.request.url)?.host ?? entry.request.url
    case .paths: URLTemplate(entry.request.url).withoutQuery
    case .methods: entry.request.method
    case .status: entry.response.status == 0 ? nil : String(entry.response.status)
    case .types: mediaType(entry.response.content.mimeType)
    // Without what names the particular exchange, where the log tells them apart.
    case .errors: RecordedFailure(entry).map { $0.facts ?? $0.message }
    }
  }

  private func mediaType(_ text: String) -> String? {
    let type = text.prefix { $0 != ";" && $0 != " " }.lowercased()
    return type.isEmpty || type == "x-unknown" ? nil : type
  }
}
