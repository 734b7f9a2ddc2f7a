import Dispatch
import FoundationEssentials
import TapelineCore

struct Tape: Codable, Sendable {
  var title: String
  var minutes: Int
}

func getStarted() async throws {
  let tape = try await AF.request("https://example.com/tapes/1")
    .validate()
    .serializingDecodable(Tape.self)
    .value
  print(tape.title)
}

func getStartedWithHandlers(queue: DispatchQueue) {
  AF.request("https://example.com/tapes/1")
    .validate()
    .responseDecodable(of: Tape.self, queue: queue) { response in
      switch response.result {
      case .success(let tape): print(tape.title)
      case .failure(let error): print(error)
      }
    }
}

func sendParameters(_ tape: Tape) {
  AF.request("https://example.com/search", parameters: ["q": "loop back", "page": 2]).resume()
  AF.request("https://example.com/login", method: .post, parameters: ["user": "ada"]).resume()
  AF.request("https://example.com/tapes", method: .post, parameters: tape, encoder: .json).resume()
  AF.request("https://example.com/tapes", headers: [.authorization(bearerToken: "…"), .accept("application/json")]).resume()
}

func makeASession() -> Session {
  var configuration = SessionConfiguration.default
  configuration.headers.update(.userAgent("tape-deck/1.0"))
  configuration.connectTimeout = 3
  let session = Session(configuration: configuration, interceptor: RetryPolicy())
  return session
}

func handleErrors() async {
  let response = await AF.request("https://example.com/tapes/1").validate().serializingData().response
  switch response.error {
  case nil: print(response.value?.count ?? 0)
  case .explicitlyCancelled: print("cancelled")
  case .responseValidationFailed: print("status \(response.response?.statusCode ?? 0)")
  case .some(let error): print(error)
  }
}
