internal import TapelineTime

/// A client that has connected to the control socket and has not sent its whole line yet.
struct ControlCaller {
  let connection: ControlConnection
  /// The server waits for the client until then.
  let deadline: MonotonicInstant
  private var line: [UInt8] = []

  init(connection: ControlConnection, deadline: MonotonicInstant) {
    self.connection = connection
    self.deadline = deadline
  }

  /// The line without its end, once that has come. What follows it is dropped: there is one line each way.
  mutating func receive(limit: Int) throws(ControlConnectionError) -> [UInt8]? {
    while let piece = try connection.receiveNow() {
      guard !piece.isEmpty else { throw .closed }
      let end = piece.firstIndex(of: UInt8(ascii: "\n"))
      line += piece[..<(end ?? piece.endIndex)]
      guard line.count <= limit else { throw .lineTooLong(limit: limit) }
      if end != nil { return line }
    }
    return nil
  }

  /// Milliseconds until the first deadline, when a silent caller must be dropped; `nil` without callers.
  static func patience(with callers: [ControlCaller], at now: MonotonicInstant) -> Int32? {
    guard let first = callers.map({ $0.deadline.nanoseconds(since: now) }).min() else { return nil }
    return Int32(clamping: max(0, first) / 1_000_000 + 1)
  }
}
