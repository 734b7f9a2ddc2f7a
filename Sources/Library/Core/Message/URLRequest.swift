public import FoundationEssentials
package import TapelineHTTP
internal import TapelineBase

/// A request: what to ask for, how, with which fields and which body.
///
/// It keeps what it is given: the order, spelling and duplicates of fields, the method's case, and the bytes of the URL as
/// `URL` has them. Nothing is checked before `validate()`, which a session calls before it sends.
public struct URLRequest: Sendable {
  /// How a cache may be used. The library does not ask one: the policy is for an interceptor that does.
  public enum CachePolicy: Sendable, Hashable {
    /// As HTTP says.
    case useProtocolCachePolicy
    /// Do not use a cache.
    case reloadIgnoringLocalCacheData
    /// Do not use a cache, and have none on the way use one.
    case reloadIgnoringLocalAndRemoteCacheData
    /// Use a cached response only if the server says that it is still good.
    case reloadRevalidatingCacheData
    /// Use any cached response, however old; else ask the server.
    case returnCacheDataElseLoad
    /// Use any cached response, however old; do not ask the server.
    case returnCacheDataDontLoad

    /// `reloadIgnoringLocalCacheData`.
    public static var reloadIgnoringCacheData: CachePolicy { .reloadIgnoringLocalCacheData }
  }

  /// The target of the request.
  private enum Location {
    case url(URL?)
    /// The target of a head that was made or received elsewhere, and the origin that the target leaves out.
    case received(RequestHead, ImpliedOrigin?)
  }

  private var location: Location
  /// The method. Methods are case-sensitive.
  public var method: HTTPMethod
  /// The fields. `Host` and the framing of the body need not be among them.
  public var headers: HTTPHeaders
  /// The body, if it is in memory.
  public var httpBody: Data?
  /// Seconds without any progress after which the request fails; `nil`: the session's configuration decides.
  public var timeoutInterval: TimeInterval?
  /// How a cache may be used.
  public var cachePolicy: CachePolicy
  /// Whether the session's cookies are sent, and those that the response sets are kept.
  public var httpShouldHandleCookies = true
  /// The request target to send instead of the URL's path and query: origin-form, byte by byte, or `*` for OPTIONS
  /// (RFC 9112 3.2). The URL still decides where the request goes.
  public var target: String?

  /// A GET request.
  ///
  /// - Parameters:
  ///   - url: where the request goes.
  ///   - cachePolicy: how a cache may be used.
  ///   - timeoutInterval: seconds without any progress after which the request fails; `nil`: the session's configuration decides.
  public init(url: URL, cachePolicy: CachePolicy = .useProtocolCachePolicy, timeoutInterval: TimeInterval? = nil) {
    location = .url(url)
    method = .get
    headers = HTTPHeaders()
    self.timeoutInterval = timeoutInterval
    self.cachePolicy = cachePolicy
  }

  /// A request for the URL that `url` makes; throws if `url` does.
  ///
  /// - Parameters:
  ///   - url: the URL.
  ///   - method: the method.
  ///   - headers: the fields; the session adds its own where the request has none of that name.
  public init(url: any URLConvertible, method: HTTPMethod, headers: HTTPHeaders? = nil) throws {
    self.init(url: try url.asURL())
    self.method = method
    if let headers { self.headers = headers }
  }

  /// A request as it was sent or received, lossless.
  package init(head: RequestHead, implied: ImpliedOrigin? = nil) {
    location = .received(head, implied)
    method = head.method
    headers = HTTPHeaders(head.fields)
    timeoutInterval = nil
    cachePolicy = .useProtocolCachePolicy
  }

  /// The requested URL; `nil` for a request made from a head whose target is not a URL.
  public var url: URL? {
    get {
      switch location {
      case .url(let url): url
      case .received(let head, let implied): URL(string: head.urlText(implied: implied))
      }
    }
    set { location = .url(newValue) }
  }
}

extension URLRequest {
  /// The method's name. Setting `nil` means GET.
  public var httpMethod: String? {
    get { method.rawValue }
    set { method = newValue.map(HTTPMethod.init(rawValue:)) ?? .get }
  }

  /// The fields by name; the values of a field that occurs more than once are joined. Setting replaces all fields.
  public var allHTTPHeaderFields: [String: String]? {
    get { headers.dictionary }
    set { headers = HTTPHeaders(newValue ?? [:]) }
  }

  /// The value of the first field called `field`, in any case.
  public func value(forHTTPHeaderField field: String) -> String? {
    headers.value(for: field)
  }

  /// Sets the only value of a field; `nil` removes the field.
  public mutating func setValue(_ value: String?, forHTTPHeaderField field: String) {
    headers[field] = value
  }

  /// Adds a field and keeps other fields of that name.
  public mutating func addValue(_ value: String, forHTTPHeaderField field: String) {
    headers.append(name: field, value: value)
  }
}

extension URLRequest: CustomStringConvertible {
  /// The requested URL, without credentials and fragment; for a proxied request, the absolute URL.
  public var description: String {
    switch location {
    case .url(let url): url?.sanitizedText ?? "nil"
    case .received(let head, let implied): head.urlText(implied: implied)
    }
  }
}

extension URL {
  /// The URL without credentials and fragment, as it may be written down.
  var sanitizedText: String { URIReference(absoluteString).sanitized }
}

extension URLRequest: Hashable {
  /// Whether both ask for the same, in the same way.
  public static func == (left: URLRequest, right: URLRequest) -> Bool {
    left.url == right.url && left.method == right.method && left.headers == right.headers && left.httpBody == right.httpBody
      && left.timeoutInterval == right.timeoutInterval && left.cachePolicy == right.cachePolicy && left.target == right.target
      && left.httpShouldHandleCookies == right.httpShouldHandleCookies
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(url)
    hasher.combine(method)
    hasher.combine(headers)
    hasher.combine(httpBody)
  }
}
