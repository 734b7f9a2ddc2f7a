@testable import TapelineOffline
import TapelineHAR
import TapelineInspect
import TapelineSystem
import TapelineTestSupport
import Testing

@Suite("Several captures")
struct CaptureFleetTests {
  private static func log(_ host: String, wait: Double = 5) -> String {
    let time = "\"time\":\(wait),\"timings\":{\"send\":0,\"wait\":\(wait),\"receive\":0}"
    return #"{"log":{"entries":[{\#(time),"request":{"method":"GET","url":"http://\#(host)/"},"response":{"status":200}}]}}"#
  }

  private static func fleet() throws -> TemporaryDirectory {
    let directory = try TemporaryDirectory()
    for path in ["build-1", "build-2", "build-2/late", ".hidden"] { _ = try directory.makeDirectory(path) }
    for (path, host) in [
      ("a.har", "a"), ("build-1/b.har", "b"), ("build-2/c.har", "c"), ("build-2/late/d.har", "d"), (".hidden/e.har", "e"),
      ("build-2/.f.har", "f"), ("build-2/note.txt", "g"),
    ] {
      _ = try directory.write(log(host), to: path)
    }
    return directory
  }

  @Test(
    "Patterns name files by their components",
    arguments: [
      ("**/*.har", ["a.har", "build-1/b.har", "build-2/c.har", "build-2/late/d.har"]), ("*.har", ["a.har"]),
      ("build-?/*.har", ["build-1/b.har", "build-2/c.har"]), ("*/late/*", ["build-2/late/d.har"]),
      ("build-2/**", []), ("build-2/**/d.har", ["build-2/late/d.har"]), ("*/.*.har", ["build-2/.f.har"]),
      ("**/**/c.har", ["build-2/c.har"]), ("build-2//*.txt", ["build-2/note.txt"]), ("none/*", []),
    ] as [(String, [String])])
  func patterns(pattern: String, expected: [String]) throws {
    let directory = try Self.fleet()
    let found = try #require(FilePattern(directory.path(pattern))).paths
    #expect(found == expected.map { directory.path($0) })
  }

  @Test("A directory, a pattern that nothing matches, and stdin among others are refused with advice")
  func refusals() throws {
    let directory = try Self.fleet()
    for (name, remedy) in [(directory.path("build-1"), "build-1/**/*.har"), (directory.path("*.zst"), "**")] {
      let failure = #expect(throws: CommandFailure.self) { try CaptureFleet([name]) }
      #expect(failure?.status == .badInput)
      #expect(failure?.remedy.contains(remedy) == true)
    }
    let failure = #expect(throws: CommandFailure.self) { try CaptureFleet([directory.path("a.har"), "-"]) }
    #expect(failure?.status == .usage)
    #expect(try CaptureFleet(["-"]).files == ["-"])
  }

  @Test("A file with wildcards in its name is that file, and no file counts twice")
  func names() throws {
    let directory = try Self.fleet()
    let odd = try directory.write(Self.log("odd"), to: "*.har")
    #expect(try CaptureFleet([odd]).files == [odd])
    let twice = try CaptureFleet([directory.path("build-1/*.har"), directory.path("build-1/b.har"), directory.path("**/b.har")])
    #expect(twice.files == [directory.path("build-1/b.har")])
    #expect(!twice.hasSeveral)
  }

  @Test("What is not a capture is reported, and the others are counted")
  func foreignFiles() throws {
    let directory = try Self.fleet()
    _ = try directory.write("plain words", to: "build-2/x.har")
    let reading = StatisticsReading(of: try CaptureFleet([directory.path("**/*.har")]), filter: nil, indexing: .never)
    var statistics = CaptureStatistics(by: [.directory, .host])
    let failure = #expect(throws: CommandFailure.self) { try reading.count(into: &statistics) }
    #expect(failure?.description.hasPrefix("1 of 5 captures: not read") == true)
    #expect(statistics.all.exchanges == 4)
    #expect(
      statistics.rankedGroups.map(\.name).sorted()
        == [
          "\(directory.path("")), a", "\(directory.path("build-1")), b", "\(directory.path("build-2")), c",
          "\(directory.path("build-2/late")), d",
        ].map { $0.replacing("/, ", with: ", ") })
  }

  @Test("The second question is answered by the index: the capture is not read again")
  func secondQuestion() throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write(Self.log("first"), to: "a.har")
    func count(_ indexing: CaptureIndexing) throws -> [String] {
      let reading = StatisticsReading(of: try CaptureFleet([path]), filter: nil, indexing: indexing)
      var statistics = CaptureStatistics(by: [.host])
      try reading.count(into: &statistics)
      return statistics.rankedGroups.map(\.name)
    }
    func age() throws { try #require(try TestProcess("touch", ["-d", "2020-01-01T00:00:00Z", path]).wait().isSuccess) }
    let index = IndexFile.path(beside: path)

    // Just written: it may be written still.
    #expect(try count(.always) == ["first"])
    #expect(!SystemCalls.exists(index))
    try age()
    #expect(try count(.ifPresent) == ["first"])
    #expect(!SystemCalls.exists(index))
    #expect(try count(.always) == ["first"])
    #expect(SystemCalls.exists(index))

    // The same file with the same size and time has another content, which only a reader of the capture sees.
    let descriptor = try SystemCalls.open(path, .writeOnly)
    try SystemCalls.writeAll(Array(Self.log("other").utf8).span, to: descriptor)
    try SystemCalls.close(descriptor)
    try age()
    #expect(try count(.ifPresent) == ["first"])
    #expect(try count(.never) == ["other"])
    // A time of its own makes the index stale: it goes, and the next question makes a new one.
    try #require(try TestProcess("touch", ["-d", "2020-01-01T00:00:01Z", path]).wait().isSuccess)
    #expect(try count(.never) == ["other"])
    #expect(SystemCalls.exists(index))
    #expect(try count(.ifPresent) == ["other"])
    #expect(!SystemCalls.exists(index))
    #expect(try count(.always) == ["other"])
    #expect(try count(.ifPresent) == ["other"])
  }

  @Test("A recording that runs gets no index, nor does a damaged capture")
  func unfinished() throws {
    let directory = try TemporaryDirectory()
    let whole = try directory.write(Self.log("a"), to: "a.har")
    let damaged = try directory.write(String(Self.log("b").dropLast(3)), to: "b.har")
    for path in [whole, damaged] {
      try #require(try TestProcess("touch", ["-d", "2020-01-01T00:00:00Z", path]).wait().isSuccess)
    }
    let recorder = try SystemCalls.open(whole)
    #expect(try SystemCalls.tryLock(recorder, .exclusive))
    #expect(CaptureIndexing.always.index(of: try InputSource.open(whole)) == nil)
    SystemCalls.unlock(recorder)
    #expect(CaptureIndexing.always.index(of: try InputSource.open(whole)) != nil)
    try SystemCalls.close(recorder)
    #expect(CaptureIndexing.always.index(of: try InputSource.open(damaged)) == nil)
    let crowded = try directory.write(Self.log(String(repeating: "x", count: 70_000)), to: "c.har")
    try #require(try TestProcess("touch", ["-d", "2020-01-01T00:00:00Z", crowded]).wait().isSuccess)
    #expect(CaptureIndexing.always.index(of: try InputSource.open(crowded)) == nil)
    try SystemCalls.remove(crowded)
    #expect(try Directory.names(in: directory.path("")).sorted() == [".a.har.tapeline-index", "a.har", "b.har"])
  }
}
