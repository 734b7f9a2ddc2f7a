import Dispatch
import FoundationEssentials
import Synchronization
import TapelineHTTP2
import TapelineTLS
import TapelineTestSupport
import Testing

@testable import TapelineCore

@Suite("Trailers of requests, and how far a body has got")
struct RequestTrailersTests {
  @Test("A body with trailers goes out in chunks, whatever its length", arguments: [true, false])
  func http1(isStream: Bool) async throws {
    let origin = try ScriptedOrigin(patience: 600, [.expectRequest, .respond(body: "ok"), .expectEnd])
    let session = Session(configuration: .patient)
    let headers: HTTPHeaders = ["Trailer": "X-Digest"]
    let request =
      isStream
      ? session.upload(Self.stream(), to: origin.url(), headers: headers)
      : session.upload(Data("side A".utf8), to: origin.url(), headers: headers)
    let response = await request.trailers { ["X-Digest": "1234", "Content-Length": "7"] }.serializingString().response
    #expect(response.value == "ok")
    let sent = try #require(origin.requests.first)
    #expect(sent.bodyText == "side A")
    #expect(sent.value(of: "Transfer-Encoding") == "chunked")
    #expect(sent.value(of: "Content-Length") == nil)
    #expect(sent.trailers.map(\.name) == ["X-Digest"])
    #expect(sent.trailers.map(\.value) == ["1234"])
  }

  private static func stream() -> UploadStream {
    UploadStream {
      let isSent = Protected(false)
      return { _ in
        isSent.write { isSent in
          defer { isSent = true }
          return isSent ? [] : Array("side A".utf8)
        }
      }
    }
  }

  @Test("In HTTP/2, too")
  func http2() async throws {
    let chain = try IssuedChain.shared.get()
    let context = try TLSServerContext(applicationProtocols: [.http2])
    let seen = Mutex<[String]>([])
    let origin = try HTTP2Origin.start(
      HTTP2Origin.TLS(context: context, credentials: chain.leaf.credentials(sending: [chain.middle])), patience: 600,
      script: { peer, _ in
        let stream = try peer.nextRequest()
        let body = try peer.receiveBody(of: stream)
        let fields = peer.trailers[stream]?.fields ?? [:]
        let lines = fields.indices.map { "\(fields.name(at: $0)): \(fields.value(at: $0))" }
        seen.withLock { $0 = [String(decoding: body, as: UTF8.self)] + lines }
        try peer.respond(stream, body: "ok")
        try peer.waitForEnd()
      })
    var configuration = SessionConfiguration.patient
    configuration.tls.trustRoots = .only([chain.root.certificate])
    let session = Session(configuration: configuration)
    let response = await session.upload(Data("side A".utf8), to: "https://localhost:\(origin.port)/")
      .trailers { ["X-Digest": "1234"] }.serializingString().response
    #expect(response.value == "ok")
    #expect(seen.withLock { $0 } == ["side A", "x-digest: 1234"])
  }

  @Test("Trailers are made when the body has been read, for each attempt")
  func digest() async throws {
    let origin = try ScriptedOrigin(
      patience: 600, [.expectRequest, .respond("503 Busy"), .expectRequest, .respond(body: "ok"), .expectEnd])
    let count = Mutex(0)
    let session = Session(configuration: .patient)
    let request =
      session
      .upload(
        Data("side A".utf8), to: origin.url(),
        interceptor: RetryPolicy(exponentialBackoffScale: 0.001, retryableHTTPMethods: [.post])
      )
      .trailers {
        count.withLock { $0 += 1 }
        return ["X-Attempt": "\(count.withLock { $0 })"]
      }
      .validate()
    _ = await request.serializingString().response
    #expect(origin.requests.map { $0.trailers.map(\.value) } == [["1"], ["2"]])
  }

  @Test("Progress counts what the connection has taken, not what was read", arguments: [true, false])
  func progress(isUpload: Bool) async throws {
    let mayRead = DispatchSemaphore(value: 0)
    let origin = try ScriptedOrigin(
      patience: 600, [.run { _ in mayRead.wait() }, .expectRequest, .respond(body: "ok"), .expectEnd])
    let size = 64 << 20
    let body = Data(repeating: 1, count: size)
    let session = Session(configuration: .patient)
    let stalled = Mutex<Int64>(0)
    var plain = URLRequest(url: try origin.url().asURL())
    plain.method = .post
    plain.httpBody = body
    let request = isUpload ? session.upload(body, to: origin.url()) : session.request(plain)
    let last = Mutex<Int64>(0)
    request.uploadProgress(queue: DispatchQueue(label: "progress")) { progress in
      last.withLock { $0 = progress.completedUnitCount }
      // The kernel and we hold only a part of it.
      if stalled.withLock({ $0 }) == 0 {
        stalled.withLock { $0 = progress.completedUnitCount }
        mayRead.signal()
      }
      #expect(progress.totalUnitCount == Int64(size))
    }
    let response = await request.serializingString().response
    #expect(response.value == "ok")
    #expect(stalled.withLock { $0 } < Int64(size))
    #expect(last.withLock { $0 } == Int64(size))
  }
}
