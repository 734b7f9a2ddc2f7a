import FoundationEssentials
import TapelineCore
import TapelineTestSupport
import Testing

/// What is offered to a cache of the user's, and who decides about it.
@Suite struct CachingTests {
  private final class Cache: ResponseCache {
    let stored = Awaited<String>()

    func store(_ response: CachedURLResponse, for request: URLRequest) {
      stored.take("\(request) \(String(decoding: response.data, as: UTF8.self))")
    }
  }

  private let cache = Cache()
  private let origin: ScriptedOrigin
  private let configuration: SessionConfiguration

  init() throws {
    origin = try ScriptedOrigin(
      patience: 600,
      [
        .forever([
          .answer { request in
            let isSecret = request.startLine.contains("secret")
            let fields = isSecret ? "Cache-Control: private, No-Store\r\n" : ""
            let status = request.startLine.contains("part") ? "206 Partial Content" : "200 OK"
            return Array("HTTP/1.1 \(status)\r\n\(fields)Content-Length: 4\r\n\r\ntape".utf8)
          }
        ])
      ])
    var configuration = SessionConfiguration.patient
    configuration.responseCache = cache
    self.configuration = configuration
  }

  @Test("Only cacheable responses are offered to the cache")
  func offered() async throws {
    let session = Session(configuration: configuration)
    for path in ["/secret", "/part"] { _ = await session.request(origin.url(path)).serializingData().response }
    _ = await session.request(origin.url("/posted"), method: .post).serializingData().response
    _ = await session.request(origin.url("/unwanted"), headers: ["Cache-Control": "no-store"]).serializingData().response
    _ = await session.request(origin.url("/kept")).serializingData().response
    #expect(try cache.stored.wait() == "\(origin.url("/kept")) tape")
    #expect(cache.stored.count == 0)
  }

  @Test("A handler keeps, changes or drops a response; the request's handler precedes the session's")
  func handlers() async throws {
    let session = Session(configuration: configuration, cachedResponseHandler: .doNotCache)
    _ = await session.request(origin.url("/dropped")).serializingData().response
    let changing = ResponseCacher(
      behavior: .modify { _, cached in CachedURLResponse(response: cached.response, data: Data("changed".utf8)) })
    _ = await session.request(origin.url("/changed")).cacheResponse(using: changing).serializingData().response
    #expect(try cache.stored.wait() == "\(origin.url("/changed")) changed")
    _ = await session.request(origin.url("/kept")).cacheResponse(using: .cache).serializingData().response
    #expect(try cache.stored.wait() == "\(origin.url("/kept")) tape")
    #expect(cache.stored.count == 0)
  }

  @Test("A handler is asked even without a cache")
  func withoutCache() async throws {
    let asked = Awaited<Int>()
    let session = Session(
      cachedResponseHandler: .modify { task, cached in
        asked.take(cached.data.count)
        return task.response == nil ? cached : nil
      })
    _ = await session.request(origin.url()).serializingData().response
    #expect(try asked.wait() == 4)
  }
}
