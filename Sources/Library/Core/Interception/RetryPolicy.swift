internal import TapelineBase
internal import TapelineSystem
internal import TapelineTLS
internal import TapelineTransport

/// Retries requests that are safe to repeat and likely to work the next time, with exponential back-off.
///
/// A request is retried when its method is idempotent and either its status code or the kind of its transport failure is in the
/// policy's sets, up to the limit. The policy waits `exponentialBackoffScale` seconds before the first retry, and
/// `exponentialBackoffBase` times as long before each further retry.
///
/// Safety: `@unchecked Sendable` because a class that may be subclassed cannot be `Sendable`; every stored property is a
/// constant.
open class RetryPolicy: RequestInterceptor, @unchecked Sendable {
  /// 2.
  public static let defaultRetryLimit: UInt = 2
  /// 2.
  public static let defaultExponentialBackoffBase: UInt = 2
  /// 0.5.
  public static let defaultExponentialBackoffScale = 0.5
  /// The idempotent methods (RFC 9110 9.2.2).
  public static let defaultRetryableHTTPMethods: Set<HTTPMethod> = [.delete, .get, .head, .options, .put, .trace]
  /// 408, 500, 502, 503, 504.
  public static let defaultRetryableHTTPStatusCodes: Set<Int> = [408, 500, 502, 503, 504]
  /// Failures that may not last.
  public static let defaultRetryableFailures: Set<TransportFailure> = [
    .badServerResponse, .cannotConnectToHost, .cannotFindHost, .certificateDateInvalid, .connectionLost, .dnsLookupFailed,
    .secureConnectionFailed, .timedOut,
  ]

  /// The most times that a request is sent again.
  public let retryLimit: UInt
  /// At least 2.
  public let exponentialBackoffBase: UInt
  /// Seconds.
  public let exponentialBackoffScale: Double
  /// The methods of requests that may be sent again.
  public let retryableHTTPMethods: Set<HTTPMethod>
  /// The status codes after which a request is sent again.
  public let retryableHTTPStatusCodes: Set<Int>
  /// The failures after which a request is sent again.
  public let retryableFailures: Set<TransportFailure>

  /// A policy; arguments that are left out take the defaults.
  ///
  /// - Parameters:
  ///   - retryLimit: the most times that a request is sent again.
  ///   - exponentialBackoffBase: at least 2.
  ///   - exponentialBackoffScale: seconds before the first retry.
  ///   - retryableHTTPMethods: the methods of requests that may be sent again.
  ///   - retryableHTTPStatusCodes: the status codes after which a request is sent again.
  ///   - retryableFailures: the failures after which a request is sent again.
  public init(
    retryLimit: UInt = RetryPolicy.defaultRetryLimit,
    exponentialBackoffBase: UInt = RetryPolicy.defaultExponentialBackoffBase,
    exponentialBackoffScale: Double = RetryPolicy.defaultExponentialBackoffScale,
    retryableHTTPMethods: Set<HTTPMethod> = RetryPolicy.defaultRetryableHTTPMethods,
    retryableHTTPStatusCodes: Set<Int> = RetryPolicy.defaultRetryableHTTPStatusCodes,
    retryableFailures: Set<TransportFailure> = RetryPolicy.defaultRetryableFailures
  ) {
    precondition(exponentialBackoffBase >= 2, "a back-off with a base below 2 does not back off")
    self.retryLimit = retryLimit
    self.exponentialBackoffBase = exponentialBackoffBase
    self.exponentialBackoffScale = exponentialBackoffScale
    self.retryableHTTPMethods = retryableHTTPMethods
    self.retryableHTTPStatusCodes = retryableHTTPStatusCodes
    self.retryableFailures = retryableFailures
  }

  /// A policy whose failures are given by their codes.
  ///
  /// - Parameters:
  ///   - retryLimit: the most times that a request is sent again.
  ///   - exponentialBackoffBase: at least 2.
  ///   - exponentialBackoffScale: seconds before the first retry.
  ///   - retryableHTTPMethods: the methods of requests that may be sent again.
  ///   - retryableHTTPStatusCodes: the status codes after which a request is sent again.
  ///   - retryableURLErrorCodes: the codes after which a request is sent again; those that cannot arise here have no effect.
  public convenience init(
    retryLimit: UInt = RetryPolicy.defaultRetryLimit,
    exponentialBackoffBase: UInt = RetryPolicy.defaultExponentialBackoffBase,
    exponentialBackoffScale: Double = RetryPolicy.defaultExponentialBackoffScale,
    retryableHTTPMethods: Set<HTTPMethod> = RetryPolicy.defaultRetryableHTTPMethods,
    retryableHTTPStatusCodes: Set<Int> = RetryPolicy.defaultRetryableHTTPStatusCodes,
    retryableURLErrorCodes: Set<SessionTaskError.Code>
  ) {
    self.init(
      retryLimit: retryLimit, exponentialBackoffBase: exponentialBackoffBase, exponentialBackoffScale: exponentialBackoffScale,
      retryableHTTPMethods: retryableHTTPMethods, retryableHTTPStatusCodes: retryableHTTPStatusCodes,
      retryableFailures: retryableURLErrorCodes.reduce(into: []) { $0.formUnion($1.failures) })
  }

