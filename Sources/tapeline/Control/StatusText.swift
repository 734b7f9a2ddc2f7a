internal import TapelineInspect

/// What a recording is doing, for people: three lines.
enum StatusText {
  static func lines(for status: RecordingStatus) -> [String] {
    let log = status.log
    let traffic = status.traffic
    let interception = status.interception == nil ? "HTTPS is tunnelled" : "HTTPS is intercepted"
    var recorded = [
      "recorded \(log.recorded)", "failed \(log.failed)", "in \(log.files) \(log.files == 1 ? "file" : "files")",
      "now \(log.page)",
    ]
    if log.filtered > 0 { recorded.append("\(log.filtered) left out by --filter") }
    if log.withoutBodies > 0 { recorded.append("\(log.withoutBodies) without their bodies") }
    if log.notRecorded > 0 { recorded.append("\(log.notRecorded) not recorded") }
    return [
      "\(status.title.printable): process \(status.processID), on \(status.endpoints.joined(separator: " and ")), \(interception)",
      "in flight \(traffic.inFlight), tunnels \(traffic.openTunnels), clients \(traffic.clients), begun \(traffic.begun)",
      "\(recorded.joined(separator: ", ")), \(log.file.printable) (\(ByteCountText.long(log.fileSize)))",
    ]
  }
}
