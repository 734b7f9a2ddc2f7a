import TapelineHAR
import TapelineHTTP
import TapelineSystem
import TapelineTestSupport
import Testing

@testable import TapelineRecorder

struct BodyStoreTests {
  private let directory: TemporaryDirectory
  private let hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

  init() throws {
    directory = try TemporaryDirectory()
  }

  @Test func equalBodiesAreOneFile() throws {
    let path = directory.path("bodies")
    let store = try BodyStore(directory: path, besideHAR: directory.path("a.har"), syncs: true)
    #expect(try store.store(Array("abc".utf8).span) == "bodies/\(hash)")
    #expect(try store.store(Array("abc".utf8).span) == "bodies/\(hash)")
    #expect(try store.store(Array("other".utf8).span) != "bodies/\(hash)")
    #expect(try readText("\(path)/\(hash)") == "abc")
    #expect(try fileMode("\(path)/\(hash)") == 0o600)
    #expect(try fileMode(path) == 0o700)
  }

  @Test func aFileThatIsNoWholeBodyIsMadeAgain() throws {
    let path = directory.path("bodies")
    let store = try BodyStore(directory: path, besideHAR: directory.path("a.har"), syncs: false)
    try directory.write("ab", to: "bodies/\(hash)")
    _ = try store.store(Array("abc".utf8).span)
    #expect(try readText("\(path)/\(hash)") == "abc")
  }

  @Test func aPlaceThatIsNoDirectoryIsRefused() throws {
    let path = try directory.write("x", to: "file")
    #expect(throws: RecorderError.self) { try BodyStore(directory: "\(path)/bodies", besideHAR: "a.har", syncs: false) }
  }

  @Test func entriesNameTheirFiles() throws {
    var configuration = RecorderConfiguration.example(in: directory)
    configuration.bodiesDirectory = directory.path("bodies")
    let recorder = try Recorder(configuration: configuration)
    recorder.record(
      try ExampleExchange.make(
        method: .post, fields: [("Host", "a"), ("Content-Type", "text/plain")],
        requestBody: ExampleExchange.body("token: hunter22"),
        responseFields: [("Content-Type", "text/plain"), ("Content-Encoding", "gzip")],
        responseBody: ExampleExchange.body(CodedText.gzip)))
    recorder.record(try ExampleExchange.make(responseBody: ExampleExchange.body("")))
    #expect(recorder.finish().writeError == nil)
    let entries = try HARLog(json: readFile(configuration.path)).entries
    let content = try #require(entries.first?.response.content)
    #expect(content.text == nil)
    #expect(content.size == 36)
    let file = try #require(content.custom["_file"]?.string)
    #expect(file.hasPrefix("bodies/"))
    #expect(try readText(directory.path(file)) == CodedText.text)
    let posted = try #require(entries.first?.request.postData)
    #expect(posted.text == "")
    #expect(try readText(directory.path(try #require(posted.custom["_file"]?.string))).hasPrefix("token: SENSITIVE_"))
    #expect(entries.last?.response.content.custom["_file"] == nil)
  }

  @Test func aBodyThatCannotBeWrittenIsSaidToBeMissing() throws {
    var configuration = RecorderConfiguration.example(in: directory)
    configuration.bodiesDirectory = directory.path("bodies")
    let recorder = try Recorder(configuration: configuration)
    try Directory.remove(directory.path("bodies"))
    recorder.record(try ExampleExchange.make())
    guard case .writeFailed = recorder.finish().writeError else {
      Issue.record("the error is said")
      return
    }
    let entry = try #require(HARLog(json: readFile(configuration.path)).entries.first)
    #expect(entry.response.content.custom["_truncated"] == 5)
    #expect(entry.response.content.text == nil)
  }
}
