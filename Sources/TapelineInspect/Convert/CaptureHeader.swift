package import TapelineHAR

/// What a log says besides its entries.
package enum CaptureHeader {
  /// What is said where a log says nothing.
  package static var unknown: HARLog { HARLog(version: "1.2", creator: HARCreator(name: "unknown", version: "")) }

  /// Goes through the whole file, since pages may stand behind the entries.
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
