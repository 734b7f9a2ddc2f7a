import Dispatch
import FoundationEssentials
import TapelineCore
import TapelineTestSupport
import Testing

/// What responses, requests and monitors say of what came: on sockets, by the public face alone.
@Suite struct ResultsTests {
  private let session = Session(configuration: .patient)

  // MARK: Files

  @Test("A download without a destination is at its temporary URL, and has no destination")
  func temporaryFile() async throws {
    let origin = try ScriptedOrigin(patience: 600, [.expectRequest, .respond(body: "side A"), .expectEnd])
    let response = await session.download(origin.url()).serializingString().response
    let file = try #require(response.temporaryURL)
    #expect(response.value == "side A")
    #expect(response.destinationURL == nil)
    #expect(response.fileURL == file)
    #expect(try String(contentsOf: file, encoding: .utf8) == "side A")
    try FileManager.default.removeItem(at: file)
  }

  @Test("The earlier response of a download says the same")
  func temporaryFileOfDefaultResponse() throws {
    let origin = try ScriptedOrigin(patience: 600, [.expectRequest, .respond(body: "side A"), .expectEnd])
    let ended = Awaited<DefaultDownloadResponse>()
    session.download(origin.url()).response { (response: DefaultDownloadResponse) in ended.take(response) }
    let response = try ended.wait()
    let file = try #require(response.temporaryURL)
    #expect(FileManager.default.fileExists(atPath: file.path))
    #expect(response.destinationURL == nil)
    #expect(response.fileURL == file)
    try FileManager.default.removeItem(at: file)
  }

