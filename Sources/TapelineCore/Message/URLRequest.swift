public import FoundationEssentials
package import TapelineHTTP
internal import TapelineText

/// A request: what to ask for, how, with which fields and which body.
///
/// It keeps what it is given: the order, spelling and duplicates of fields, the method's case, and the bytes of the URL as `URL` has them.
/// Nothing is checked before `validate()`, which a session calls before it sends.
public struct URLRequest: Sendable {
  /// What a cache may be asked. The library has none: the policy is for an interceptor that puts one before it.
  public enum CachePolicy: Sendable, Hashable {
    /// As HTTP says.
    case useProtocolCachePolicy
    /// Not at all.
    case reloadIgnoringLocalCacheData
    /// For anything it has, however old; else the server is asked.
    case returnCacheDataElseLoad
    /// For anything it has, however old; the server is not asked.
    case returnCacheDataDontLoad
  }

  /// What the request asks for.
  private enum Location {
    case url(URL?)
    /// The target of a head that was made or came elsewhere, and what that leaves unsaid.
    case received(RequestHead, ImpliedOrigin?)
  }

  private var location: Location
  /// The method. Methods are case-sensitive.
  public var method: HTTPMethod
  /// The fields. `Host` and the framing of the body need not be among them.
  public var headers: HTTPHeaders
  /// The body, if it is in memory.
  public var httpBody: Data?
  /// Seconds without any progress after which the request fails; `nil`: as the session's configuration has it.
  public var timeoutInterval: TimeInterval?
  /// What a cache may be asked.
  public var cachePolicy: CachePolicy
  /// What is sent as the request target instead of the URL's path and query: origin-form, byte by byte, or `*` for OPTIONS
  /// (RFC 9112 3.2). The URL still says where to.
  public var target: String?

  /// A GET request.
  public init(url: URL, cachePolicy: CachePolicy = .useProtocolCachePolicy, timeoutInterval: TimeInterval? = nil) {
    location = .url(url)
    method = .get
    headers = HTTPHeaders()
    self.timeoutInterval = timeoutInterval
    self.cachePolicy = cachePolicy
  }

  /// A request for what `url` makes of itself; throws what that throws.
  public init(url: any URLConvertible, method: HTTPMethod, headers: HTTPHeaders? = nil) throws {
    self.init(url: try url.asURL())
    self.method = method
    if let headers { self.headers = headers }
  }

  /// A request as it was sent or came, lossless.
  package init(head: RequestHead, implied: ImpliedOrigin? = nil) {
    location = .received(head, implied)
    method = head.method
    headers = HTTPHeaders(head.fields)
    timeoutInterval = nil
    cachePolicy = .useProtocolCachePolicy
  }

  /// What is asked for. Of a request that came from elsewhere it is `nil` when its target is no URL.
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

  /// The fields by name; the values of one that occurs more than once are joined. Setting replaces all fields.
  public var allHTTPHeaderFields: [String: String]? {
    get { headers.dictionary }
    set { headers = HTTPHeaders(newValue ?? [:]) }
  }

  /// The value of the first field called `field`, in any case.
  public func value(forHTTPHeaderField field: String) -> String? {
    headers.value(for: field)
  }

  /// Sets the one value of a field, or removes the field for `nil`.
  public mutating func setValue(_ value: String?, forHTTPHeaderField field: String) {
    headers[field] = value
  }

  /// Adds a field and keeps those that are called the same.
  public mutating func addValue(_ value: String, forHTTPHeaderField field: String) {
    headers.append(name: field, value: value)
  }
}

extension URLRequest: CustomStringConvertible {
  /// What is asked for, without credentials and fragment: for a proxied request that is the absolute URL.
  public var description: String {
    switch location {
    case .url(let url): url.map { URIReference($0.absoluteString).sanitized } ?? "nil"
    case .received(let head, let implied): head.urlText(implied: implied)
    }
  }
}

extension URLRequest: Hashable {
  /// Whether both ask for the same, in the same way.
  public static func == (left: URLRequest, right: URLRequest) -> Bool {
    left.url == right.url && left.method == right.method && left.headers == right.headers && left.httpBody == right.httpBody
      && left.timeoutInterval == right.timeoutInterval && left.cachePolicy == right.cachePolicy && left.target == right.target
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(url)
    hasher.combine(method)
    hasher.combine(headers)
    hasher.combine(httpBody)
  }
}
