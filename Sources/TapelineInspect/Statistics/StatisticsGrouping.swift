package import TapelineHAR

/// The criterion by which `stats --by` groups exchanges.
package enum StatisticsGrouping: String, CaseIterable, Sendable {
  case host
  case path
  case status
  case page
  case method

  /// The name of the group that the exchange belongs to.
  package func key(of entry: HAREntry) -> String {
    switch self {
    case .host: RequestURL(entry.request.url)?.host ?? entry.request.url
    case .path: RequestURL(entry.request.url).map { $0.host + $0.path } ?? entry.request.url
    case .status: entry.response.status == 0 ? "none" : String(entry.response.status)
    case .page: entry.page ?? "none"
    case .method: entry.request.method
    }
  }
}
