/// What a report holds of the capture that it is made of.
package struct ReportOptions: Sendable, Hashable {
  /// Which bodies go in; messages of a WebSocket and the fields of forms count as bodies.
  package enum Bodies: String, CaseIterable, Sendable {
    case none
    /// Those that the log has as text.
    case text
    case all
  }

  package var bodies: Bodies
  /// So many bytes the report may have, about: bodies are cut first, then the last exchanges are left out.
  package var sizeLimit: Int
  /// What stands above the report, as a rule the name of the capture.
  package var title: String
  /// Of the program that makes the report.
  package var version: String

  /// Whether times are shown in UTC, and not in the zone of who looks at the report.
  package var isUTC: Bool

  package init(bodies: Bodies, sizeLimit: Int, title: String, version: String, isUTC: Bool = false) {
    self.isUTC = isUTC
    self.bodies = bodies
    self.sizeLimit = sizeLimit
    self.title = title
    self.version = version
  }
}
