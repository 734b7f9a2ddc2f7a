import Foundation
import TapelineCore

// Code in Swift 5 mode has completions that are not `@Sendable`. It must reach the same functions as other code.

/// Hands on to a policy, and counts how often it was asked.
final class CountingPolicy: RequestInterceptor, @unchecked Sendable {
  private let policy = RetryPolicy(retryLimit: 3, exponentialBackoffScale: 0.01)
  private(set) var count = 0

  func retry(_ request: Request, for session: Session, dueTo error: Error, completion: @escaping (RetryResult) -> Void) {
    count += 1
    policy.retry(request, for: session, dueTo: error, completion: completion)
  }
}

@main
enum InSwift5 {
  static func main() async throws {
    let policy = CountingPolicy()
    let request = AF.request(CommandLine.arguments[1] + "/flaky", interceptor: policy).validate()
    _ = try await request.serializingDecodable([String: Int].self).value
    precondition(request.retryCount == 2 && policy.count == 2, "a policy that is handed a completion decides as always")
    print("ok      a policy behind another one: \(request.retryCount) retries")
  }
}
