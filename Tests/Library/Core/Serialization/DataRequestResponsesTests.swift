import Dispatch
import FoundationEssentials
import TapelineHTTP
import TapelineLoop
import Testing

@testable import TapelineCore

@Suite struct DataRequestResponsesTests {
  private struct Value: Decodable, Hashable, Sendable {
    let a: Int
  }

  private let harness: CoreHarness

  init() throws {
    harness = try CoreHarness()
  }

  private func request() -> DataRequest { harness.session.request(CoreHarness.url) }

  @Test("response delivers the body unchanged")
  func untouched() throws {
    let awaited = Awaited<DefaultDataResponse>()
    request().response { awaited.take($0) }
    try harness.answer(404, ["X": "1"], body: "body")
    let response = try awaited.wait()
    #expect(response.request?.url?.absoluteString == CoreHarness.url)
    #expect(response.response?.statusCode == 404)
    #expect(response.data == Data("body".utf8))
    #expect(response.error == nil)
    #expect(response.timeline.totalDuration > 0)
    #expect(response.metrics != nil)
  }

  @Test("A handler may ask for the response of Alamofire 5")
  func untouchedResult() throws {
    let awaited = Awaited<AFDataResponse<Data?>>()
    request().response { (response: AFDataResponse<Data?>) in awaited.take(response) }
    try harness.answer(200, body: "body")
    let response = try awaited.wait()
    #expect(response.value == .some(Data("body".utf8)))
    #expect(response.serializationDuration == 0)
  }

  @Test("Handlers of several types on one request are called in order")
  func chaining() throws {
    let log = EventLog()
    let done = Awaited<Void>()
    request()
      .responseString { log.add("string \($0.value ?? "nil")") }
      .responseJSON { log.add("JSON \(($0.value as? [String: any Sendable])?["a"] as? Int ?? 0)") }
      .responseJSONValue { log.add("value \($0.value?["a"].map { "\($0)" } ?? "nil")") }
      .responseDecodable(of: Value.self) { log.add("decodable \($0.value?.a ?? 0)") }
      .responseData { log.add("data \($0.value?.count ?? 0)") }
      .response { _ in done.take(()) }
    try harness.answer(200, body: #"{"a":1}"#)
    try done.wait()
    #expect(log.all == [#"string {"a":1}"#, "JSON 1", "value 1", "decodable 1", "data 7"])
  }

  @Test("Serializers are given by name, to requests and to what is awaited")
  func namedSerializers() async throws {
    let text = Awaited<DataResponse<String>>()
    let request = request().response(responseSerializer: .string) { text.take($0) }
    let json = request.serializingResponse(using: .json)
    let value = request.serializingResponse(using: .decodable(of: Value.self))
    try harness.answer(200, body: #"{"a":1}"#)
    #expect(try text.wait().value == #"{"a":1}"#)
    #expect(try await json.value["a"] == .integer(1))
    #expect(try await value.value == Value(a: 1))
  }

  @Test("A failed request's error reaches every handler, and there is no data")
  func failures() throws {
    let (plain, typed) = (Awaited<DefaultDataResponse>(), Awaited<DataResponse<String>>())
    request().response { plain.take($0) }.responseString { typed.take($0) }
    try harness.complete(CoreHarness.refused)
    #expect(try plain.wait().error?.asTapelineError?.transportError?.kind == .refused)
    let response = try typed.wait()
    #expect(response.error?.transportError?.kind == .refused)
    #expect(response.data == nil)
  }

  @Test("An invalid URL reaches the handlers as an error, without a request")
  func invalidURL() throws {
    let awaited = Awaited<DataResponse<String>>()
    harness.session.request("http://bad host").responseString { awaited.take($0) }
    let response = try awaited.wait()
    #expect(response.request == nil)
    #expect(response.error?.isInvalidURLError == true)
  }

  @Test(
    "An empty body fails the serializer, unless the status allows it",
    arguments: [(200, false), (204, true)])
  func emptiness(status: Int, isAllowed: Bool) throws {
    let awaited = Awaited<DataResponse<String>>()
    request().responseString { awaited.take($0) }
    try harness.answer(status)
    #expect(try awaited.wait().result.isSuccess == isAllowed)
  }

  @Test("An error from the caller's serializer is wrapped")
  func customSerializer() throws {
    struct Refusal: Error {}
    struct Refusing: DataResponseSerializerProtocol {
      func serialize(request: URLRequest?, response: HTTPURLResponse?, data: Data?, error: (any Error)?) throws -> Int {
        throw Refusal()
      }
    }
    let awaited = Awaited<DataResponse<Int>>()
    request().response(responseSerializer: Refusing()) { awaited.take($0) }
    try harness.answer(200, body: "x")
    let error = try awaited.wait().error
    #expect(error?.isResponseSerializationError == true)
    #expect(error?.underlyingError is Refusal)
  }

  @Test("Each handler is called on its queue")
  func queues() throws {
    let key = DispatchSpecificKey<Bool>()
    let queue = DispatchQueue(label: "a handler's own")
    queue.setSpecific(key: key, value: true)
    let awaited = Awaited<Bool>()
    request()
      .responseString(queue: queue) { _ in awaited.take(DispatchQueue.getSpecific(key: key) == true) }
      .responseString { _ in awaited.take(DispatchQueue.getSpecific(key: key) == true) }
    try harness.answer(200, body: "x")
    let answers = try [awaited.wait(), awaited.wait()]
    #expect(answers.count { $0 } == 1)
  }
}
