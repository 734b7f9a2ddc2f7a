import Dispatch
import FoundationEssentials
import TapelineTestSupport
import Testing

@testable import TapelineCore

/// Uploads to a real origin on this machine.
@Suite struct UploadLoopbackTests {
  private let session = Session()
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  @Test("64 MiB go out with flat memory: at most the limit is read ahead")
  func large() throws {
    let path = try directory.makeSparseFile("file", size: 64 << 20)
    let origin = try ScriptedOrigin([.expectHead, .expect(bytes: 64 << 20), .respond("201 Created"), .expectEnd])
    let answer = Awaited<DefaultDataResponse>()
    let request = session.upload(URL(filePath: path), to: origin.url())
    request.response { answer.take($0) }
    let response = try answer.wait(seconds: 60)
    #expect(response.error == nil)
    #expect(response.response?.statusCode == 201)
    let delegate = try #require(request.delegate as? UploadTaskDelegate)
    #expect(delegate.highestBacklog <= BodyReader.readAheadLimit)
    #expect(delegate.bodyBytesSent == 64 << 20)
    #expect(request.uploadProgress.completedUnitCount == 64 << 20)
  }

  @Test("A stream of unknown length goes out in chunks and arrives whole")
  func chunked() throws {
    let bytes = patternedBytes(700_000)
    let origin = try ScriptedOrigin([.expectRequest, .respond(), .expectEnd])
    let answer = Awaited<DefaultDataResponse>()
    session.upload(MultipartFormDataTests.stream(bytes, size: 10_007), to: origin.url()).response { answer.take($0) }
    #expect(try answer.wait().error == nil)
    let request = try #require(origin.requests.first)
    #expect(request.body == bytes)
    #expect(request.value(of: "Transfer-Encoding") == "chunked")
    #expect(request.value(of: "Expect") == nil)
  }

  @Test("A form above the threshold goes through a file that is gone in the end")
  func multipart() throws {
    let bytes = patternedBytes(300_000)
    let origin = try ScriptedOrigin([.expectRequest, .respond(), .expectEnd])
    let form = MultipartFormData(boundary: "b")
    form.append(URL(filePath: try directory.write(bytes, to: "photo.png")), withName: "photo")
    let answer = Awaited<DefaultDataResponse>()
    let upload = MultipartUpload(
      form: form, request: try URLRequest(url: origin.url(), method: .post), threshold: 1_000, directory: directory.path)
    let ended = Awaited<Bool>()
    session.upload(upload).onFinish { ended.take(true) }.response { answer.take($0) }
    #expect(try answer.wait().error == nil)
    let request = try #require(origin.requests.first)
    #expect(request.body == Array(try form.encode()))
    #expect(request.value(of: "Content-Type") == "multipart/form-data; boundary=b")
    #expect(request.value(of: "Content-Length") == "\(form.encodedLength)")
    _ = try ended.wait()
    FileWork.queue.sync {}
    FileWork.queue.sync {}
  }

  @Test("A redirection that keeps the method sends the file again from its start", arguments: [307, 308])
  func resent(status: Int) throws {
    let bytes = patternedBytes(300_000)
    // The first connection is not reused when its answer was there before the end of the request was noticed.
    let origin = try ScriptedOrigin { number in
      let redirection: [OriginStep] = [.expectRequest, .respond("\(status) Elsewhere", fields: ["Location: /there"])]
      return (number == 0 ? redirection : []) + [.expectRequest, .respond("201 Created"), .expectEnd]
    }
    let answer = Awaited<DefaultDataResponse>()
    let url = URL(filePath: try directory.write(bytes, to: "file"))
    session.upload(url, to: origin.url("/here")).response { answer.take($0) }
    #expect(try answer.wait().response?.statusCode == 201)
    #expect(origin.requests.map(\.body) == [bytes, bytes])
    #expect(origin.requests.last?.startLine.hasPrefix("POST /there ") == true)
  }

  @Test("A redirection that becomes a GET sends no body")
  func becomesGet() throws {
    let origin = try ScriptedOrigin([
      .expectRequest, .respond("303 See Other", fields: ["Location: /there"]), .expectRequest, .respond(), .expectEnd,
    ])
    let answer = Awaited<DefaultDataResponse>()
    session.upload(Data(count: 1_000), to: origin.url("/here")).response { answer.take($0) }
    #expect(try answer.wait().response?.statusCode == 200)
    let second = try #require(origin.requests.last)
    #expect(second.startLine.hasPrefix("GET /there "))
    #expect(second.body.isEmpty)
    #expect(second.value(of: "Content-Length") == nil)
  }

  @Test("An upload that is suspended in the middle goes on when it is resumed")
  func suspended() throws {
    let bytes = patternedBytes(4 << 20)
    let origin = try ScriptedOrigin([.expectRequest, .respond(), .expectEnd])
    let answer = Awaited<DefaultDataResponse>()
    let began = Awaited<Bool>()
    let request = session.upload(MultipartFormDataTests.stream(bytes, size: 100_000), to: origin.url())
    request.uploadProgress { _ in began.take(true) }.response { answer.take($0) }
    _ = try began.wait()
    request.suspend()
    request.resume()
    #expect(try answer.wait().error == nil)
    #expect(origin.requests.first?.body == bytes)
  }

  @Test("A server that answers and closes before it has read the body does not hang the upload")
  func earlyAnswer() throws {
    let path = try directory.makeSparseFile("file", size: 16 << 20)
    let origin = try ScriptedOrigin([.expectHead, .respond("413 Content Too Large"), .close])
    let answer = Awaited<DefaultDataResponse>()
    session.upload(URL(filePath: path), to: origin.url()).response { answer.take($0) }
    let response = try answer.wait()
    #expect(response.response?.statusCode == 413 || response.error != nil)
  }
}
