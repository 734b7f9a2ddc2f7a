import TapelineTime
import Testing

@testable import TapelineTransport

/// What frames say of times and counts.
@Suite("Measuring frames")
struct FrameMetersTests {
  private static let preface = [UInt8](repeating: 0, count: 24)

  private static func frame(_ type: UInt8, _ flags: UInt8 = 0, stream: UInt8, length: Int) -> [UInt8] {
    [0, UInt8(length >> 8), UInt8(length & 0xFF), type, flags, 0, 0, 0, stream] + [UInt8](repeating: 0, count: length)
  }

  private static func progress(_ frames: inout SentFrames, after count: Int) -> [SentFrames.Progress] {
    frames.didWrite(count)
    var all: [SentFrames.Progress] = []
    while let next = frames.next() { all.append(next) }
    return all
  }

  @Test("A stream begins with the first byte of its head, and ends with the whole frame that ends it")
  func sent() {
    var frames = SentFrames()
    let output = Self.preface + Self.frame(1, 4, stream: 1, length: 10) + Self.frame(0, 1, stream: 1, length: 5)
    frames.append(output.span)
    #expect(Self.progress(&frames, after: 24) == [])
    #expect(Self.progress(&frames, after: 1) == [.began(1, hasWaited: true)])
    #expect(Self.progress(&frames, after: 18 + 13) == [.left(1, bytes: 19, endsStream: false)])
    #expect(Self.progress(&frames, after: 1) == [.left(1, bytes: 14, endsStream: true)])
    let next = Self.frame(1, 5, stream: 3, length: 1)
    frames.append(next.span)
    #expect(Self.progress(&frames, after: 10) == [.began(3, hasWaited: false), .left(3, bytes: 10, endsStream: true)])
  }

  @Test("A head that ends its stream does so with its last CONTINUATION (RFC 9113 6.10)")
  func continued() {
    var frames = SentFrames()
    let output = Self.preface + Self.frame(1, 1, stream: 1, length: 2) + Self.frame(9, 4, stream: 1, length: 3)
    frames.append(output.span)
    #expect(
      Self.progress(&frames, after: output.count) == [
        .began(1, hasWaited: false), .left(1, bytes: 11, endsStream: false), .left(1, bytes: 12, endsStream: true),
      ])
  }

  @Test("Acknowledged settings end no stream")
  func settings() {
    var frames = SentFrames()
    let output = Self.preface + Self.frame(4, 1, stream: 0, length: 0)
    frames.append(output.span)
    #expect(Self.progress(&frames, after: output.count) == [.left(0, bytes: 9, endsStream: false)])
  }

  @Test("Bytes that come belong to their streams, and a head began when its first byte came, however it is cut")
  func received() {
    let input = Self.frame(1, 4, stream: 1, length: 3) + Self.frame(0, 1, stream: 3, length: 4)
    for cut in 1..<input.count {
      var frames = ReceivedFrames()
      var bytes: [Int32: Int] = [:]
      var began: [Int64] = []
      for (number, part) in [input[..<cut], input[cut...]].enumerated() {
        let part = Array(part)
        var offset = 0
        let instant = MonotonicInstant(nanoseconds: Int64(number))
        while let piece = frames.next(part.span, from: &offset, at: instant) {
          bytes[piece.stream, default: 0] += piece.bytes
          if let instant = piece.headBegan { began.append(instant.nanoseconds) }
        }
        #expect(offset == part.count)
      }
      #expect(bytes == [1: 12, 3: 13])
      #expect(began == [0])
    }
  }
}
