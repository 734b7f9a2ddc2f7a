import Dispatch
import FoundationEssentials
import TapelineHTTP
import TapelineLoop
import TapelineSystem
import TapelineTestSupport
import Testing

@testable import TapelineCore
@testable import TapelineTransport

/// Downloads on a scripted transport; files in a directory of the test's own.
@Suite struct DownloadRequestTests {
  private let harness: CoreHarness
  private let directory: TemporaryDirectory
  private static let tagged: HeaderFields = ["Content-Length": "11", "ETag": "\"v1\""]

  init() throws {
    harness = try CoreHarness()
    directory = try TemporaryDirectory()
  }

  private func destination(
    _ name: String = "file", _ options: DownloadRequest.Options = []
  ) -> DownloadRequest.Destination {
    let url = URL(filePath: directory.path(name))
    return { _, _ in (url, options) }
  }

  private func download(
    _ name: String = "file", _ options: DownloadRequest.Options = []
  ) -> (DownloadRequest, Awaited<DefaultDownloadResponse>) {
    let answer = Awaited<DefaultDownloadResponse>()
    let request = harness.session.download(CoreHarness.url, to: destination(name, options))
    request.response { answer.take($0) }
    return (request, answer)
  }

  /// What is left of a download that broke off after "hello ".
  private func part(of length: Int = 11) throws -> Data {
    let (_, answer) = download()
    try harness.head(200, ["Content-Length": "\(length)", "ETag": "\"v1\""])
    try harness.body("hello ")
    try harness.complete(CoreHarness.refused)
    return try #require(try answer.wait().resumeData)
  }

  @Test("The body goes to a temporary file, then to the destination; the response names both")
  func plainDownload() throws {
    let (request, answer) = download()
    try harness.answer(200, Self.tagged, body: "hello world")
    let response = try answer.wait()
    #expect(response.error == nil)
    #expect(response.response?.statusCode == 200)
    #expect(response.temporaryURL != nil)
    #expect(response.destinationURL?.path == directory.path("file"))
    #expect(response.resumeData == nil)
    #expect(try readText(directory.path("file")) == "hello world")
    #expect(try fileMode(directory.path("file")) == 0o600)
    #expect(!fileExists(try #require(response.temporaryURL).path))
    #expect(request.fileURL == response.destinationURL)
    #expect(request.temporaryURL == response.temporaryURL)
    #expect(response.metrics != nil)
    #expect(response.timeline.totalDuration >= response.timeline.requestDuration)
  }

  @Test("The response has all its members, and nil for missing ones")
  func refusedDownload() throws {
    let (request, answer) = download()
    try harness.complete(CoreHarness.refused)
    let response = try answer.wait()
    #expect(response.request?.url?.absoluteString == CoreHarness.url)
    #expect(response.response == nil)
    #expect(response.temporaryURL == nil)
    #expect(response.destinationURL == nil)
    #expect(response.resumeData == nil)
    #expect((response.error as? TapelineError)?.isSessionTaskError == true)
    #expect(request.fileURL == nil)
  }

  @Test("Without a destination, the file stays at its temporary URL")
  func noDestination() throws {
    let answer = Awaited<DownloadResponse<URL>>()
    harness.session.download(CoreHarness.url).responseURL { answer.take($0) }
    try harness.answer(200, Self.tagged, body: "hello world")
    let response = try answer.wait()
    let url = try response.result.get()
    defer { TemporaryFile.discard(url.path) }
    #expect(url == response.temporaryURL)
    #expect(response.destinationURL == nil)
    #expect(try readText(url.path) == "hello world")
  }

  @Test("A failed move is the error; the response has the attempted destination and no file URL")
  func failedMove() throws {
    try directory.write("old", to: "file")
    let (request, answer) = download()
    try harness.answer(200, Self.tagged, body: "hello world")
    let response = try answer.wait()
    guard case .downloadedFileMoveFailed(_, let source, let destination) = response.error as? TapelineError else {
      Issue.record("unexpected: \(String(describing: response.error))")
      return
    }
    defer { TemporaryFile.discard(source.path) }
    #expect(source == response.temporaryURL)
    #expect(destination == response.destinationURL)
    #expect(request.fileURL == nil)
    #expect(try readText(directory.path("file")) == "old")
    #expect(try readText(source.path) == "hello world")
  }

