import FoundationEssentials
import TapelineCore
import TapelineTestSupport
import Testing

/// What `print` and `debugPrint` show of what handlers get.
@Suite struct DescriptionsTests {
  private let session = Session(configuration: .patient)
  private let origin: ScriptedOrigin

  init() throws {
    origin = try ScriptedOrigin(
      patience: 600, [.forever([.expectRequest, .respond(fields: ["Content-Type: text/plain"], body: "side A")])])
  }

  private func printed(_ value: some Sendable) -> (text: String, lines: [String]) {
    var text = ""
    debugPrint(value, terminator: "", to: &text)
    return ("\(value)", text.split(separator: "\n").map { String($0.prefix { $0 != ":" }) })
  }

  @Test("A data response prints five lines when debugged")
  func dataResponse() throws {
    let seen = Awaited<DefaultDataResponse>()
    session.request(origin.url()).response { seen.take($0) }
    let response = try seen.wait()
    #expect(printed(response).text == "SUCCESS: Optional(6 bytes)")
    #expect(printed(response).lines == ["[Request]", "[Response]", "[Data]", "[Result]", "[Timeline]"])
    #expect(response.verboseDescription.contains("side A"))
  }

  @Test("A download response prints seven lines when debugged")
  func downloadResponse() throws {
    let seen = Awaited<DefaultDownloadResponse>()
    session.download(origin.url()).response { seen.take($0) }
    let response = try seen.wait()
    #expect(printed(response).text.hasPrefix("SUCCESS: Optional(file:///"))
    let lines = ["[Request]", "[Response]", "[TemporaryURL]", "[DestinationURL]", "[ResumeData]", "[Result]", "[Timeline]"]
    #expect(printed(response).lines == lines)
    #expect(response.verboseDescription.contains("[File URL]: /"))
  }

  @Test("The end of a stream prints its own description")
  func streamCompletion() throws {
    let seen = Awaited<DataStreamRequest.Completion>()
    let texts = EventLog()
    session.streamRequest(origin.url()).responseStreamString { stream in
      texts.add("\(stream)")
      if let completion = stream.completion { seen.take(completion) }
    }
    let completion = try seen.wait()
    #expect(texts.all == ["SUCCESS: side A", "COMPLETE: SUCCESS"])
    #expect(printed(completion).text == "SUCCESS")
    #expect(printed(completion).lines == ["[Request]", "[Response]", "[Data]", "[Result]", "[Timeline]"])
    #expect(completion.debugDescription.contains("[Data]: 6 bytes"))
  }

  @Test("Metrics print one line, and one for each transaction when debugged")
  func metrics() async throws {
    let first = await session.request(origin.url()).serializingString().response
    let metrics = try #require(first.metrics)
    #expect("\(metrics)".hasPrefix("Task Metrics: { 1 transaction, "))
    #expect("\(metrics)".hasSuffix(" received }"))
    let lines = metrics.debugDescription.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines[1].hasPrefix("GET \(origin.url()) (200), new connection to 127.0.0.1 port \(origin.port), connect "))
  }
}
