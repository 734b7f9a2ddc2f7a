import TapelineCore

/// What is safe to send again is sent again, after a while that doubles each time. This server is well at the third attempt.
func retry(_ server: Server) async throws -> String {
  let policy = RetryPolicy(retryLimit: 3, exponentialBackoffScale: 0.01)
  let request = AF.request(server.url + "/flaky", interceptor: policy).validate()
  let answer = try await request.serializingDecodable([String: Int].self).value
  guard answer == ["attempt": 3], request.retryCount == 2 else { throw Unexpected("\(answer), \(request.retryCount) retries") }
  return "\(request.retryCount) retries"
}
