/// The credential that an `Authenticator` puts into requests: a token, and everything needed to get the next one.
public protocol AuthenticationCredential: Sendable {
  /// Whether it should be refreshed before use: `true` from a little before a known expiry.
  var requiresRefresh: Bool { get }
}

/// Knows one way of authenticating, such as OAuth: how a credential gets into a request, when it was refused, and how to get
/// another.
public protocol Authenticator: AnyObject, Sendable {
  /// The credential that it puts into requests.
  associatedtype Credential: AuthenticationCredential

  /// Puts the credential into a request, most often as `Authorization`.
  func apply(_ credential: Credential, to urlRequest: inout URLRequest)

  /// Gets another credential in place of `credential`, and calls `completion` once, from anywhere.
  ///
  /// The requests that fetch it must not use the interceptor that asks for it: they would wait for themselves.
  func refresh(
    _ credential: Credential, for session: Session, completion: @escaping @Sendable (Result<Credential, any Error>) -> Void)

  /// Whether the response says that the credential was refused: most often that its status is 401.
  func didRequest(_ urlRequest: URLRequest, with response: HTTPURLResponse, failDueToAuthenticationError error: any Error) -> Bool

  /// Whether the request carries this credential. A request with an older credential is sent again without a refresh.
  func isRequest(_ urlRequest: URLRequest, authenticatedWith credential: Credential) -> Bool
}

/// Why an `AuthenticationInterceptor` gave up.
public enum AuthenticationError: Error, Sendable, Hashable {
  /// It has no credential.
  case missingCredential
  /// Credentials were refreshed too often: a server refuses the credentials that it hands out.
  case excessiveRefresh
}
