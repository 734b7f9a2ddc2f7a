import TapelineCore

/// The shortest: a request, a check, a value. The first handler starts the request.
func getJSON(_ server: Server) async throws -> String {
  try await withCheckedThrowingContinuation { done in
    AF.request(server.url + "/tape")
      .validate()
      .responseDecodable(of: Tape.self) { response in
        done.resume(with: response.result.map { "\($0.title), \($0.minutes) minutes" })
      }
  }
}
