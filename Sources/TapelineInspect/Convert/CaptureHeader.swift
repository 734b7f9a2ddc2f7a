package import TapelineHAR

/// What a log says besides its entries.
package enum CaptureHeader {
  /// Goes through the whole file, since pages may stand behind the entries.
  package static func read(path: String) throws(CaptureError) -> HARLog {
    var log = HARLog(version: "1.2", creator: HARCreator(name: "unknown", version: ""))
    var capture = try Capture(path: path, parts: .overview)
    while let event = try capture.nextEvent() {
      if case .entry = event { continue }
      log.take(event)
    }
    return log
  }
}
