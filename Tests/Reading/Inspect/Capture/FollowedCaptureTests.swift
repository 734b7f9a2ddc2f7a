import Glibc
import TapelineHAR
import TapelineTestSupport
import Testing

@testable import TapelineInspect

@Suite("Followed captures", .timeLimit(.minutes(1)))
struct FollowedCaptureTests {
  /// Records as our recorder does: into a locked file, whose end each entry overwrites.
  private struct Writer: ~Copyable {
    let path: String
    private let descriptor: Int32
    private var end = 0

    init(_ path: String, isLocked: Bool = true) throws {
      self.path = path
      descriptor = unsafe open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
      try #require(descriptor >= 0)
      if isLocked { try #require(flock(descriptor, LOCK_EX | LOCK_NB) == 0) }
      try add(#"{"log":{"version":"1.2","entries":["#)
    }

    deinit {
      close(descriptor)
    }

    mutating func add(_ text: String, closing: String = #"],"pages":[]}}"#) throws {
      let bytes = Array((text + closing).utf8)
      let count = unsafe bytes.withUnsafeBytes { unsafe pwrite(descriptor, $0.baseAddress, $0.count, end) }
      try #require(count == bytes.count)
      end += text.utf8.count
    }

    mutating func add(url: String, isFirst: Bool = false) throws {
      var entry = HAREntry.ordinary()
      entry.request.url = url
      try add((isFirst ? "" : ",\n") + String(decoding: entry.json, as: UTF8.self))
    }
  }

  /// What comes until there is no more, or the end.
  private func take(_ capture: inout FollowedCapture) throws -> [String] {
    var found: [String] = []
    while let event = try capture.next() {
      switch event {
      case .entry(let number, let entry): found.append("\(number) \(entry.request.url)")
      case .unreadable(let number, _): found.append("\(number) unreadable")
      case .caughtUp: return found
      case .nextFile(let path): found.append("file \(path.split(separator: "/").last ?? "")")
      }
    }
    return found + ["end"]
  }

  @Test("What is there comes first, then what is added, until the recorder closes the file")
  func growing() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("a.har")
    var writer = Optional(try Writer(path))
    var capture = try FollowedCapture(path: path, parts: .overview)
    #expect(try take(&capture) == [])
    try writer?.add(url: "http://h/1", isFirst: true)
    #expect(try take(&capture) == ["1 http://h/1"])
    try writer?.add(url: "http://h/2")
    try writer?.add(url: "http://h/3")
    #expect(try take(&capture) == ["2 http://h/2", "3 http://h/3"])
    writer = nil
    #expect(try take(&capture) == ["end"])
  }

  @Test("What is half written is read when it is whole")
  func torn() throws {
    let directory = try TemporaryDirectory()
    var writer = try Writer(directory.path("a.har"))
    try writer.add(url: "http://h/1", isFirst: true)
    var capture = try FollowedCapture(path: writer.path, parts: .overview)
    #expect(try take(&capture) == ["1 http://h/1"])
    try writer.add("", closing: "],\"pages\":[]}} \"request\":{}}\n]}}")
    #expect(try take(&capture) == [])
    try writer.add(url: "http://h/2")
    #expect(try take(&capture) == ["2 http://h/2"])
  }

  @Test("The recording goes on in the next file, of which there may be several by then; others beside it are nothing")
  func rotated() throws {
    let directory = try TemporaryDirectory()
    var first = Optional(try Writer(directory.path("a.har")))
    try first?.add(url: "http://h/1", isFirst: true)
    var capture = try FollowedCapture(path: directory.path("a.har"), parts: .overview)
    #expect(try take(&capture) == ["1 http://h/1"])
    try directory.write("{", to: "a-x.har")
    var second = Optional(try Writer(directory.path("a-002.har")))
    first = nil
    try second?.add(url: "http://h/2", isFirst: true)
    var third = Optional(try Writer(directory.path("a-003.har")))
    second = nil
    try third?.add(url: "http://h/3", isFirst: true)
    #expect(try take(&capture) == ["file a-002.har", "1 http://h/2", "file a-003.har", "1 http://h/3"])
    third = nil
    #expect(try take(&capture) == ["end"])
    #expect(first == nil && second == nil && third == nil)
  }

  @Test("A file that nobody records into is all there, unless the recording has gone on before")
  func complete() throws {
    let directory = try TemporaryDirectory()
    do {
      var writer = try Writer(directory.path("a.har"), isLocked: false)
      try writer.add(url: "http://h/1", isFirst: true)
    }
    var capture = try FollowedCapture(path: directory.path("a.har"), parts: .overview)
    #expect(try take(&capture) == ["1 http://h/1", "end"])
    _ = try Writer(directory.path("a-001.har"), isLocked: false)
    var later = try Writer(directory.path("a-002.har"))
    try later.add(url: "http://h/2", isFirst: true)
    var followed = try FollowedCapture(path: directory.path("a.har"), parts: .overview)
    #expect(try take(&followed) == ["1 http://h/1", "file a-002.har", "1 http://h/2"])
  }

  @Test("What cannot grow is refused, and what is damaged is said")
  func refused() throws {
    let directory = try TemporaryDirectory()
    let packed = try directory.write(CodedText.gzip, to: "a.har.gz")
    let page = try directory.write("<html>", to: "a.html")
    let damaged = try directory.write(#"{"log":{"entries":[{"time":1},{"#, to: "a.har")
    #expect(throws: CaptureError.self) { _ = try FollowedCapture(path: packed, parts: .overview) }
    #expect(throws: CaptureError.self) { _ = try FollowedCapture(path: page, parts: .overview) }
    #expect(throws: CaptureError.system(code: ENOENT)) { _ = try FollowedCapture(path: "/nowhere/a", parts: .overview) }
    #expect(throws: CaptureError.notGrowing("not a regular file")) {
      _ = try FollowedCapture(path: "/dev/null", parts: .overview)
    }
    var capture = try FollowedCapture(path: damaged, parts: .overview)
    guard case .entry(1, _) = try capture.next() else {
      Issue.record("what comes before the damage was not given")
      return
    }
    #expect(throws: CaptureError.self) { _ = try capture.next() }
  }
}
