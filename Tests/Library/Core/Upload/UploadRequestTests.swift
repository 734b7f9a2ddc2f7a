import Dispatch
import FoundationEssentials
import Synchronization
import TapelineHTTP
import TapelineLoop
import TapelineTestSupport
import Testing

@testable import TapelineCore
@testable import TapelineTransport

/// Uploads on a scripted transport.
@Suite struct UploadRequestTests {
  private let harness: CoreHarness
  private let directory: TemporaryDirectory

  init() throws {
    harness = try CoreHarness()
    directory = try TemporaryDirectory()
  }

  /// Takes a task's body as a connection would, waiting where it has nothing yet.
  private func pull(_ index: Int = 0, limit: Int = 64 * 1024) throws -> [UInt8] {
    let task = try harness.task(index)
    var bytes: [UInt8] = []
    let deadline = Deadline.after(seconds: 10)
    while !deadline.hasPassed {
      let chunk = try harness.onLoop { _ in
        let chunk = task.nextBodyChunk(limit: limit)
        if case .bytes(let piece) = chunk { task.didSendBody(piece.count) }
        return chunk
      }
      switch chunk {
      case .bytes(let piece): bytes += piece
      case .later: continue
      case .end: return bytes
      }
    }
    throw TestSupportError.timedOut(waitingFor: "a body")
  }

  private func framing(_ index: Int = 0) throws -> BodyFraming {
    guard case .exchange(let outgoing) = try harness.task(index).work else { preconditionFailure("an upload is an exchange") }
    return outgoing.framing
  }

  @Test("Bytes in memory go out with their length")
  func data() throws {
    let request = harness.session.upload(Data([1, 2, 3, 4, 5]), to: CoreHarness.url)
    request.resume()
    #expect(try pull(limit: 2) == [1, 2, 3, 4, 5])
    #expect(try framing() == .length(5))
    #expect(try harness.task().requestHead?.method == .post)
    try harness.answer(200)
    harness.settle()
    #expect((request.delegate as? UploadTaskDelegate)?.bodyBytesSent == 5)
  }

  @Test("A file goes out with its length, read on the way")
  func file() throws {
    let bytes = patternedBytes(300_000)
    let url = URL(filePath: try directory.write(bytes, to: "file"))
    harness.session.upload(url, to: CoreHarness.url, method: .put).resume()
    #expect(try pull() == bytes)
    #expect(try framing() == .length(300_000))
    try harness.answer(200)
    #expect(fileExists(url.path))
  }

  @Test("A stream goes out in chunks, or with its declared length")
  func stream() throws {
    let bytes = patternedBytes(100_000)
    let stream = MultipartFormDataTests.stream(bytes, size: 777)
    harness.session.upload(stream, to: CoreHarness.url).resume()
    #expect(try pull() == bytes)
    #expect(try framing() == .chunked)
    harness.session.upload(UploadStream(length: 100_000, open: stream.open), to: CoreHarness.url).resume()
    #expect(try pull(1) == bytes)
    #expect(try framing(1) == .length(100_000))
    try harness.answer(200)
    try harness.answer(200, to: 1)
  }

  @Test("An upload is asked for its body on the request context, not at the call")
  func creation() throws {
    struct Made: UploadableConvertible {
      let log: EventLog
      func createUploadable() throws -> Uploadable {
        log.add("made")
        return .data(Data([7]))
      }
    }
    let log = EventLog()
    let request = harness.session.upload(Made(log: log), with: try URLRequest(url: CoreHarness.url, method: .post))
    harness.settle()
    #expect(log.all.isEmpty)
    #expect(request.uploadable == nil)
    request.resume()
    #expect(try pull() == [7])
    #expect(log.all == ["made"])
    try harness.answer(200)
  }

  @Test("An impossible body is createUploadableFailed, and no request is sent")
  func failedCreation() throws {
    let answer = Awaited<DefaultDataResponse>()
    harness.session.upload(URL(filePath: directory.path("missing")), to: CoreHarness.url).response { answer.take($0) }
    guard case .createUploadableFailed(let error) = try answer.wait().error as? TapelineError else {
      Issue.record("unexpected error")
      return
    }
    #expect((error as? FileError)?.isMissingFile == true)
    #expect(try harness.startedCount() == 0)
  }

