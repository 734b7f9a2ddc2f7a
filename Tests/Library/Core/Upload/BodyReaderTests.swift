import Dispatch
import FoundationEssentials
import Synchronization
import TapelineTestSupport
import Testing

@testable import TapelineCore

@Suite struct BodyReaderTests {
  /// Takes all, waiting where the reader has nothing yet.
  private func all(_ reader: BodyReader, limit: Int = 64 * 1024) throws -> [UInt8] {
    var bytes: [UInt8] = []
    while true {
      let ready = DispatchSemaphore(value: 0)
      switch reader.next(limit: limit, ready: { ready.signal() }) {
      case .bytes(let piece):
        #expect(!piece.isEmpty && piece.count <= limit)
        bytes += piece
      case .later: try #require(ready.wait(timeout: .now() + 120) == .success)
      case .end: return bytes
      case .failed(let error): throw error
      }
    }
  }

  @Test("A file arrives complete in pieces of any size", arguments: [1_000, 4_096, 65_536, 100_000])
  func file(limit: Int) throws {
    let directory = try TemporaryDirectory()
    let bytes = patternedBytes(500_003)
    let path = try directory.write(bytes, to: "file")
    #expect(try all(BodyReader(.file(path, length: 500_003)), limit: limit) == bytes)
  }

  @Test("No more than the limit is read ahead")
  func readAhead() throws {
    let directory = try TemporaryDirectory()
    let path = try directory.makeSparseFile("file", size: 4 << 20)
    let reader = BodyReader(.file(path, length: 4 << 20))
    #expect(try all(reader).count == 4 << 20)
    #expect(reader.highestBacklog <= BodyReader.readAheadLimit)
  }

  @Test("A missing file and a shrunken file fail")
  func failures() throws {
    let directory = try TemporaryDirectory()
    #expect(throws: FileError.self) { try all(BodyReader(.file(directory.path("none"), length: 1))) }
    let path = try directory.write("123", to: "file")
    #expect(throws: UploadError.endedEarly(expected: 4, read: 3)) { try all(BodyReader(.file(path, length: 4))) }
    #expect(throws: UploadError.exceededLength(expected: 2)) { try all(BodyReader(.file(path, length: 2))) }
  }

  @Test("A stream without a length ends where it ends; it is opened when the first byte is wanted, and once")
  func stream() throws {
    let opened = Mutex(0)
    let stream = UploadStream {
      opened.withLock { $0 += 1 }
      let left = Mutex<[[UInt8]]>([[5], [3, 4], [1, 2]])
      return { _ in left.withLock { $0.popLast() ?? [] } }
    }
    let reader = BodyReader(stream)
    #expect(opened.withLock { $0 } == 0)
    #expect(try all(reader) == [1, 2, 3, 4, 5])
    #expect(opened.withLock { $0 } == 1)
  }

  @Test("A stream's error is passed on after the bytes before it")
  func throwing() throws {
    struct Broken: Error {}
    let first = Mutex(true)
    let reader = BodyReader(
      UploadStream {
        { _ in
          guard
            first.withLock({ first in
              defer { first = false }; return first
            })
          else { throw Broken() }
          return [1]
        }
      })
    var bytes: [UInt8] = []
    #expect(throws: Broken.self) {
      while true {
        let ready = DispatchSemaphore(value: 0)
        switch reader.next(limit: 10, ready: { ready.signal() }) {
        case .bytes(let piece): bytes += piece
        case .later: _ = ready.wait(timeout: .now() + 120)
        case .end: return
        case .failed(let error): throw error
        }
      }
    }
    #expect(bytes == [1])
  }
}