  // Without this, code in Swift 5 that hands on a completion of its own would call the default of the protocol.
  @preconcurrency
  open func retry(
    _ request: Request, for session: Session, dueTo error: any Error, completion: @escaping @Sendable (RetryResult) -> Void
  ) {
    guard request.retryCount < retryLimit, shouldRetry(request: request, dueTo: error) else { return completion(.doNotRetry) }
    let growth = ElementaryFunctions.power(Double(exponentialBackoffBase), Double(request.retryCount))
    completion(.retryWithDelay(growth * exponentialBackoffScale))
  }

  /// Whether the request may be sent again after this error, regardless of its retry count.
  open func shouldRetry(request: Request, dueTo error: any Error) -> Bool {
    guard let method = request.request?.method, retryableHTTPMethods.contains(method) else { return false }
    if let status = request.response?.statusCode, retryableHTTPStatusCodes.contains(status) { return true }
    return !retryableFailures.isDisjoint(with: TransportFailure.kinds(of: error))
  }
}

extension RequestInterceptor where Self == RetryPolicy {
  /// The policy with its defaults.
  public static var retryPolicy: RetryPolicy { RetryPolicy() }

  /// A policy with these values.
  ///
  /// - Parameters:
  ///   - retryLimit: the most times that a request is sent again.
  ///   - exponentialBackoffBase: at least 2.
  ///   - exponentialBackoffScale: seconds before the first retry.
  ///   - retryableHTTPMethods: the methods of requests that may be sent again.
  ///   - retryableHTTPStatusCodes: the status codes after which a request is sent again.
  ///   - retryableFailures: the failures after which a request is sent again.
  public static func retryPolicy(
    retryLimit: UInt = RetryPolicy.defaultRetryLimit,
    exponentialBackoffBase: UInt = RetryPolicy.defaultExponentialBackoffBase,
    exponentialBackoffScale: Double = RetryPolicy.defaultExponentialBackoffScale,
    retryableHTTPMethods: Set<HTTPMethod> = RetryPolicy.defaultRetryableHTTPMethods,
    retryableHTTPStatusCodes: Set<Int> = RetryPolicy.defaultRetryableHTTPStatusCodes,
    retryableFailures: Set<TransportFailure> = RetryPolicy.defaultRetryableFailures
  ) -> RetryPolicy {
    RetryPolicy(
      retryLimit: retryLimit, exponentialBackoffBase: exponentialBackoffBase, exponentialBackoffScale: exponentialBackoffScale,
      retryableHTTPMethods: retryableHTTPMethods, retryableHTTPStatusCodes: retryableHTTPStatusCodes,
      retryableFailures: retryableFailures)
  }

  /// A policy whose failures are given by their codes.
  ///
  /// - Parameters:
  ///   - retryLimit: the most times that a request is sent again.
  ///   - exponentialBackoffBase: at least 2.
  ///   - exponentialBackoffScale: seconds before the first retry.
  ///   - retryableHTTPMethods: the methods of requests that may be sent again.
  ///   - retryableHTTPStatusCodes: the status codes after which a request is sent again.
  ///   - retryableURLErrorCodes: the codes after which a request is sent again; those that cannot arise here have no effect.
  public static func retryPolicy(
    retryLimit: UInt = RetryPolicy.defaultRetryLimit,
    exponentialBackoffBase: UInt = RetryPolicy.defaultExponentialBackoffBase,
    exponentialBackoffScale: Double = RetryPolicy.defaultExponentialBackoffScale,
    retryableHTTPMethods: Set<HTTPMethod> = RetryPolicy.defaultRetryableHTTPMethods,
    retryableHTTPStatusCodes: Set<Int> = RetryPolicy.defaultRetryableHTTPStatusCodes,
    retryableURLErrorCodes: Set<SessionTaskError.Code>
  ) -> RetryPolicy {
    RetryPolicy(
      retryLimit: retryLimit, exponentialBackoffBase: exponentialBackoffBase, exponentialBackoffScale: exponentialBackoffScale,
      retryableHTTPMethods: retryableHTTPMethods, retryableHTTPStatusCodes: retryableHTTPStatusCodes,
      retryableURLErrorCodes: retryableURLErrorCodes)
  }
}

