internal import TapelineBase
internal import TapelineCore
internal import TapelineHAR
internal import TapelineTime

// The compact texts of `ArrivalText`.
extension EntryWriter {
  /// Appends `_chunks`: when each piece of the body came, its bytes, and what it completed of the body that the log has, if that
  /// is not the body as it came.
  func append(
    pieces arrivals: ArrivalTimes, of body: EntryBody?, from start: MonotonicInstant, to writer: inout JSONWriter
  ) {
    writer.append(member: .chunks)
    writer.append(byte: UInt8(ascii: "\""))
    append(arrivals, from: start, to: &writer) { size, writer in writer.append(arrival: size) }
    if let ends = body?.recordedEnds {
      writer.append(byte: UInt8(ascii: "."))
      var before = 0
      for end in ends {
        writer.append(arrival: end - before)
        before = end
      }
    }
    appendEnd(of: arrivals, to: &writer)
  }

  /// Appends the times and sizes of messages, and what they are.
  ///
  /// - Parameter markBits: how many bits of a message's figure say what it is; the others are its size.
  func append(messages: ArrivalTimes, markBits: Int, from start: MonotonicInstant, to writer: inout JSONWriter) {
    writer.append(byte: UInt8(ascii: "\""))
    append(messages, from: start, to: &writer) { figure, writer in
      writer.append(arrival: figure >> markBits)
      writer.append(arrival: figure & (1 << markBits - 1))
    }
    appendEnd(of: messages, to: &writer)
  }

  /// Appends the microseconds since the arrival before, and what `body` makes of its figure, for each.
  private func append(
    _ arrivals: ArrivalTimes, from start: MonotonicInstant, to writer: inout JSONWriter,
    _ body: (_ figure: Int, inout JSONWriter) -> Void
  ) {
    var last: Int64 = 0
    arrivals.forEach { instant, figure in
      let time = max(last, instant.nanoseconds(since: start) / 1_000)
      writer.append(arrival: Int(time - last))
      body(figure, &writer)
      last = time
    }
  }

  private func appendEnd(of arrivals: ArrivalTimes, to writer: inout JSONWriter) {
    if arrivals.leftOut > 0 {
      writer.append(byte: UInt8(ascii: "+"))
      writer.append(integer: arrivals.leftOut)
    }
    writer.append(byte: UInt8(ascii: "\""))
  }
}

/// How far the content of a body reached when each of its pieces had come.
struct PieceEnds {
  /// Bytes of `plain`.
  var ends: [Int]
  /// The body after decoding, with its secrets.
  var plain: [UInt8] = []
  /// Whether these are other ends than those of the pieces as they came.
  var isDecoded = false

  /// The ends of the pieces as they came; `nil` for a body that was not streamed.
  init?(_ arrivals: ArrivalTimes) {
    guard !arrivals.isEmpty else { return nil }
    var ends: [Int] = []
    ends.reserveCapacity(arrivals.count)
    arrivals.forEach { _, size in ends.append((ends.last ?? 0) + size) }
    self.ends = ends
  }

  mutating func adopt(_ decoded: [Int]) {
    guard decoded.count == ends.count else { return }
    ends = decoded
    isDecoded = true
  }
}

extension EntryBody {
  /// The ends in the body that the log has; `nil` if they are those of the pieces as they came, or if nobody can tell them.
  ///
  /// Hiding a secret changes lengths, and hardly ever the number of lines: an event ends with a line.
  fileprivate var recordedEnds: [Int]? {
    guard let pieces else { return nil }
    guard !pieces.plain.isEmpty, pieces.plain != bytes else {
      // The end of a body that grows may be left out without a count.
      let isAsReceived = !pieces.isDecoded && UInt64(bytes.count) + missing == size
      return isAsReceived ? nil : pieces.ends.map { min($0, bytes.count) }
    }
    let (before, after) = (Self.lineEnds(of: pieces.plain), Self.lineEnds(of: bytes))
    guard before.count == after.count else { return nil }
    var line = 0
    return pieces.ends.map { end in
      while line < before.count, before[line] <= end { line += 1 }
      let (start, hiddenStart) = line == 0 ? (0, 0) : (before[line - 1], after[line - 1])
      let hiddenEnd = line < after.count ? after[line] - 1 : bytes.count
      return min(hiddenStart + end - start, max(hiddenStart, hiddenEnd))
    }
  }

  /// Where each line ends, behind its LF.
  private static func lineEnds(of bytes: [UInt8]) -> [Int] {
    bytes.indices.filter { bytes[$0] == Byte.lineFeed }.map { $0 + 1 }
  }
}
