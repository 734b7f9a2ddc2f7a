import FoundationEssentials
import TapelineHTTP
import Testing

@testable import TapelineCore

@Suite struct DataRequestValidationTests {
  private let harness: CoreHarness

  init() throws {
    harness = try CoreHarness()
  }

  private func error(
    _ status: Int, _ fields: HeaderFields, body: String? = nil, headers: HTTPHeaders = [:],
    validating: (DataRequest) -> DataRequest
  ) throws -> TapelineError? {
    let awaited = Awaited<DefaultDataResponse>()
    _ = validating(harness.session.request(CoreHarness.url, headers: headers)).response { awaited.take($0) }
    try harness.answer(status, fields, body: body)
    return try awaited.wait().error?.asTapelineError
  }

  @Test("Without validation, every response succeeds")
  func none() throws {
    #expect(try error(500, [:]) { $0 } == nil)
  }

  @Test(
    "Default validation accepts 2xx and the type that Accept asks for",
    arguments: [
      (200, "text/html", nil), (404, "text/html", "status"), (200, "image/png", "type"), (299, "TEXT/HTML; charset=x", nil),
    ] as [(Int, String, String?)])
  func automatic(status: Int, type: String, problem: String?) throws {
    let error = try error(status, ["Content-Type": type], body: "x", headers: ["Accept": "text/html"]) { $0.validate() }
    #expect((error?.responseCode != nil) == (problem == "status"))
    #expect((error?.responseContentType != nil) == (problem == "type"))
    #expect((error == nil) == (problem == nil))
  }

  @Test("The caller can choose acceptable statuses and types")
  func chosen() throws {
    #expect(try error(404, [:]) { $0.validate(statusCode: [404]) } == nil)
  }

  @Test func chosenTypes() throws {
    let error = try error(200, ["Content-Type": "a/b"], body: "x") { $0.validate(contentType: ["c/*", "d/e"]) }
    #expect(error?.acceptableContentTypes == ["c/*", "d/e"])
  }

  @Test("The type is checked only if there is a body")
  func withoutBody() throws {
    #expect(try error(204, ["Content-Type": "a/b"]) { $0.validate(contentType: ["c/d"]) } == nil)
  }

  @Test("The first failed validation wins, and its error is wrapped")
  func order() throws {
    struct Refusal: Error {}
    let log = EventLog()
    let error = try error(200, [:], body: "body") { request in
      request
        .validate { _, _, data in
          log.add("first \(data?.count ?? 0)")
          return .success(())
        }
        .validate { _, _, _ in
          log.add("second")
          return .failure(Refusal())
        }
        .validate { _, _, _ in
          log.add("third")
          return .success(())
        }
    }
    #expect(error?.underlyingError is Refusal)
    #expect(error?.isResponseValidationError == true)
    #expect(log.all == ["first 4", "second"])
  }

  @Test("Validations are left out when there is an error or no response")
  func leftOut() throws {
    let log = EventLog()
    let awaited = Awaited<DefaultDataResponse>()
    harness.session.request(CoreHarness.url)
      .validate { _, _, _ in
        log.add("called")
        return .success(())
      }
      .response { awaited.take($0) }
    try harness.head()
    try harness.complete(CoreHarness.refused)
    #expect(try awaited.wait().error != nil)
    #expect(log.all.isEmpty)
  }

  @Test("A validation does not need its request's owner, and keeps nothing alive that nobody uses")
  func lifetime() throws {
    weak var kept: DataRequest?
    do {
      let request = harness.session.request(CoreHarness.url, shouldAutomaticallyResume: false)
      request.validate()
      kept = request
    }
    #expect(kept == nil)
    let awaited = Awaited<DefaultDataResponse>()
    harness.session.request(CoreHarness.url).validate().response { awaited.take($0) }
    try harness.answer(500)
    #expect(try awaited.wait().error?.asTapelineError?.responseCode == 500)
  }
}
