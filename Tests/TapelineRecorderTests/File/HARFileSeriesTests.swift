import TapelineHAR
import TapelineTestSupport
import Testing

@testable import TapelineRecorder

struct HARFileSeriesTests {
  private let directory: TemporaryDirectory
  private var configuration: RecorderConfiguration

  init() throws {
    directory = try TemporaryDirectory()
    configuration = RecorderConfiguration(path: directory.path("a.har"), title: "a title", creatorVersion: "9")
    configuration.anchor = ExampleExchange.anchor
  }

  private func comments(_ name: String) throws -> [String?] {
    try HARLog(json: readFile(directory.path(name))).entries.map(\.comment)
  }

  private func add(_ comment: String, to files: inout HARFileSeries) throws {
    try files.append { writer in
      writer.append(json: #"{"comment":"#)
      writer.append(string: comment)
      writer.append(octet: UInt8(ascii: "}"))
    }
  }

  @Test func everyFileHasItsPage() throws {
    _ = try HARFileSeries(configuration)
    let log = try HARLog(json: readFile(configuration.path))
    #expect(log.creator == HARCreator(name: "tapeline", version: "9"))
    #expect(
      log.pages == [
        HARPage(
          startedDateTime: "2026-03-04T05:06:07.123456Z", id: "page_1", title: "a title",
          pageTimings: HARPageTimings(onContentLoad: -1, onLoad: -1))
      ])
  }

  @Test func manyEntriesAreOneWrite() throws {
    var files = try HARFileSeries(configuration)
    try add("1", to: &files)
    try add("2", to: &files)
    #expect(try comments("a.har").isEmpty)
    try files.flush()
    #expect(try comments("a.har") == ["1", "2"])
    try add("3", to: &files)
    try files.flush()
    #expect(try comments("a.har") == ["1", "2", "3"])
  }

  @Test func muchTextIsWrittenWithoutBeingAsked() throws {
    var files = try HARFileSeries(configuration)
    let large = String(repeating: "x", count: 600_000)
    try add(large, to: &files)
    try add(large, to: &files)
    #expect(try comments("a.har").count == 2)
  }

  @Test func rotationPassesOverNamesThatAreTaken() throws {
    try directory.write("{", to: "a-2.har")
    var files = try HARFileSeries(configuration)
    try add("0", to: &files)
    for number in 1...3 {
      try files.rotate()
      try add("\(number)", to: &files)
    }
    try files.flush()
    #expect(files.paths.map { $0.split(separator: "/").last } == ["a.har", "a-1.har", "a-3.har", "a-4.har"])
    #expect(try comments("a.har") == ["0"])
    #expect(try comments("a-1.har") == ["1"])
    #expect(try comments("a-3.har") == ["2"])
    #expect(try comments("a-4.har") == ["3"])
  }

  @Test func aFileStaysBelowItsLimit() throws {
    var configuration = configuration
    configuration.fileSizeLimit = 8_192
    var files = try HARFileSeries(configuration)
    for number in 0..<10 {
      try add(String(repeating: "\(number)", count: 1_600), to: &files)
      try files.flush()
    }
    #expect(files.paths.count > 2)
    var found: [String?] = []
    for path in files.paths {
      let octets = try readFile(path)
      #expect(octets.count <= 8_192)
      found += try HARLog(json: octets).entries.map(\.comment)
    }
    #expect(found == (0..<10).map { String(repeating: "\($0)", count: 1_600) })
  }

  @Test func whatIsMissingIsSaidInItsFile() throws {
    var files = try HARFileSeries(configuration)
    files.count(missing: MissingCounts(bodies: 2, exchanges: 1))
    try files.rotate()
    try files.flush()
    #expect(
      try HARLog(json: readFile(directory.path("a.har"))).custom["_dropped"] == ["bodies": 2, "exchanges": 1, "unwritten": 0])
    #expect(try HARLog(json: readFile(directory.path("a-1.har"))).custom.isEmpty)
  }
}
