public import FoundationEssentials
internal import Synchronization
internal import TapelineHTTP
internal import TapelineBase

/// The cookies of one or several sessions, in memory (RFC 6265 5.3, 5.4). Usable from any thread.
public final class HTTPCookieStorage: Sendable {
  /// Cookies with the same name, domain and path are the same cookie.
  private struct Key: Hashable, Sendable {
    let name: String
    let domain: String
    let path: String

    init(_ cookie: HTTPCookie) {
      name = cookie.name
      domain = cookie.domain
      path = cookie.path
    }
  }

  private struct Entry: Sendable {
    let cookie: HTTPCookie
    /// The cookie's number in the order of creation.
    let creation: UInt64
  }

  private struct State: Sendable {
    var entries: [Key: Entry] = [:]
    var created: UInt64 = 0
  }

  /// The maximum of cookies for one domain and in all; beyond it the oldest is removed.
  private static let (mostOfDomain, most) = (180, 3_000)
  /// The longest `Set-Cookie` that is looked at, in bytes.
  private static let longest = 4_096

  private let state = Mutex(State())

  /// Holds nothing.
  public init() {}

  /// All cookies that have not expired, oldest first.
  public var cookies: [HTTPCookie] {
    let now = Date()
    return state.withLock { state in
      state.entries.values.filter { !$0.cookie.hasEnded(at: now) }.sorted { $0.creation < $1.creation }.map(\.cookie)
    }
  }

  /// The cookies that a request for `url` would be sent with, in this order.
  public func cookies(for url: URL) -> [HTTPCookie] {
    do throws(TapelineError) {
      return cookies(for: try URLRequest(url: url).head())
    } catch {
      return []
    }
  }

  /// Keeps a cookie and replaces the one with the same name, domain and path. An expired cookie only removes that one.
  public func setCookie(_ cookie: HTTPCookie) {
    let now = Date()
    state.withLock { state in
      let replaced = state.entries.removeValue(forKey: Key(cookie))
      guard !cookie.hasEnded(at: now) else { return }
      if replaced == nil { state.created += 1 }
      state.entries[Key(cookie)] = Entry(cookie: cookie, creation: replaced?.creation ?? state.created)
      Self.makeRoom(in: &state, besides: cookie.domain, now: now)
    }
  }

  /// Forgets the cookie with this one's name, domain and path.
  public func deleteCookie(_ cookie: HTTPCookie) {
    state.withLock { state in state.entries[Key(cookie)] = nil }
  }

  /// Forgets all cookies.
  public func removeAll() {
    state.withLock { state in state.entries = [:] }
  }

  private static func makeRoom(in state: inout State, besides domain: String, now: Date) {
    if state.entries.count > most { state.entries = state.entries.filter { !$0.value.cookie.hasEnded(at: now) } }
    let ofDomain = state.entries.filter { $0.key.domain == domain }
    if ofDomain.count > mostOfDomain, let oldest = ofDomain.min(by: { $0.value.creation < $1.value.creation }) {
      state.entries[oldest.key] = nil
    }
    if state.entries.count > most, let oldest = state.entries.min(by: { $0.value.creation < $1.value.creation }) {
      state.entries[oldest.key] = nil
    }
  }

  // MARK: Exchanges

  /// Keeps the cookies that a response sets.
  func store(from response: HTTPURLResponse) {
    let fields = response.head.fields.values(of: .setCookie)
    guard !fields.isEmpty, case .absolute(let target) = response.request.target else { return }
    let (now, path) = (Date(), response.request.cookiePath)
    for field in fields where field.utf8.count <= Self.longest {
      let cookie = HTTPCookie(
        field: field, host: target.host.lowercased(), path: path, isSecureOrigin: target.scheme == .https, now: now)
      if let cookie { setCookie(cookie) }
    }
  }

  /// The `Cookie` field of a request; `nil` if no cookie is for it.
  func fieldValue(for request: RequestHead) -> String? {
    let cookies = cookies(for: request)
    return cookies.isEmpty ? nil : cookies.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
  }

  /// Longer paths first, and older ones before newer ones (RFC 6265 5.4).
  private func cookies(for request: RequestHead) -> [HTTPCookie] {
    guard case .absolute(let target) = request.target else { return [] }
    let (now, host, path, isSecure) = (Date(), target.host.lowercased(), request.cookiePath, target.scheme == .https)
    let entries = state.withLock { state in
      state.entries.values.filter { entry in
        let cookie = entry.cookie
        return (!cookie.isSecure || isSecure) && !cookie.hasEnded(at: now) && cookie.isFor(path: path)
          && (cookie.domain == host || cookie.includesSubdomains && Self.isHost(host, below: cookie.domain))
      }
    }
    return entries.sorted { ($1.cookie.path.utf8.count, $0.creation) < ($0.cookie.path.utf8.count, $1.creation) }.map(\.cookie)
  }

  /// RFC 6265 5.1.3: texts are compared as they are, and an IP address is not below any domain.
  static func isHost(_ host: String, below domain: String) -> Bool {
    host.hasSuffix("." + domain) && Host(host).canHaveSubdomains
  }
}

extension HTTPCookie {
  fileprivate func hasEnded(at now: Date) -> Bool {
    expiresDate.map { $0 <= now } ?? false
  }

  /// RFC 6265 5.1.4.
  fileprivate func isFor(path asked: String) -> Bool {
    asked == path || asked.hasPrefix(path.hasSuffix("/") ? path : path + "/")
  }
}

extension RequestHead {
  fileprivate var cookiePath: String { String(originFormText.prefix { $0 != "?" }) }
}
