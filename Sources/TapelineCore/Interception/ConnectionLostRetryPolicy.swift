/// Retries only requests whose connection broke: the server may have closed the connection while it was idle.
///
/// Safety: `@unchecked Sendable` is inherited; it stores nothing.
public final class ConnectionLostRetryPolicy: RetryPolicy, @unchecked Sendable {
  /// The limits of `RetryPolicy`, for lost connections only.
  public init(
    retryLimit: UInt = RetryPolicy.defaultRetryLimit,
    exponentialBackoffBase: UInt = RetryPolicy.defaultExponentialBackoffBase,
    exponentialBackoffScale: Double = RetryPolicy.defaultExponentialBackoffScale,
    retryableHTTPMethods: Set<HTTPMethod> = RetryPolicy.defaultRetryableHTTPMethods
  ) {
    super.init(
      retryLimit: retryLimit, exponentialBackoffBase: exponentialBackoffBase, exponentialBackoffScale: exponentialBackoffScale,
      retryableHTTPMethods: retryableHTTPMethods, retryableHTTPStatusCodes: [], retryableFailures: [.connectionLost])
  }
}

extension RequestInterceptor where Self == ConnectionLostRetryPolicy {
  /// The policy with its defaults.
  public static var connectionLostRetryPolicy: ConnectionLostRetryPolicy { ConnectionLostRetryPolicy() }
}
