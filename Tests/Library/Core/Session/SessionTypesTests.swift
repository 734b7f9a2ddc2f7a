import FoundationEssentials
import TapelineHTTP
import Testing

@testable import TapelineCore
@testable import TapelineTransport

/// What only has to compile, or to be of its kind.
@Suite struct SessionTypesTests {
  @Test("There are the four kinds of requests, each with its kind of task and its task delegate")
  func kinds() throws {
    let harness = try CoreHarness()
    let session = harness.session
    let data = session.request(CoreHarness.url)
    guard case .data(nil, nil) = data.requestTask else { return #expect(Bool(false)) }
    #expect(data.delegate is DataTaskDelegate)
    let upload = session.upload(Data("x".utf8), to: CoreHarness.url)
    guard case .upload(nil, nil) = upload.requestTask else { return #expect(Bool(false)) }
    #expect(upload.delegate is UploadTaskDelegate)
    let download = session.download(CoreHarness.url)
    guard case .download(nil, nil) = download.requestTask else { return #expect(Bool(false)) }
    #expect(download.delegate is DownloadTaskDelegate)
    let streamed = session.streamRequest(CoreHarness.url)
    guard case .data(nil, nil) = streamed.requestTask else { return #expect(Bool(false)) }
    let raw = session.stream(host: "origin.example", port: 443, with: StreamTaskDelegate())
    guard case .stream(nil) = raw.requestTask else { return #expect(Bool(false)) }
    #expect(raw.delegate is StreamTaskDelegate)
    data.resume()
    let task = try harness.task()
    guard case .data(.some, let made?) = data.requestTask else { return #expect(Bool(false)) }
    #expect(made === task)
    try harness.answer()
  }

  @Test("The free functions ask the default session, and start nothing before a handler is attached")
  func freeFunctions() {
    let data: DataRequest = TapelineCore.request(CoreHarness.url)
    let made: DataRequest = TapelineCore.request(
      RequestConvertible(
        url: CoreHarness.url, method: .get, parameters: nil, encoding: URLEncoding.default, headers: nil, requestModifier: nil))
    let download: DownloadRequest = TapelineCore.download(CoreHarness.url)
    let upload: UploadRequest = TapelineCore.upload(Data(), to: CoreHarness.url)
    let stream: DataStreamRequest = TapelineCore.streamRequest(CoreHarness.url)
    for request in [data, made, download, upload, stream] as [Request] {
      #expect(request.isInitialized)
      #expect(request.engine === AF.engine)
    }
  }

  @Test("A request asks its owner, held weakly, for adaptation and retries")
  func aStubbedOwner() throws {
    final class Owner: RequestDelegate {
      let asked = Protected<[String]>([])
      var sessionConfiguration: SessionConfiguration { .default }
      var startImmediately: Bool { false }
      var redirectHandler: (any RedirectHandler)? { nil }
      var cachedResponseHandler: (any CachedResponseHandler)? { nil }
      func adaptation(for request: Request) -> RequestAdaptation? { nil }
      func hasRetrier(for request: Request) -> Bool { true }
      func retryResult(
        for request: Request, dueTo error: TapelineError, completion: @escaping @Sendable (RetryResult) -> Void
      ) {
        asked.write { $0.append("retry") }
        completion(.doNotRetry)
      }
      func retryRequest(_ request: Request, withDelay delay: TimeInterval?) {}
      func cleanup(after request: Request) { asked.write { $0.append("cleanup") } }
    }
    let harness = try CoreHarness()
    var owner: Owner? = Owner()
    let asked = try #require(owner).asked
    func make() throws -> DataRequest {
      DataRequest(
        convertible: try URLRequest(url: CoreHarness.url, method: .get), delegate: DataTaskDelegate(),
        scope: RequestScope(engine: harness.engine, owner: try #require(owner), interceptor: nil, shouldAutomaticallyResume: nil))
    }
    let request = try make()
    let orphan = try make()
    let awaited = request.awaitedOutcome(retries: false)
    #expect(request.isInitialized)
    request.resume()
    try harness.complete(CoreHarness.refused)
    #expect(try awaited.wait().error != nil)
    harness.settle()
    #expect(asked.wrappedValue == ["retry", "cleanup"])
    owner = nil
    #expect(orphan.owner == nil)
    orphan.resume()
    #expect(try orphan.awaitedOutcome().wait().error?.isSessionDeinitializedError == true)
  }

  @Test("A session may be given its loop and its transport; its root context is that loop")
  func aSessionOnAGivenLoop() throws {
    let harness = try CoreHarness()
    let engine = harness.engine
    #expect(engine.root is LoopContext)
    #expect(!engine.root.isCurrent)
    #expect(try harness.onLoop { _ in engine.root.isCurrent })
    #expect(harness.session.engine === engine)
  }
}