/// Retries only requests whose connection broke: the server may have closed the connection while it was idle.
///
/// Safety: `@unchecked Sendable` is inherited; it stores nothing.
public final class ConnectionLostRetryPolicy: RetryPolicy, @unchecked Sendable {
  /// The limits of `RetryPolicy`, for lost connections only.
  ///
  /// - Parameters:
  ///   - retryLimit: the most times that a request is sent again.
  ///   - exponentialBackoffBase: at least 2.
  ///   - exponentialBackoffScale: seconds before the first retry.
  ///   - retryableHTTPMethods: the methods of requests that may be sent again.
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

  /// A policy with these values.
  ///
  /// - Parameters:
  ///   - retryLimit: the most times that a request is sent again.
  ///   - exponentialBackoffBase: at least 2.
  ///   - exponentialBackoffScale: seconds before the first retry.
  ///   - retryableHTTPMethods: the methods of requests that may be sent again.
  public static func connectionLostRetryPolicy(
    retryLimit: UInt = RetryPolicy.defaultRetryLimit,
    exponentialBackoffBase: UInt = RetryPolicy.defaultExponentialBackoffBase,
    exponentialBackoffScale: Double = RetryPolicy.defaultExponentialBackoffScale,
    retryableHTTPMethods: Set<HTTPMethod> = RetryPolicy.defaultRetryableHTTPMethods
  ) -> ConnectionLostRetryPolicy {
    ConnectionLostRetryPolicy(
      retryLimit: retryLimit, exponentialBackoffBase: exponentialBackoffBase, exponentialBackoffScale: exponentialBackoffScale,
      retryableHTTPMethods: retryableHTTPMethods)
  }
}

/// The kind of failure that kept a task from completing, in terms that suit retry decisions.
public enum TransportFailure: String, Sendable, Hashable, CaseIterable {
  /// No such host.
  case cannotFindHost
  /// The resolver could not answer.
  case dnsLookupFailed
  /// The host refused, or cannot be reached.
  case cannotConnectToHost
  /// The connection broke while it was in use.
  case connectionLost
  /// The peer did not answer, or did not continue, in time.
  case timedOut
  /// The two sides could not agree on TLS.
  case secureConnectionFailed
  /// The server's certificate is not valid at this time.
  case certificateDateInvalid
  /// The server's certificate is not trusted.
  case certificateUntrusted
  /// The server's answer is not HTTP.
  case badServerResponse
  /// This machine lacks descriptors or rights.
  case localResource
  /// The task was cancelled.
  case cancelled
  /// None of these.
  case other
}

extension TapelineError {
  /// The kind of the transport's failure; `nil` when the error is not the transport's.
  public var transportFailure: TransportFailure? { transportError.map { TransportFailure($0) } }
}

extension TransportFailure {
  /// The kinds that an error may be of: one if the transport has reported it, those with its code if it was made by hand.
  fileprivate static func kinds(of error: any Error) -> Set<TransportFailure> {
    switch error {
    case let error as SessionTaskError: error.transport.map { [TransportFailure($0)] } ?? error.code.failures
    case let error as TransportError: [TransportFailure(error)]
    case TapelineError.sessionTaskFailed(let error): kinds(of: error)
    default: []
    }
  }

  init(_ error: TransportError) {
    self =
      switch error.kind {
      case .nameNotFound: .cannotFindHost
      case .resolverFailure: .dnsLookupFailed
      case .refused, .unreachable, .addressNotAvailable: .cannotConnectToHost
      case .reset, .closed:
        error.phase == .connect ? .cannotConnectToHost : error.phase == .tls ? .secureConnectionFailed : .connectionLost
      case .timedOut: .timedOut
      case .tooManyFiles, .addressInUse, .permissionDenied: .localResource
      case .protocolViolation, .headTooLarge, .transferCoding: .badServerResponse
      case .streamReset: .connectionLost
      case .certificate(.expired), .certificate(.notYetValid): .certificateDateInvalid
      case .certificate: .certificateUntrusted
      case .alert: .secureConnectionFailed
      case .cancelled: .cancelled
      case .loopDetected, .destinationProhibited, .lengthRequired, .tunnelRefused, .proxyAuthenticationRequired, .other: .other
      }
  }
}
