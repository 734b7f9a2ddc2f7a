import Dispatch
import FoundationEssentials
import TapelineTestSupport
import Testing

@testable import TapelineCore

/// Downloads from a real origin on this machine.
@Suite struct DownloadLoopbackTests {
  private let session = Session()
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  private func to(_ name: String) -> DownloadRequest.Destination {
    let url = URL(filePath: directory.path(name))
    return { _, _ in (url, .removePreviousFile) }
  }

  @Test("64 MiB pass with flat memory: at most the limit and one receive buffer wait for the disk")
  func large() throws {
    let megabyte = patternedBytes(1 << 20)
    let origin = try ScriptedOrigin([
      .expectRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: \(64 << 20)\r\n\r\n"),
      .run { connection in for _ in 0..<64 { try connection.send(megabyte) } }, .expectEnd,
    ])
    let answer = Awaited<DefaultDownloadResponse>()
    let request = session.download(origin.url(), to: to("file"))
    request.response { answer.take($0) }
    #expect(try answer.wait(seconds: 60).error == nil)
    let delegate = try #require(request.delegate as? DownloadTaskDelegate)
    #expect(delegate.highestBacklog <= Backlog.defaultLimit + 128 * 1024)
    let reader = try FileReader(directory.path("file"))
    for _ in 0..<64 {
      var piece: [UInt8] = []
      while piece.count < megabyte.count { piece += try reader.read(upTo: megabyte.count - piece.count) }
      guard piece == megabyte else {
        Issue.record("the file differs")
        return
      }
    }
    #expect(try reader.read(upTo: 1).isEmpty)
    #expect(request.downloadProgress.completedUnitCount == 64 << 20)
  }

  @Test("A download killed anywhere and resumed equals the original", arguments: [1, 65_536, 500_000, 999_999])
  func killedAndResumed(cut: Int) throws {
    let original = patternedBytes(1_000_000)
    let origin = try ScriptedOrigin { number in
      if number == 0 {
        [
          .expectRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\nETag: \"v1\"\r\n\r\n"),
          .send(Array(original[..<cut])), .close,
        ]
      } else {
        [
          .answer { request in
            let start = request.value(of: "Range").flatMap { Int($0.dropFirst("bytes=".count).dropLast()) } ?? 0
            let head =
              "HTTP/1.1 206 Partial Content\r\nContent-Length: \(1_000_000 - start)\r\nETag: \"v1\"\r\n"
              + "Content-Range: bytes \(start)-999999/1000000\r\n\r\n"
            return Array(head.utf8) + original[start...]
          }, .expectEnd,
        ]
      }
    }
    let first = Awaited<DefaultDownloadResponse>()
    session.download(origin.url(), to: to("file")).response { first.take($0) }
    let broken = try first.wait()
    #expect(broken.error != nil)
    let data = try #require(broken.resumeData)
    #expect(try ResumeData(data).offset == cut)
    #expect(!fileExists(directory.path("file")))
    let second = Awaited<DefaultDownloadResponse>()
    session.download(resumingWith: data, to: to("file")).response { second.take($0) }
    #expect(try second.wait().error == nil)
    #expect(try readFile(directory.path("file")) == original)
    #expect(origin.requests.count == 2)
  }

  @Test("A cancelled download keeps its bytes; a changed file starts over in the same task, also after 416")
  func rangeNotSatisfiable() throws {
    let original = patternedBytes(300_000)
    let other = patternedBytes(1_000, seed: 2)
    let origin = try ScriptedOrigin { number in
      if number == 0 {
        [
          .expectRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\nETag: \"v1\"\r\n\r\n"), .send(original),
          .expectEnd,
        ]
      } else {
        [
          .forever([
            .answer { request in
              let head =
                request.value(of: "Range") == nil
                ? "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\nETag: \"v2\"\r\n\r\n"
                : "HTTP/1.1 416 Range Not Satisfiable\r\nContent-Length: 5\r\nContent-Range: bytes */1000\r\n\r\nsorry"
              return Array(head.utf8) + (request.value(of: "Range") == nil ? other : [])
            }
          ])
        ]
      }
    }
    let made = Awaited<Data?>()
    let came = Awaited<Int64>()
    let request = session.download(origin.url(), to: to("file"))
    request.downloadProgress { if $0.completedUnitCount == 300_000 { came.take($0.completedUnitCount) } }.resume()
    _ = try came.wait()
    request.cancel { made.take($0) }
    let data = try #require(try made.wait())
    #expect(try ResumeData(data).offset == 300_000)
    let second = Awaited<DefaultDownloadResponse>()
    session.download(resumingWith: data, to: to("file")).validate().response { second.take($0) }
    let response = try second.wait()
    #expect(response.error == nil)
    #expect(response.response?.statusCode == 200)
    #expect(try readFile(directory.path("file")) == other)
  }

  @Test("A suspended download stops and continues when it is resumed")
  func suspended() throws {
    let original = patternedBytes(8 << 20)
    let origin = try ScriptedOrigin([.expectRequest, .respond(body: original), .expectEnd])
    let answer = Awaited<DefaultDownloadResponse>()
    let began = Awaited<Bool>()
    let request = session.download(origin.url(), to: to("file"))
    request.downloadProgress { _ in began.take(true) }.response { answer.take($0) }
    _ = try began.wait()
    request.suspend()
    request.resume()
    #expect(try answer.wait().error == nil)
    #expect(try readFile(directory.path("file")) == original)
  }

  @Test("A server that sends single bytes in chunks is held back too, and the file is complete")
  func singleBytes() throws {
    let bytes = patternedBytes(100_000)
    let chunks = bytes.flatMap { Array("1\r\n".utf8) + [$0] + Array("\r\n".utf8) } + Array("0\r\n\r\n".utf8)
    let origin = try ScriptedOrigin([
      .expectRequest, .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), .send(chunks), .expectEnd,
    ])
    let answer = Awaited<DefaultDownloadResponse>()
    session.download(origin.url(), to: to("file")).response { answer.take($0) }
    #expect(try answer.wait().error == nil)
    #expect(try readFile(directory.path("file")) == bytes)
  }

  @Test("A file that cannot be written fails the download with its own error, not with the cancellation that follows")
  func unwritable() throws {
    let origin = try ScriptedOrigin([.expectRequest, .respond(body: patternedBytes(1_000_000)), .expectEnd])
    let answer = Awaited<DefaultDownloadResponse>()
    let request = DownloadRequest(
      downloadable: .request(try URLRequest(url: origin.url(), method: .get)), directory: directory.path("missing"),
      destination: to("file"), scope: session.scope())
    request.response { answer.take($0) }
    let response = try answer.wait()
    guard case .sessionTaskFailed(let error) = response.error as? TapelineError else {
      Issue.record("unexpected: \(String(describing: response.error))")
      return
    }
    #expect((error as? FileError)?.operation == .open)
  }
}