  @Test("The destination's options apply")
  func options() throws {
    try directory.write("old", to: "file")
    let (_, first) = download("file", .removePreviousFile)
    try harness.answer(200, Self.tagged, body: "hello world")
    #expect(try first.wait().error == nil)
    #expect(try readText(directory.path("file")) == "hello world")
    let (_, second) = download("a/b/file", .createIntermediateDirectories)
    try harness.answer(200, Self.tagged, body: "hello again", to: 1)
    #expect(try second.wait().error == nil)
    #expect(try readText(directory.path("a/b/file")) == "hello again")
  }

  @Test("An override takes over the complete file, and no file is moved")
  func override() throws {
    let taken = Awaited<URL>()
    harness.session.delegate.downloadTaskDidFinishDownloadingToURL = { _, _, url in taken.take(url) }
    let (_, answer) = download()
    try harness.answer(200, Self.tagged, body: "hello world")
    let url = try taken.wait()
    defer { TemporaryFile.discard(url.path) }
    let response = try answer.wait()
    #expect(response.error == nil)
    #expect(response.temporaryURL == url)
    #expect(response.destinationURL == nil)
    #expect(try readText(url.path) == "hello world")
    #expect(!fileExists(directory.path("file")))
  }

  @Test("Progress counts received against announced bytes, or against -1 without an announcement")
  func progress() throws {
    let seen = Awaited<Progress>()
    let request = harness.session.download(CoreHarness.url, to: destination())
    request.downloadProgress(queue: harness.callbacks) { seen.take($0) }
    let answer = Awaited<DefaultDownloadResponse>()
    request.response(queue: harness.callbacks) { answer.take($0) }
    try harness.head(200, Self.tagged)
    try harness.body("hello ")
    #expect(try seen.wait() == Progress(totalUnitCount: 11, completedUnitCount: 6))
    try harness.body("world")
    #expect(try seen.wait() == Progress(totalUnitCount: 11, completedUnitCount: 11))
    try harness.complete()
    _ = try answer.wait()
    let open = harness.session.download(CoreHarness.url, to: destination("other"))
    open.downloadProgress(queue: harness.callbacks) { seen.take($0) }.response { answer.take($0) }
    try harness.head(200, HeaderFields(), of: 1)
    try harness.body("x", of: 1)
    #expect(try seen.wait() == Progress(totalUnitCount: -1, completedUnitCount: 1))
    try harness.complete(of: 1)
    _ = try answer.wait()
  }

  @Test("The first bytes stamp the initial response")
  func initialResponse() throws {
    let (request, answer) = download()
    try harness.head(200, Self.tagged)
    #expect(request.delegate.initialResponseInstant != nil)
    try harness.complete()
    #expect(try answer.wait().timeline.latency >= 0)
  }

  @Test("A plain cancellation makes no resume data and leaves no file")
  func plainCancellation() throws {
    let (request, answer) = download()
    try harness.head(200, Self.tagged)
    try harness.body("hello ")
    request.cancel()
    let response = try answer.wait()
    #expect(response.resumeData == nil)
    guard case .explicitlyCancelled = response.error as? TapelineError else {
      Issue.record("unexpected: \(String(describing: response.error))")
      return
    }
    #expect(!fileExists(try #require(response.temporaryURL).path))
  }

  @Test("A cancellation that asks for resume data makes it")
  func cancellationWithResumeData() throws {
    let (request, answer) = download()
    try harness.head(200, Self.tagged)
    try harness.body("hello ")
    let made = Awaited<Data?>()
    request.cancel { made.take($0) }
    let data = try #require(try made.wait())
    let response = try answer.wait()
    #expect(response.resumeData == data)
    #expect(request.resumeData == data)
    let part = try ResumeData(data)
    defer { TemporaryFile.discard(part.temporaryPath) }
    #expect(part.offset == 6)
    #expect(part.length == 11)
    #expect(part.validator == .entityTag("\"v1\""))
    #expect(try readText(part.temporaryPath) == "hello ")
    #expect(request.isCancelled)
    #expect(!request.isFinished)
  }

  @Test("A resumed download that is cancelled before its first byte returns its resume data")
  func cancelledBeforeStart() throws {
    let data = try part()
    defer { TemporaryFile.discard(directory.path("file")) }
    let made = Awaited<Data?>()
    let request = harness.session.download(resumingWith: data, to: destination())
    request.cancel { made.take($0) }
    #expect(try made.wait() == data)
    let answer = Awaited<DownloadResponse<String>>()
    let finished = harness.session.download(resumingWith: data, to: destination())
    finished.responseString { answer.take($0) }
    try harness.answer(206, ["Content-Range": "bytes 6-10/11", "Content-Length": "5"], body: "world", to: 1)
    _ = try answer.wait()
    finished.cancel { made.take($0) }
    #expect(try made.wait() == nil)
  }

