/// The options of a report: its content, size limit, title and time zone.
package struct ReportOptions: Sendable, Hashable {
  /// The bodies to include; messages of a WebSocket and the fields of forms count as bodies.
  package enum Bodies: String, CaseIterable, Sendable {
    case none
    /// Bodies that the log has as text.
    case text
    case all
  }

  package var bodies: Bodies
  /// The approximate maximum size in bytes: bodies are cut first, then the last exchanges are left out.
  package var sizeLimit: Int
  /// The heading of the report, usually the name of the capture.
  package var title: String
  /// The version of the program that makes the report.
  package var version: String

  /// Whether times are shown in UTC instead of the zone of the person who reads the report.
  package var isUTC: Bool

  package init(bodies: Bodies, sizeLimit: Int, title: String, version: String, isUTC: Bool = false) {
    self.isUTC = isUTC
    self.bodies = bodies
    self.sizeLimit = sizeLimit
    self.title = title
    self.version = version
  }
}
