public import FoundationEssentials
package import TapelineTransport

/// Why the transport could not complete a task, with the code that Foundation's `URLError` has for it. Foundation's own type is
/// not part of this library, and a type of the same name would be ambiguous beside `import Foundation`.
///
/// It is the error in `TapelineError.sessionTaskFailed`, and so its `underlyingError`. With Foundation, `error as NSError` has
/// the domain `NSURLErrorDomain` and the same code.
/// [Errors](https://developer.apple.com/documentation/foundation/urlerror/code) lists Foundation's codes; those that cannot
/// arise here are left out.
public struct SessionTaskError: Error, Hashable, Sendable {
  /// The kind of failure, by its number.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The number: negative, as in `CFNetworkErrors`.
    public let rawValue: Int

    /// A code by its number.
    public init(rawValue: Int) {
      self.rawValue = rawValue
    }

    /// -1: none of the others.
    public static let unknown = Code(rawValue: -1)
    /// -999: the task was cancelled.
    public static let cancelled = Code(rawValue: -999)
    /// -1001: the server did not answer, or did not go on, in time.
    public static let timedOut = Code(rawValue: -1001)
    /// -1002: the URL has a scheme that is not supported.
    public static let unsupportedURL = Code(rawValue: -1002)
    /// -1003: there is no such host.
    public static let cannotFindHost = Code(rawValue: -1003)
    /// -1004: the host refused, or cannot be reached.
    public static let cannotConnectToHost = Code(rawValue: -1004)
    /// -1005: the connection broke while it was in use.
    public static let networkConnectionLost = Code(rawValue: -1005)
    /// -1006: the name could not be looked up.
    public static let dnsLookupFailed = Code(rawValue: -1006)
    /// -1008: this machine lacks descriptors, ports or rights.
    public static let resourceUnavailable = Code(rawValue: -1008)
    /// -1009: there is no route to the host's network.
    public static let notConnectedToInternet = Code(rawValue: -1009)
    /// -1011: the server's answer is not HTTP.
    public static let badServerResponse = Code(rawValue: -1011)
    /// -1200: the two sides could not agree on TLS.
    public static let secureConnectionFailed = Code(rawValue: -1200)
    /// -1201: the server's certificate is not valid at this time.
    public static let serverCertificateHasBadDate = Code(rawValue: -1201)
    /// -1202: the server's certificate is not trusted.
    public static let serverCertificateUntrusted = Code(rawValue: -1202)
  }

  /// The kind of failure.
  public let code: Code
  /// The transport's own error; `nil` for one that was made by hand.
  package let transport: TransportError?

  /// An error that no transport reported: for tests.
  public init(_ code: Code) {
    self.code = code
    transport = nil
  }

  package init(_ error: TransportError) {
    code = Code(TransportFailure(error), isWithoutRoute: error.kind == .unreachable)
    transport = error
  }

  /// `NSURLErrorDomain`.
  public static var errorDomain: String { "NSURLErrorDomain" }

  /// The code's number.
  public var errorCode: Int { code.rawValue }

  /// `errorDomain`, under the name by which the runtime makes an `NSError` of an error.
  public var _domain: String { Self.errorDomain }
  /// `errorCode`, under the name by which the runtime makes an `NSError` of an error.
  public var _code: Int { errorCode }
}

extension SessionTaskError: LocalizedError, CustomStringConvertible {
  /// Whose side failed, in which phase, and how.
  public var description: String { transport.map { "\($0)" } ?? "the request failed with code \(code.rawValue)" }

  /// As `description`.
  public var errorDescription: String? { description }
}

extension TapelineError {
  /// The code of the transport's failure, as Foundation's `URLError` has it; `nil` when the error is not the transport's.
  public var urlErrorCode: SessionTaskError.Code? { (underlyingError as? SessionTaskError)?.code }
}

extension SessionTaskError.Code {
  /// The kind of failure that retry policies know.
  fileprivate init(_ failure: TransportFailure, isWithoutRoute: Bool) {
    self =
      switch failure {
      case .cannotFindHost: .cannotFindHost
      case .dnsLookupFailed: .dnsLookupFailed
      case .cannotConnectToHost: isWithoutRoute ? .notConnectedToInternet : .cannotConnectToHost
      case .connectionLost: .networkConnectionLost
      case .timedOut: .timedOut
      case .secureConnectionFailed: .secureConnectionFailed
      case .certificateDateInvalid: .serverCertificateHasBadDate
      case .certificateUntrusted: .serverCertificateUntrusted
      case .badServerResponse: .badServerResponse
      case .localResource: .resourceUnavailable
      case .cancelled: .cancelled
      case .other: .unknown
      }
  }

  /// The codes that these failures may have.
  static func codes(of failures: Set<TransportFailure>) -> Set<Self> {
    failures.reduce(into: []) { $0.formUnion([Self($1, isWithoutRoute: false), Self($1, isWithoutRoute: true)]) }
  }

  /// The failures with this code.
  var failures: Set<TransportFailure> {
    Set(TransportFailure.allCases.filter { Self($0, isWithoutRoute: false) == self || Self($0, isWithoutRoute: true) == self })
  }
}
