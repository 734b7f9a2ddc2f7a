import Glibc
import TapelineHAR
import TapelineSystem
import TapelineTestSupport
import Testing

@testable import TapelineInspect

/// A log that is written as our recorder writes: entries and a new end over the old end, in blocks.
private final class Recording {
  let path: String
  private let directory: TemporaryDirectory
  private let descriptor: Int32
  private var end: Int
  private var count = 0

  init(in directory: TemporaryDirectory) throws {
    self.directory = directory
    path = directory.path("a.har")
    descriptor = unsafe open(path, O_RDWR | O_CREAT, 0o600)
    try #require(descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    end = 0
    try put(#"{"log":{"version":"1.2","creator":{"name":"tapeline","version":"1"},"entries":["# + "\n")
  }

  deinit {
    close(descriptor)
  }

  /// Writes entries of about `size` bytes.
  func add(_ entries: Int, size: Int = 100) throws {
    for _ in 0..<entries {
      let comma = count == 0 ? "" : ",\n"
      try put(comma + #"{"request":{"url":"http://a/\#(count)"},"comment":"\#(String(repeating: "x", count: size))"}"#)
      count += 1
    }
  }

  private func put(_ text: String) throws {
    let closing = "\n],\"pages\":[{\"id\":\"p\",\"title\":\"\(count)\"}]}}"
    let blanks = 4_095 - (end + text.utf8.count + closing.utf8.count) % 4_096
    let bytes = Array((text + closing + String(repeating: " ", count: blanks) + "\n").utf8)
    try #require(unsafe pwrite(descriptor, bytes, bytes.count, off_t(end)) == bytes.count)
    end += text.utf8.count
  }

  func withDescriptor<Result>(_ body: (Int32) -> Result) -> Result { body(descriptor) }

  /// Cuts a write in the middle.
  func tear() throws {
    let bytes = Array(",\n{\"request\":{\"url\":\"http".utf8)
    try #require(unsafe pwrite(descriptor, bytes, bytes.count, off_t(end)) == bytes.count)
  }
}

@Suite("A log that is being recorded")
struct RecordedTailTests {
  private func urls(of source: InputSource) throws -> [String] {
    var capture = Capture(source)
    var urls: [String] = []
    while let entry = try capture.next() { urls.append(entry.request.url) }
    return urls
  }

  @Test(
    "A reader sees it as it was when it was opened, whatever is written meanwhile", arguments: [0, 1, 3, 2_000],
    [100, 9_000, 600_000])
  func moment(entries: Int, size: Int) throws {
    let entries = size > 100_000 ? min(entries, 3) : size > 1_000 ? min(entries, 200) : entries
    let recording = try Recording(in: try TemporaryDirectory())
    try recording.add(entries, size: size)
    for use in [InputSource.Use.once, .again, .anywhere] {
      let source = try InputSource.open(recording.path, for: use)
      var file = InputFile(source)
      _ = try file.read()
      try recording.add(50)
      try recording.tear()
      let first = try urls(of: source)
      #expect(try urls(of: source) == first)
      #expect(first.count >= entries && first.last.map { $0 == "http://a/\(first.count - 1)" } ?? true)
      #expect(try CaptureHeader.read(source).pages.map(\.title) == ["\(max(0, first.count - 1))"])
      #expect(source.size.map { $0 % 4_096 } == 0)
      try recording.add(1)
    }
    #expect(try urls(of: InputSource.open(recording.path)).count == entries + 3 * 51)
  }

  @Test("Bytes at any place are those of that moment")
  func places() throws {
    let recording = try Recording(in: try TemporaryDirectory())
    try recording.add(100)
    let source = try InputSource.open(recording.path, for: .anywhere)
    let file = InputFile(source)
    let size = try #require(source.size)
    let whole = try file.bytes(in: 0..<size)
    try recording.add(100)
    for start in stride(from: 0, to: size, by: 997) {
      #expect(try file.bytes(in: start..<min(start + 5_000, size)) == Array(whole[start..<min(start + 5_000, size)]))
    }
    #expect(try file.bytes(in: size..<size + 10).isEmpty)
  }

  @Test("A recorder that has to wait in the middle of a write is waited for")
  func patience() throws {
    let recording = try Recording(in: try TemporaryDirectory())
    try recording.add(3)
    try recording.tear()
    var pauses = 0
    let tail = recording.withDescriptor { descriptor in
      RecordedTail(of: descriptor) {
        pauses += 1
        if pauses == 400 { #expect(throws: Never.self) { try recording.add(1) } }
      }
    }
    #expect(tail != nil && pauses == 400)
  }

  @Test("A file that is locked and none of ours is read as it is")
  func foreign() throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write(#"{"log":{"entries":[{"request":{"url":"u"}}]}}"#, to: "a.har")
    let descriptor = unsafe open(path, O_RDONLY)
    defer { close(descriptor) }
    try #require(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    #expect(try urls(of: InputSource.open(path)) == ["u"])
  }
}
