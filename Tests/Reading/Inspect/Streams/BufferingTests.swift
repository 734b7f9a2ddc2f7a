import TapelineBase
import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("What collects events on the way")
struct BufferingTests {
  @Test("Of 200 simulated streams, those are told that something has collected; a server's own writes are no alarm")
  func simulated() throws {
    var random = SeededGenerator(seed: 11)
    var (alarms, misses) = ([String](), [String]())
    for round in 0..<200 {
      let isCollected = round % 2 == 1
      var server = SimulatedServer(&random, isFast: !isCollected && round % 10 == 0)
      let writes = server.writes(isCollected ? 1 : round % 3 + 1, &random)
      let passed = isCollected ? SimulatedCollector(of: server, &random).passed(writes) : writes
      let stream = try #require(RecordedStream(Self.entry(server.text, Self.read(passed, &random))))
      let timing = StreamTiming(stream, of: Self.entry(server.text, []))
      let story = "\(timing.count) events of \(server.size) bytes, \(server.gap) ms apart, in \(stream.pieceCount) pieces"
      if timing.mayBeBuffered(stream) != isCollected {
        if isCollected { misses.append(story) } else { alarms.append(story) }
      }
    }
    #expect(alarms.count <= 5, "false alarms: \(alarms)")
    #expect(misses.count <= 5, "not told: \(misses)")
  }

  /// Bytes that were sent or read together.
  struct Piece {
    var time: Double
    var size: Int
  }

  /// The pieces that a reader gets: what comes before it has read is one piece, and no piece is larger than a record of TLS.
  private static func read(_ passed: [Piece], _ random: inout SeededGenerator) -> [Piece] {
    var pieces: [Piece] = []
    var reading = -1.0
    for piece in passed {
      if piece.time <= reading, let last = pieces.indices.last {
        pieces[last].size += piece.size
        continue
      }
      reading = piece.time + Double(random.next(below: 2_000)) / 1_000
      for start in stride(from: 0, to: piece.size, by: 16_384) {
        pieces.append(Piece(time: reading + Double(start) / 1e6, size: min(16_384, piece.size - start)))
      }
    }
    return pieces
  }

  private static func entry(_ text: String, _ pieces: [Piece]) -> HAREntry {
    var entry = HAREntry.ordinary()
    entry.response.content = HARContent(size: text.utf8.count, mimeType: "text/event-stream", text: text)
    entry.response.bodySize = text.utf8.count
    entry.custom["_events"] = ["sentLast": 0]
    entry.custom["_chunks"] = .array(
      pieces.map { ["ts": .number(HARNumber($0.time * 1_000)), "bytes": .number(HARNumber($0.size))] })
    return entry
  }
}

/// A server that sends events one after the other.
private struct SimulatedServer {
  /// About so many bytes, and so many milliseconds.
  let size: Int
  let gap: Double
  private(set) var text = ""
  private let count: Int

  init(_ random: inout SeededGenerator, isFast: Bool) {
    size = [25, 60, 180, 400, 1_500][random.next(below: 5)]
    gap = isFast ? 0.05 : [8.0, 20, 50, 120, 400][random.next(below: 5)]
    count = isFast ? 2_000 : 12 + random.next(below: 300)
  }

  /// - Parameter together: the most events in a write; the first may repeat what was missed.
  mutating func writes(_ together: Int, _ random: inout SeededGenerator) -> [BufferingTests.Piece] {
    var (writes, time, left) = ([BufferingTests.Piece](), 5 + Double(random.next(below: 800)), count)
    while left > 0 {
      let isRepeating = writes.isEmpty && together == 3
      let events = min(left, isRepeating ? 6 : 1 + random.next(below: together))
      var size = 0
      for _ in 0..<events {
        let event = "data: " + String(repeating: "x", count: max(1, self.size / 2 + random.next(below: self.size) - 8)) + "\n\n"
        text += event
        size += event.utf8.count
      }
      writes.append(BufferingTests.Piece(time: time, size: size))
      left -= events
      time += gap * (0.25 + 1.5 * Double(random.next(below: 1_000)) / 1_000)
    }
    return writes
  }
}

/// Something on the way that holds back some six to sixty events: until its buffer is full, or for a time.
private struct SimulatedCollector {
  private let room: Int?
  private let period: Double

  init(of server: SimulatedServer, _ random: inout SeededGenerator) {
    let held = 6 + random.next(below: 54)
    room = random.next(below: 2) == 0 ? server.size * held : nil
    period = server.gap * Double(held)
  }

  func passed(_ writes: [BufferingTests.Piece]) -> [BufferingTests.Piece] {
    var passed: [BufferingTests.Piece] = []
    var held = 0
    var due = (writes.first?.time ?? 0) + period
    for write in writes {
      if room == nil, write.time >= due {
        passed.append(BufferingTests.Piece(time: due, size: held))
        (held, due) = (0, write.time + period)
      }
      held += write.size
      while let room, held >= room {
        passed.append(BufferingTests.Piece(time: write.time, size: room))
        held -= room
      }
    }
    if held > 0 { passed.append(BufferingTests.Piece(time: writes.last?.time ?? 0, size: held)) }
    return passed
  }
}