  @Test("Resume data of a request that has nothing yet, or ended before, is none, and the closure is called")
  func cancellationOutsideTheBody() throws {
    let made = Awaited<Data?>()
    harness.session.download(CoreHarness.url, to: destination()).cancel { made.take($0) }
    #expect(try made.wait() == nil)
    let (request, answer) = download()
    try harness.answer(200, Self.tagged, body: "hello world")
    _ = try answer.wait()
    request.cancel { made.take($0) }
    #expect(try made.wait() == nil)
  }

  @Test(
    "A download without a strong validator or ranges cannot be continued",
    arguments: [
      ["Content-Length": "11"], ["ETag": "W/\"v1\""], ["ETag": "\"v1\"", "Accept-Ranges": "none"],
      ["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"],
    ] as [HeaderFields])
  func notResumable(fields: HeaderFields) throws {
    let (request, answer) = download()
    try harness.head(200, fields)
    try harness.body("hello ")
    request.cancel(producingResumeData: true)
    let response = try answer.wait()
    #expect(response.resumeData == nil)
    #expect(!fileExists(try #require(response.temporaryURL).path))
  }

  @Test("A failed download makes resume data, and 206 continues from the end of the part")
  func resuming() throws {
    let data = try part()
    let seen = Awaited<Progress>()
    let answer = Awaited<DownloadResponse<String>>()
    let request = harness.session.download(resumingWith: data, headers: ["Authorization": "Bearer x"], to: destination())
    request.downloadProgress(queue: harness.callbacks) { seen.take($0) }
    request.responseString { answer.take($0) }
    let task = try harness.task(1)
    let sent = try #require(try harness.onLoop { _ in task.requestHead })
    #expect(sent.fields.values(named: "Range") == ["bytes=6-"])
    #expect(sent.fields.values(named: "If-Range") == ["\"v1\""])
    #expect(sent.fields.values(named: "Authorization") == ["Bearer x"])
    try harness.answer(
      206, ["Content-Range": "bytes 6-10/11", "Content-Length": "5", "ETag": "\"v1\""], body: "world", to: 1)
    #expect(try answer.wait().result.get() == "hello world")
    #expect(try readText(directory.path("file")) == "hello world")
    #expect(try seen.wait() == Progress(totalUnitCount: 11, completedUnitCount: 6))
    #expect(try seen.wait() == Progress(totalUnitCount: 11, completedUnitCount: 11))
    #expect(!fileExists(try ResumeData(data).temporaryPath))
  }

  @Test("A changed representation (200) starts over, and the part is removed")
  func changedRepresentation() throws {
    let data = try part()
    let answer = Awaited<DownloadResponse<String>>()
    harness.session.download(resumingWith: data, to: destination()).responseString { answer.take($0) }
    try harness.answer(200, ["Content-Length": "5", "ETag": "\"v2\""], body: "other", to: 1)
    #expect(try answer.wait().result.get() == "other")
    FileWork.queue.sync {}
    #expect(!fileExists(try ResumeData(data).temporaryPath))
  }

  @Test(
    "An unrequested range, a range of another representation, and 416 start over in the same task",
    arguments: [
      (206, ["Content-Range": "bytes 5-10/11", "Content-Length": "6"]),
      (206, ["Content-Range": "bytes 6-10/12", "Content-Length": "5"]),
      (206, ["Content-Range": "bytes 6-9/11", "Content-Length": "4"]),
      (206, ["Content-Length": "5"]),
      (206, ["Content-Range": "bytes 6-10/11", "ETag": "\"v2\"", "Content-Length": "5"]),
      (206, ["Content-Type": "multipart/byteranges; boundary=x", "Content-Length": "5"]),
      (416, ["Content-Range": "bytes */3", "Content-Length": "0"]),
    ] as [(Int, HeaderFields)])
  func wrongRange(status: Int, fields: HeaderFields) throws {
    let data = try part()
    let answer = Awaited<DownloadResponse<String>>()
    harness.session.download(resumingWith: data, to: destination()).responseString { answer.take($0) }
    #expect(try harness.head(status, fields, of: 1) == .later)
    // A transport that was told to repeat starts the task with the new request.
    let task = try harness.task(1)
    let sent = try #require(try harness.onLoop { _ in task.requestHead })
    #expect(sent.fields.values(named: "Range").isEmpty)
    #expect(sent.fields.values(named: "If-Range").isEmpty)
    #expect(sent.targetText == CoreHarness.url)
    try harness.answer(200, ["Content-Length": "11", "ETag": "\"v2\""], body: "HELLO WORLD", to: 1)
    #expect(try answer.wait().result.get() == "HELLO WORLD")
    #expect(try readText(directory.path("file")) == "HELLO WORLD")
  }

