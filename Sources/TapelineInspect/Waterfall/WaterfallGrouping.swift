/// The criterion by which a waterfall groups exchanges.
package enum WaterfallGrouping: String, CaseIterable, Sendable {
  /// Each page has its own time scale.
  case page
  /// The connection to the server; all groups share one scale, so that idle times show.
  case connection
  /// All exchanges together.
  case none

  /// Whether every group begins at its own first exchange.
  var hasOwnScales: Bool {
    switch self {
    case .page: true
    case .connection, .none: false
    }
  }
}
