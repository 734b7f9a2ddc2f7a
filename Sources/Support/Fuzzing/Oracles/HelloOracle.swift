internal import TapelineTLS

/// The first bytes of a TLS client: once the result is known, more bytes change nothing.
enum HelloOracle {
  /// The number of prefixes that are checked: all prefixes of short inputs.
  private static let prefixLimit = 512

  /// A hello that the bytes to the client may answer: a record, a message, and the fewest bytes that a hello has.
  private static let question: [UInt8] =
    [22, 3, 1, 0, 47, 1, 0, 0, 43, 3, 3] + [UInt8](repeating: 0, count: 32) + [0, 0, 2, 0x13, 1, 1, 0, 0, 0]

  static func check(_ input: [UInt8]) throws(OracleViolation) {
    try checkPrefixes(of: input)
    for direction in [TLSRecordObserver.Direction.toServer, .toClient] {
      let whole = observed(input, .whole, direction)
      for segmentation in Segmentation.all(of: input) {
        let cut = observed(input, segmentation, direction)
        try OracleViolation.requireEqual(cut, whole, "\(segmentation) and in one piece is the same")
      }
    }
  }

  private static func checkPrefixes(of input: [UInt8]) throws(OracleViolation) {
    let final = ClientHello.peek(input.span)
    for count in 0..<min(input.count, prefixLimit) {
      let peek = ClientHello.peek(input.span.extracting(first: count))
      if peek != .needsMore { try OracleViolation.requireEqual(peek, final, "what \(count) bytes were stays what it is") }
    }
    guard case .hello(let hello) = final, let name = hello.serverName else { return }
    try OracleViolation.require(
      name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "a server's name is printable: \(name.debugDescription)")
  }

  private struct Observation: Equatable {
    let clientHello: ClientHello?
    let serverHello: ServerHello?
    let alert: TLSRecordObserver.Alert?
    let isDone: Bool
  }

  private static func observed(
    _ input: [UInt8], _ segmentation: Segmentation, _ direction: TLSRecordObserver.Direction
  ) -> Observation {
    var observer = TLSRecordObserver()
    if direction == .toClient { observer.observe(question.span, .toServer) }
    for range in segmentation.pieces(of: input.count) { observer.observe(input.span.extracting(range), direction) }
    return Observation(
      clientHello: observer.clientHello, serverHello: observer.serverHello, alert: observer.alert, isDone: observer.isDone)
  }
}