  @Test("A body is made anew for each attempt, and a file that was made for one is deleted")
  func retry() throws {
    struct Made: UploadableConvertible {
      let directory: TemporaryDirectory
      let log: EventLog
      func createUploadable() throws -> Uploadable {
        let name = "made-\(log.all.count)"
        log.add(name)
        return .file(URL(filePath: try directory.write("body", to: name)), shouldRemove: true)
      }
    }
    let harness = try CoreHarness(interceptor: Retrier { _, _, _, completion in completion(.retry) })
    let log = EventLog()
    let answer = Awaited<DefaultDataResponse>()
    harness.session.upload(
      Made(directory: directory, log: log), with: try URLRequest(url: CoreHarness.url, method: .put)
    ).response { answer.take($0) }
    try harness.complete(CoreHarness.refused)
    try harness.answer(200, to: 1)
    #expect(try answer.wait().error == nil)
    #expect(log.all == ["made-0", "made-1"])
    harness.settle()
    FileWork.queue.sync {}
    #expect(!fileExists(directory.path("made-0")))
    #expect(!fileExists(directory.path("made-1")))
  }

  @Test("A stream that fails, or breaks its declared length, fails the request", arguments: [2, 4])
  func brokenStream(length: UInt64) throws {
    let answer = Awaited<DefaultDataResponse>()
    let stream = UploadStream(length: length, open: MultipartFormDataTests.stream([1, 2, 3]).open)
    harness.session.upload(stream, to: CoreHarness.url).response { answer.take($0) }
    let task = try harness.task()
    let deadline = Deadline.after(seconds: 10)
    while try harness.onLoop({ _ in task.state == .running }), !deadline.hasPassed {
      _ = try harness.onLoop { _ in task.nextBodyChunk(limit: 100) }
    }
    guard case .sessionTaskFailed(let error) = try answer.wait().error as? TapelineError else {
      Issue.record("unexpected error")
      return
    }
    #expect(error is UploadError)
  }

  @Test("The first bytes sent stamp the initial response; progress counts what was sent")
  func progress() throws {
    let seen = Awaited<Progress>()
    let request = harness.session.upload(Data(count: 10), to: CoreHarness.url)
    request.uploadProgress(queue: harness.callbacks) { seen.take($0) }.resume()
    _ = try pull(limit: 6)
    #expect(request.delegate.initialResponseInstant != nil)
    #expect(try seen.wait() == Progress(totalUnitCount: 10, completedUnitCount: 6))
    #expect(try seen.wait() == Progress(totalUnitCount: 10, completedUnitCount: 10))
    try harness.answer(200)
  }

  @Test("A body can be sent again for a redirection or a challenge, and progress begins again")
  func renewal() throws {
    let bytes = patternedBytes(100_000)
    let url = URL(filePath: try directory.write(bytes, to: "file"))
    let request = harness.session.upload(url, to: CoreHarness.url)
    request.resume()
    #expect(try pull() == bytes)
    let delegate = try #require(request.delegate as? UploadTaskDelegate)
    #expect(try harness.onLoop { _ in delegate.taskNeedsNewBody() })
    #expect(delegate.bodyBytesSent == 0)
    #expect(try pull() == bytes)
    try harness.answer(200)
  }

  @Test("A file made for a form is removed at the end, with any outcome")
  func multipartFile() throws {
    let form = MultipartFormData()
    form.append(Data(count: 1_000), withName: "x")
    let upload = MultipartUpload(
      form: form, request: try URLRequest(url: CoreHarness.url, method: .post), threshold: 100, directory: directory.path)
    let request = harness.session.upload(upload)
    request.resume()
    #expect(try pull() == Array(try form.encode()))
    guard case .file(let url, shouldRemove: true) = request.uploadable else {
      Issue.record("not in a file")
      return
    }
    #expect(fileExists(url.path))
    request.cancel()
    harness.settle()
    FileWork.queue.sync {}
    #expect(!fileExists(url.path))
  }

  @Test("A form declares its boundary and its length")
  func multipart() throws {
    let request = harness.session.upload(
      multipartFormData: { form in form.append(Data("1".utf8), withName: "one") }, to: CoreHarness.url)
    request.resume()
    let body = String(decoding: try pull(), as: UTF8.self)
    let head = try #require(try harness.task().requestHead)
    let type = try #require(head.fields.values(named: "Content-Type").first)
    let boundary = try #require(type.split(separator: "boundary=").last)
    #expect(body == "--\(boundary)\r\nContent-Disposition: form-data; name=\"one\"\r\n\r\n1\r\n--\(boundary)--\r\n")
    #expect(try framing() == .length(UInt64(body.utf8.count)))
    try harness.answer(200)
  }

  @Test("An upload's response is kept like a data request's response")
  func response() throws {
    let answer = Awaited<DefaultDataResponse>()
    harness.session.upload(Data([1]), to: CoreHarness.url).response { answer.take($0) }
    _ = try pull()
    try harness.answer(201, body: "made")
    let response = try answer.wait()
    #expect(response.response?.statusCode == 201)
    #expect(response.data == Data("made".utf8))
  }
}
