/// By what a waterfall puts exchanges together.
package enum WaterfallGrouping: String, CaseIterable, Sendable {
  /// Each page has a time scale of its own.
  case page
  /// The connection to the server; all are drawn to one scale, so that idle times show.
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
