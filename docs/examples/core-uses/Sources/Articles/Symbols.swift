import Dispatch
import FoundationEssentials
import TapelineCore
import TapelineHAR
import TapelineRecorder

// The examples in the comments of declarations.

func makeSession() -> Session {
  var configuration = SessionConfiguration.default
  configuration.timeoutIntervalForRequest = 30
  let session = Session(configuration: configuration, interceptor: RetryPolicy())
  return session
}

func request(_ session: Session) {
  session.request("https://example.com/tapes", parameters: ["page": 2]).response { response in
    print(response.debugDescription)
  }
}

func responseDecodable(_ session: Session) {
  session.request("https://example.com/tapes/1").responseDecodable(of: Tape.self) { response in
    print(response.value?.title ?? "\(response.error, default: "no error")")
  }
}

func validate(_ session: Session) {
  session.request("https://example.com/tapes/1").validate().responseString { response in
    if case .failure(.responseValidationFailed(let reason)) = response.result { print(reason) }
  }
}

func serializingDecodable(_ session: Session) async throws {
  let tape = try await session.request("https://example.com/tapes/1").serializingDecodable(Tape.self).value
  print(tape.title)
}

func headers(_ token: String) -> HTTPHeaders {
  var headers: HTTPHeaders = [.accept("application/json"), HTTPHeader(name: "X-Side", value: "A")]
  headers.add(.authorization(bearerToken: token))
  return headers
}

func streamRequest(_ session: Session) async throws {
  for try await piece in session.streamRequest("https://example.com/lines").bytes() {
    print(piece.count)
  }
}

struct Stamp: RequestInterceptor {
  func adapt(
    _ urlRequest: URLRequest, for session: Session, completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
  ) {
    var stamped = urlRequest
    stamped.headers.update(name: "X-Stamp", value: "1")
    completion(.success(stamped))
  }
}

func download(_ session: Session) async throws {
  let file = try await session.download("https://example.com/recording").serializingDownloadedFileURL().value
  print(file.path)
}

func upload(_ session: Session) async {
  let receipt = session.upload(Data("side A".utf8), to: "https://example.com/upload").validate()
  print(await receipt.serializingString().result)
}

func record() throws {
  var configuration = SessionConfiguration.default
  configuration.recorder = try SessionRecorder(path: "tests.har")
  let session = Session(configuration: configuration)
  _ = session
}

func chat(_ session: Session) async {
  let socket = session.webSocketRequest("wss://example.com/chat")
  for await message in socket.streamingMessages() { print(message) }
}

enum Server {
  static var currentContext: TraceContext? { nil }
}

func trace() {
  let tracer = RequestTracer(parent: { Server.currentContext }) { span in print(span.context.traceID, span.error as Any) }
  let session = Session(interceptor: tracer, eventMonitors: [tracer])
  _ = session
}