  @Test("What a server says instead of the rest leaves the part, and the same data continues it later")
  func unavailable() throws {
    let data = try part()
    let answer = Awaited<DefaultDownloadResponse>()
    harness.session.download(resumingWith: data, to: destination()).validate().response { answer.take($0) }
    try harness.head(503, ["Content-Length": "9"], of: 1)
    try harness.body("try l", of: 1)
    try harness.complete(CoreHarness.refused, of: 1)
    let failed = try answer.wait()
    #expect(failed.resumeData == data)
    #expect(try readText(ResumeData(data).temporaryPath) == "hello ")
    let second = Awaited<DownloadResponse<String>>()
    harness.session.download(resumingWith: data, to: destination("second")).responseString { second.take($0) }
    try harness.answer(206, ["Content-Range": "bytes 6-10/11", "Content-Length": "5"], body: "world", to: 2)
    #expect(try second.wait().result.get() == "hello world")
  }

  @Test("A resumed download that is plainly cancelled leaves the part as its resume data says")
  func cancelledAgain() throws {
    let data = try part()
    let answer = Awaited<DefaultDownloadResponse>()
    let request = harness.session.download(resumingWith: data, to: destination())
    request.response { answer.take($0) }
    try harness.head(206, ["Content-Range": "bytes 6-10/11", "Content-Length": "5"], of: 1)
    try harness.body("wor", of: 1)
    request.cancel()
    #expect(try answer.wait().resumeData == nil)
    let last = Awaited<DownloadResponse<String>>()
    harness.session.download(resumingWith: data, to: destination()).responseString { last.take($0) }
    try harness.answer(206, ["Content-Range": "bytes 6-10/11", "Content-Length": "5"], body: "world", to: 2)
    #expect(try last.wait().result.get() == "hello world")
  }

  @Test("A download can break off and resume several times")
  func twice() throws {
    let first = try part()
    let second = Awaited<DefaultDownloadResponse>()
    harness.session.download(resumingWith: first, to: destination()).response { second.take($0) }
    try harness.head(206, ["Content-Range": "bytes 6-10/11", "Content-Length": "5"], of: 1)
    try harness.body("wor", of: 1)
    try harness.complete(CoreHarness.refused, of: 1)
    let data = try #require(try second.wait().resumeData)
    #expect(try ResumeData(data).offset == 9)
    let answer = Awaited<DownloadResponse<String>>()
    harness.session.download(resumingWith: data, to: destination()).responseString { answer.take($0) }
    try harness.answer(206, ["Content-Range": "bytes 9-10/11", "Content-Length": "2"], body: "ld", to: 2)
    #expect(try answer.wait().result.get() == "hello world")
  }

  @Test("Damaged resume data is a clear error, and no request is sent")
  func damagedData() throws {
    let answer = Awaited<DefaultDownloadResponse>()
    harness.session.download(resumingWith: Data("{}".utf8), to: destination()).response { answer.take($0) }
    guard case .invalidResumeData(reason: .malformed) = try answer.wait().error as? TapelineError else {
      Issue.record("no clear error")
      return
    }
    #expect(try harness.startedCount() == 0)
  }

  @Test("A missing or too short part is a clear error")
  func missingPart() throws {
    let data = try part()
    let path = try ResumeData(data).temporaryPath
    defer { TemporaryFile.discard(path) }
    let file = try FileCalls.open(path, .writeOnly)
    try FileCalls.truncate(file, to: 5, path)
    try FileCalls.close(file, path)
    for _ in 0..<2 {
      let answer = Awaited<DefaultDownloadResponse>()
      harness.session.download(resumingWith: data, to: destination()).response { answer.take($0) }
      guard case .invalidResumeData(reason: .partialFileMissing(let url)) = try answer.wait().error as? TapelineError else {
        Issue.record("no clear error")
        return
      }
      #expect(url.path == path)
      TemporaryFile.discard(path)
    }
  }

