package import TapelineHAR

/// The content of a log besides its entries.
package enum CaptureHeader {
  /// The header for a log that has none.
  package static var unknown: HARLog { HARLog(version: "1.2", creator: HARCreator(name: "unknown", version: "")) }

  /// Reads the whole file, since pages may come after the entries.
  package static func read(_ source: InputSource) throws(CaptureError) -> HARLog {
    var log = unknown
    var capture = Capture(source, parts: .overview)
    while let event = try capture.nextEvent() {
      if case .entry = event { continue }
      log.take(event)
    }
    return log
  }
}
