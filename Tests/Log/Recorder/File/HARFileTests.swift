import Glibc
import TapelineHAR
import TapelineTestSupport
import Testing

@testable import TapelineRecorder

private func closing(_ missing: MissingCounts = MissingCounts()) -> [UInt8] {
  FileClosing(pages: [], missing: missing).bytes
}

struct HARFileTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  private func begin(_ path: String, replacing replaces: Bool = false) throws(RecorderError) -> HARFile {
    var opening = JSONWriter()
    opening.append(json: "{\"log\":{\"creator\":{\"name\":\"t\",\"version\":\"1\"},\"entries\":[\n")
    return try HARFile(path: path, replacing: replaces, opening: opening, closing: closing())
  }

  private func add(_ comment: String, to file: inout HARFile, isFirst: Bool, missing: MissingCounts = MissingCounts()) throws {
    if !isFirst { HARFraming.separate(in: &file.text) }
    file.text.append(json: #"{"comment":"#)
    file.text.append(string: comment)
    file.text.append(byte: UInt8(ascii: "}"))
    try file.flush(closing: closing(missing))
    let waiting = file.waiting
    #expect(waiting == 0)
  }

  private func read(_ path: String) throws -> HARLog {
    try HARLog(json: readFile(path))
  }

  @Test func parsesAfterEveryAppend() throws {
    let path = directory.path("a.har")
    var file = try begin(path)
    #expect(try read(path).entries.isEmpty)
    for number in 0..<50 {
      try add(String(repeating: "é", count: number * 50), to: &file, isFirst: number == 0)
      #expect(try read(path).entries.count == number + 1)
      #expect(try readFile(path).count == file.size)
    }
  }

  @Test func theClosingGrowsWithWhatIsMissing() throws {
    let path = directory.path("a.har")
    var file = try begin(path)
    for number in 0..<12 {
      try add("x", to: &file, isFirst: number == 0, missing: MissingCounts(bodies: UInt64(number)))
      let expected: HARObject =
        number == 0 ? [:] : ["_dropped": ["bodies": .number(HARNumber(number)), "exchanges": 0, "unwritten": 0]]
      #expect(try read(path).custom == expected)
    }
  }

  @Test func isForItsOwnerOnly() throws {
    let path = directory.path("a.har")
    _ = try begin(path)
    #expect(try fileMode(path) == 0o600)
  }

  @Test func neverOverwritesAnything() throws {
    let path = try directory.write("{", to: "damaged.har")
    #expect(throws: RecorderError.fileExists(path: path)) { _ = try begin(path) }
    #expect(try readText(path) == "{")
  }

  @Test func overwritesWhatIsToBeReplacedUnlessItIsALinkOrRecordedInto() throws {
    let path = try directory.write(String(repeating: "precious", count: 10_000), to: "a.har")
    do {
      let file = try begin(path, replacing: true)
      #expect(try fileMode(path) == 0o600)
      #expect(throws: RecorderError.locked(path: path)) { _ = try begin(path, replacing: true) }
      _ = file.size
    }
    #expect(try HARLog(json: readFile(path)).entries.isEmpty)
    let link = directory.path("link")
    try #require(unsafe symlink(path, link) == 0)
    #expect(throws: RecorderError.self) { _ = try begin(link, replacing: true) }
  }

  @Test func anEmptyFileMayHaveBeenMadeForUs() throws {
    let path = try directory.write("", to: "empty.har")
    _ = try begin(path)
    #expect(try read(path).entries.isEmpty)
  }

  @Test func twoWritersAreRefused() throws {
    let path = directory.path("a.har")
    let file = try begin(path)
    #expect(throws: RecorderError.locked(path: path)) { _ = try begin(path) }
    _ = consume file
    #expect(throws: RecorderError.fileExists(path: path)) { _ = try begin(path) }
  }

  @Test func onlyRegularFilesInPlacesThatExist() throws {
    #expect(throws: RecorderError.notRegular(path: "/dev/null")) { _ = try begin("/dev/null") }
    let missing = directory.path("no/a.har")
    #expect(throws: RecorderError.cannotCreate(path: missing, code: ENOENT)) { _ = try begin(missing) }
  }

  @Test func noticesThatItWasRemoved() throws {
    let path = directory.path("a.har")
    var file = try begin(path)
    #expect(unsafe unlink(path) == 0)
    #expect(throws: RecorderError.removed(path: path)) { try add("x", to: &file, isFirst: true) }
  }

  /// The limit of the size of files stands in for a full disk: both stop a write in the middle.
  @Test func aFullDiskLeavesTheFileAsItWas() async {
    await #expect(processExitsWith: .success) {
      signal(SIGXFSZ, SIG_IGN)
      let directory = try TemporaryDirectory()
      let path = directory.path("a.har")
      var opening = JSONWriter()
      opening.append(json: "{\"log\":{\"creator\":{\"name\":\"t\",\"version\":\"1\"},\"entries\":[\n")
      var file = try HARFile(path: path, opening: opening, closing: closing())
      var limit = rlimit(rlim_cur: 12_288, rlim_max: 12_288)
      precondition(unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0, "the limit can be lowered")

      file.text.append(json: #"{"comment":"first"}"#)
      try file.flush(closing: closing())
      file.text.append(json: ",\n")
      file.text.append(string: String(repeating: "x", count: 20_000))
      do throws(RecorderError) {
        try file.flush(closing: closing())
        preconditionFailure("there was no room")
      } catch {
        precondition(error == .writeFailed(path: path, code: EFBIG), "\(error)")
      }
      let restored = try readFile(path)
      precondition(restored.count == file.size, "nothing is left behind the closing")
      let kept = try HARLog(json: restored).entries.count
      precondition(kept == 1, "the first entry is still there")
      var attempts = 0
      file.text.append(json: ",\n")
      file.text.append(string: String(repeating: "y", count: 20_000))
      do throws(RecorderError) {
        try file.flush(closing: closing()) { _ in
          attempts += 1
          precondition((try? readFile(path)) == restored, "nothing is left of an attempt")
          return attempts < 3
        }
        preconditionFailure("there was no room")
      } catch {
        precondition(attempts == 3, "it was tried as often as that was wanted")
      }
      file.text.append(json: #",{"comment":"second"}"#)
      try file.flush(closing: closing(MissingCounts(unwritten: 1)))
      let final = try HARLog(json: readFile(path)).entries.count
      precondition(final == 2, "writing goes on when there is room")
    }
  }
}