  @Test("A retried download starts over and removes the first attempt's file")
  func retry() throws {
    let harness = try CoreHarness(interceptor: Retrier { _, _, _, completion in completion(.retry) })
    let answer = Awaited<DownloadResponse<String>>()
    let request = harness.session.download(CoreHarness.url, to: destination())
    request.responseString { answer.take($0) }
    try harness.head(200, Self.tagged)
    try harness.body("hel")
    try harness.complete(CoreHarness.refused)
    try harness.answer(200, Self.tagged, body: "hello world", to: 1)
    #expect(try answer.wait().result.get() == "hello world")
    #expect(request.retryCount == 1)
    #expect(request.resumeData == nil)
  }

  @Test("An attempt that was not valid leaves nothing at the destination that would be in the way of the next")
  func retryAfterMove() throws {
    let harness = try CoreHarness(interceptor: Retrier { _, _, _, completion in completion(.retry) })
    let answer = Awaited<DownloadResponse<String>>()
    harness.session.download(CoreHarness.url, to: destination()).validate().responseString { answer.take($0) }
    try harness.answer(503, ["Content-Length": "9"], body: "try later")
    try harness.answer(200, Self.tagged, body: "hello world", to: 1)
    #expect(try answer.wait().result.get() == "hello world")
    #expect(try readText(directory.path("file")) == "hello world")
  }

  @Test("A rest with a wrong length fails the download")
  func wrongLength() throws {
    let data = try part()
    let answer = Awaited<DefaultDownloadResponse>()
    harness.session.download(resumingWith: data, to: destination()).response { answer.take($0) }
    try harness.answer(206, ["Content-Range": "bytes 6-10/11"], body: "wor", to: 1)
    guard case .sessionTaskFailed(let error) = try answer.wait().error as? TapelineError else {
      Issue.record("a short file was accepted")
      return
    }
    #expect(error as? DownloadError == .wrongLength(expected: 11, actual: 9))
    #expect(!fileExists(directory.path("file")))
  }

  @Test("A cancelled download is not retried")
  func cancelledIsNotRetried() throws {
    let log = EventLog()
    let harness = try CoreHarness(
      interceptor: Retrier { _, _, _, completion in
        log.add("asked")
        completion(.retry)
      })
    let answer = Awaited<DefaultDownloadResponse>()
    let request = harness.session.download(CoreHarness.url, to: destination())
    request.response { answer.take($0) }
    try harness.head(200, Self.tagged)
    request.cancel(producingResumeData: true)
    _ = try answer.wait()
    #expect(log.all.isEmpty)
    #expect(try harness.startedCount() == 1)
  }

  @Test("The file is where it belongs before the validators run, and its size is what they look at")
  func validation() throws {
    let log = EventLog()
    let path = directory.path("file")
    let (request, answer) = download()
    request.validate { _, response, fileURL in
      log.add("\(response.statusCode) \(fileURL?.path == path) \(fileExists(path))")
      return .success(())
    }
    .validate(contentType: ["text/plain"])
    .validate(statusCode: 200..<300)
    try harness.answer(200, ["Content-Type": "text/html", "Content-Length": "5"], body: "<br/>")
    guard case .responseValidationFailed(reason: .unacceptableContentType) = try answer.wait().error as? TapelineError else {
      Issue.record("the content type was accepted")
      return
    }
    #expect(log.all == ["200 true true"])
  }

  @Test("An empty file has no content type to judge")
  func emptyFile() throws {
    let (request, answer) = download()
    request.validate(contentType: ["text/plain"])
    try harness.answer(204, ["Content-Type": "text/html"])
    #expect(try answer.wait().error == nil)
    #expect(try readText(directory.path("file")).isEmpty)
  }

  @Test("Serialized responses have the same members, with a value in place of the error")
  func serialized() throws {
    struct Greeting: Decodable, Sendable, Equatable { let hello: String }
    let data = Awaited<DownloadResponse<Data>>()
    let decoded = Awaited<DownloadResponse<Greeting>>()
    let json = Awaited<Bool>()
    harness.session.download(CoreHarness.url, to: destination())
      .responseData { data.take($0) }
      .responseJSON { json.take($0.value is [String: any Sendable]) }
      .responseJSONValue { json.take($0.error == nil) }
      .responseDecodable(of: Greeting.self) { decoded.take($0) }
    try harness.answer(200, ["Content-Length": "17"], body: #"{"hello":"world"}"#)
    #expect(try data.wait().value == Data(#"{"hello":"world"}"#.utf8))
    #expect(try json.wait())
    #expect(try json.wait())
    let response = try decoded.wait()
    #expect(response.value == Greeting(hello: "world"))
    #expect(response.fileURL?.path == directory.path("file"))
    #expect(response.serializationDuration >= 0)
  }
}
