import FoundationEssentials
import TapelineCore
import TapelineTestSupport
import Testing

/// Destinations of downloads and parts of forms that are not what they should be.
@Suite struct FilesAndFormsTests {
  private let session = Session(configuration: .patient)

  @Test("removePreviousFile also removes a directory in the way of a download, with its content")
  func directoryInTheWay() async throws {
    let origin = try ScriptedOrigin(patience: 600, [.forever([.expectRequest, .respond(body: "side A")])])
    let directory = try TemporaryDirectory()
    let wanted = URL(filePath: directory.path("wanted"))
    try FileManager.default.createDirectory(
      at: wanted.appending(component: "deeper/still"), withIntermediateDirectories: true)
    try Data("old".utf8).write(to: wanted.appending(component: "deeper/file"))
    let kept = URL(filePath: try directory.write("kept", to: "kept"))
    try FileManager.default.createSymbolicLink(at: wanted.appending(component: "link"), withDestinationURL: kept)
    let refused = await session.download(origin.url(), to: { _, _ in (wanted, []) }).serializingData().response
    #expect(refused.error?.isDownloadedFileMoveError == true)
    let file = session.download(origin.url(), to: { _, _ in (wanted, .removePreviousFile) }).serializingDownloadedFileURL()
    #expect(try await file.value == wanted)
    #expect(try String(contentsOf: wanted, encoding: .utf8) == "side A")
    #expect(try String(contentsOf: kept, encoding: .utf8) == "kept")
  }

  @Test(
    "A stream part longer than its declared length fails the upload, in memory and by a file", arguments: [0, 1_000_000])
  func longPart(_ threshold: UInt64) async throws {
    let origin = try ScriptedOrigin(patience: 600, [.expectRequest, .respond(), .expectEnd])
    let upload = session.upload(
      multipartFormData: { form in
        let stream = UploadStream { { [left = Countdown(3)] _ in left.next() ? Array("ab".utf8) : [] } }
        form.append(stream, withLength: 5, name: "tape", fileName: "tape", mimeType: "text/plain")
      }, to: origin.url(), usingThreshold: threshold)
    let error = await upload.serializingData().response.error
    guard case .multipartEncodingFailed(.bodyPartLengthMismatch(expected: 5, read: _)) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(error?.errorDescription?.hasSuffix("declared to have 5 bytes and has more.") == true)
    #expect(origin.connections.isEmpty)
  }

  @Test("A piece that cannot be serialized cancels its stream on request, and its handler gets both events")
  func streamError() throws {
    let origin = try ScriptedOrigin(
      patience: 600,
      [
        .expectRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n["), .expectEnd,
      ])
    let seen = Awaited<String>()
    session.streamRequest(origin.url(), automaticallyCancelOnStreamError: true)
      .responseStreamDecodable(of: [Int].self) { stream in
        if stream.error?.isResponseSerializationError == true { seen.take("piece") }
        if let completion = stream.completion { seen.take("\(completion)") }
      }
    #expect(try seen.wait() == "piece")
    #expect(try seen.wait() == "FAILURE: The request was cancelled.")
  }
}

private final class Countdown: Sendable {
  private let left: Protected<Int>

  init(_ count: Int) { left = Protected(count) }

  func next() -> Bool {
    left.write { left in
      left -= 1
      return left >= 0
    }
  }
}