  @Test("A download that was cancelled or cut off has no file", arguments: [true, false])
  func noFile(isCancelled: Bool) async throws {
    let origin = try ScriptedOrigin(
      patience: 600,
      [.expectRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"), isCancelled ? .expectEnd : .close])
    let directory = try TemporaryDirectory()
    let destination = URL(filePath: directory.path("there"))
    let download = session.download(origin.url(), to: { _, _ in (destination, []) })
    if isCancelled { download.downloadProgress { _ in download.cancel() } }
    let response = await download.serializingData().response
    #expect(response.error != nil)
    #expect(response.fileURL == nil)
    #expect(download.fileURL == nil)
  }

  @Test("A file that is not what was expected is still a file")
  func unexpectedFile() async throws {
    let origin = try ScriptedOrigin(patience: 600, [.expectRequest, .respond(body: "side A"), .expectEnd])
    let response = await session.download(origin.url()).serializingDecodable(Int.self).response
    #expect(response.error?.isResponseSerializationError == true)
    let file = try #require(response.fileURL)
    #expect(FileManager.default.fileExists(atPath: file.path))
    try FileManager.default.removeItem(at: file)
  }

  @Test("A retry without a destination leaves one file")
  func retriedFile() async throws {
    let origin = try ScriptedOrigin(
      patience: 600, [.expectRequest, .respond("503 Busy", body: "busy"), .expectRequest, .respond(body: "side A"), .expectEnd])
    let files = Protected<[URL]>([])
    let download = session.download(origin.url(), interceptor: RetryPolicy(exponentialBackoffScale: 0.001))
      .validate { _, _, file in
        files.write { $0.append(contentsOf: [file].compactMap { $0 }) }
        return .success(())
      }
      .validate()
    let response = await download.serializingString().response
    #expect(response.value == "side A")
    let seen = files.wrappedValue
    try #require(seen.count == 2)
    #expect(!FileManager.default.fileExists(atPath: seen[0].path))
    #expect(response.fileURL == seen[1])
    try FileManager.default.removeItem(at: seen[1])
  }

  // MARK: Requests

  @Test(
    "The request of a URL without a scheme, or with another one, is kept; the error names it",
    arguments: ["example.com/path", "gopher://example.com/path"])
  func impossibleURL(_ url: String) async {
    let response = await session.request(url).serializingData().response
    #expect(response.request?.url?.absoluteString == url)
    #expect(response.metrics != nil)
    #expect(response.error?.isURLRequestValidationError == true)
    #expect(response.error?.errorDescription?.contains(url) == true)
  }

  @Test("What was uploaded is known in the handler, and afterwards")
  func uploadable() throws {
    let origin = try ScriptedOrigin(patience: 600, [.expectRequest, .respond(), .expectEnd])
    let upload = session.upload(multipartFormData: { $0.append(Data("x".utf8), withName: "x") }, to: origin.url())
    let seen = Awaited<Bool>()
    upload.responseString { _ in
      if case .data? = upload.uploadable { seen.take(true) } else { seen.take(false) }
    }
    #expect(try seen.wait())
    if case .data? = upload.uploadable {} else { Issue.record("\(String(describing: upload.uploadable))") }
  }

  @Test("The file of a long form is gone in the end, and still named")
  func uploadedFile() throws {
    let origin = try ScriptedOrigin(patience: 600, [.expectRequest, .respond(), .expectEnd])
    let upload = session.upload(
      multipartFormData: { $0.append(Data("x".utf8), withName: "x") }, to: origin.url(), usingThreshold: 0)
    let ended = Awaited<Void>()
    upload.responseString { _ in ended.take(()) }
    try ended.wait()
    guard case .file(let file, shouldRemove: true)? = upload.uploadable else {
      Issue.record("\(String(describing: upload.uploadable))")
      return
    }
    let deadline = Deadline.after(seconds: 60)
    while FileManager.default.fileExists(atPath: file.path), !deadline.hasPassed {}
    #expect(!FileManager.default.fileExists(atPath: file.path))
  }

  // MARK: Monitors

  @Test("A monitor of unserialized responses hears of each, in both forms")
  func unserializedResponses() throws {
    struct Logger: EventMonitor {
      let queue = DispatchQueue(label: "logger")
      let log: EventLog
      let heard = Awaited<Void>()

      func request(_ request: DataRequest, didParseResponse response: DataResponse<Data?>) {
        heard.take(log.add("data \(response.value??.count ?? 0)"))
      }

      func request(_ request: DownloadRequest, didParseResponse response: DownloadResponse<URL?>) {
        heard.take(log.add("file \(response.value != nil)"))
      }
    }
    let origin = try ScriptedOrigin(patience: 600, [.forever([.expectRequest, .respond(body: "side A")])])
    let logger = Logger(log: EventLog())
    let session = Session(configuration: .patient, eventMonitors: [logger])
    session.request(origin.url()).response { _ in }
    try logger.heard.wait()
    session.request(origin.url()).response { (_: AFDataResponse<Data?>) in }
    try logger.heard.wait()
    session.download(origin.url()).response { _ in }
    try logger.heard.wait()
    #expect(logger.log.all == ["data 6", "data 6", "file true"])
  }

  // MARK: The delegate

  @Test("From any thread a delegate knows the request of a task, until the task has ended")
  func requestOfTask() throws {
    let gate = DispatchSemaphore(value: 0)
    let origin = try ScriptedOrigin(patience: 600, [.expectRequest, .run { _ in gate.wait() }, .respond(), .expectEnd])
    let request = session.request(origin.url())
    let (made, ended) = (Awaited<SessionTask>(), Awaited<Void>())
    request.onURLSessionTaskCreation { made.take($0) }
    request.response { _ in ended.take(()) }
    let task = try made.wait()
    #expect(session.delegate[task] === request)
    gate.signal()
    try ended.wait()
    #expect(session.delegate[task] == nil)
    session.delegate[task] = request
    #expect(session.delegate[task] == nil)
  }

  @Test("A task's events can be handed to another request, from any thread")
  func otherRequestOfTask() throws {
    let gate = DispatchSemaphore(value: 0)
    let origin = try ScriptedOrigin(
      patience: 600, [.expectRequest, .run { _ in gate.wait() }, .respond(body: "side A"), .expectEnd])
    let first = session.request(origin.url())
    let other = session.request(origin.url(), shouldAutomaticallyResume: false)
    let (made, ended) = (Awaited<SessionTask>(), Awaited<String?>())
    first.onURLSessionTaskCreation { made.take($0) }
    first.resume()
    other.responseString { ended.take($0.value) }
    let task = try made.wait()
    _ = try origin.waitForRequests(1, seconds: 600)
    session.delegate[task] = other
    #expect(session.delegate[task] === other)
    gate.signal()
    #expect(try ended.wait() == "side A")
    #expect(session.delegate[task] == nil)
  }

  @Test("The closures of a delegate get its session")
  func overridesGetTheSession() async throws {
    let origin = try ScriptedOrigin(patience: 600, [.expectRequest, .respond(), .expectEnd])
    let seen = Protected<[ObjectIdentifier]>([])
    session.delegate.dataTaskDidReceiveResponse = { session, _, _ in
      seen.write { $0.append(ObjectIdentifier(session)) }
      return .proceed
    }
    session.delegate.taskDidComplete = { session, _, _ in seen.write { $0.append(ObjectIdentifier(session)) } }
    _ = await session.request(origin.url()).serializingString().response
    #expect(seen.wrappedValue == [ObjectIdentifier(session), ObjectIdentifier(session)])
  }

  // MARK: Letting go

  @Test("A request that was never started is released with its handlers")
  func neverStarted() {
    weak var data: DataRequest?
    weak var file: DownloadRequest?
    weak var stream: DataStreamRequest?
    weak var held: Held?
    do {
      let object = Held()
      held = object
      let url = "http://127.0.0.1:1/"
      data = session.request(url, shouldAutomaticallyResume: false).validate().response { _ in object.touch() }
        .responseString { _ in }
      file = session.download(url, shouldAutomaticallyResume: false).validate().response { _ in }.responseURL { _ in }
      stream = session.streamRequest(url, shouldAutomaticallyResume: false).responseStream { _ in }.responseStreamString { _ in }
    }
    #expect(data == nil)
    #expect(file == nil)
    #expect(stream == nil)
    #expect(held == nil)
  }

  private final class Held: Sendable {
    func touch() {}
  }
}
