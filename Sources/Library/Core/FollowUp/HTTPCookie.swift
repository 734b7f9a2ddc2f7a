public import FoundationEssentials
internal import TapelineBase
internal import TapelineTime

/// A cookie (RFC 6265): a value that a server has asked the client to send back.
public struct HTTPCookie: Sendable, Hashable {
  /// The name, which is case-sensitive.
  public let name: String
  /// The value, as it came, quotes included.
  public let value: String
  /// The host that it is for, in lower case and without a dot before it.
  public let domain: String
  /// Whether it is for the hosts below `domain`, too.
  public let includesSubdomains: Bool
  /// The path that it is for, along with everything below that path.
  public let path: String
  /// When it expires; `nil`: when its storage is released.
  public let expiresDate: Date?
  /// Whether it is for `https` only.
  public let isSecure: Bool
  /// Whether it would be hidden from scripts in a page.
  public let isHTTPOnly: Bool

  /// A cookie that you make yourself.
  ///
  /// - Parameters:
  ///   - name: the name, which is case-sensitive.
  ///   - value: the value, as it will be sent.
  ///   - domain: the host that it is for; a dot before it is dropped.
  ///   - includesSubdomains: whether it is for the hosts below `domain`, too.
  ///   - path: the path that it is for, along with everything below that path.
  ///   - expiresDate: when it expires; `nil`: when its storage is released.
  ///   - isSecure: whether it is for `https` only.
  ///   - isHTTPOnly: whether it would be hidden from scripts in a page.
  public init(
    name: String, value: String, domain: String, includesSubdomains: Bool = false, path: String = "/", expiresDate: Date? = nil,
    isSecure: Bool = false, isHTTPOnly: Bool = false
  ) {
    self.name = name
    self.value = value
    let lowercased = domain.lowercased()
    self.domain = lowercased.hasPrefix(".") ? String(lowercased.dropFirst()) : lowercased
    self.includesSubdomains = includesSubdomains
    self.path = path
    self.expiresDate = expiresDate
    self.isSecure = isSecure
    self.isHTTPOnly = isHTTPOnly
  }

  /// Reads a `Set-Cookie` field of a response to a request for `path` of `host` (RFC 6265 5.2, 5.3); `nil` for one that must be
  /// ignored.
  ///
  /// The library has no list of public suffixes. It refuses a cookie for a parent domain of one label, and a `Secure` cookie that
  /// did not come over `https`.
  package init?(field: String, host: String, path: String, isSecureOrigin: Bool, now: Date) {
    let parts = field.split(separator: ";", omittingEmptySubsequences: false)
    guard let (name, value) = parts.first.flatMap(Self.pair), let value, !name.isEmpty else { return nil }
    let attributes = Attributes(parts.dropFirst(), now: now)
    guard !attributes.isSecure || isSecureOrigin else { return nil }
    var domain = host
    var includesSubdomains = false
    if let asked = attributes.domain, asked != host {
      guard asked.contains("."), HTTPCookieStorage.isHost(host, below: asked) else { return nil }
      domain = asked
      includesSubdomains = true
    } else if let asked = attributes.domain {
      includesSubdomains = asked.contains(".") && Host(host).canHaveSubdomains
    }
    self.init(
      name: String(name), value: String(value), domain: domain, includesSubdomains: includesSubdomains,
      path: attributes.path ?? Self.defaultPath(path), expiresDate: attributes.expires, isSecure: attributes.isSecure,
      isHTTPOnly: attributes.isHTTPOnly)
  }

  /// The text before and after the first `=`, without surrounding blanks; the value is `nil` if there is no `=`.
  private static func pair(_ text: Substring) -> (name: Substring, value: Substring?) {
    guard let sign = text.firstIndex(of: "=") else { return (text.withoutBlanks, nil) }
    return (text[..<sign].withoutBlanks, text[text.index(after: sign)...].withoutBlanks)
  }

  /// The path up to its last slash, without that slash (RFC 6265 5.1.4).
  private static func defaultPath(_ path: String) -> String {
    guard path.hasPrefix("/"), let end = path.lastIndex(of: "/"), end > path.startIndex else { return "/" }
    return String(path[..<end])
  }

  private struct Attributes {
    private(set) var domain: String?
    private(set) var path: String?
    private(set) var expires: Date?
    private(set) var isSecure = false
    private(set) var isHTTPOnly = false

    /// The last of several attributes with the same name counts; attributes that are not understood are ignored.
    init(_ parts: ArraySlice<Substring>, now: Date) {
      var lasts: Date?
      for part in parts {
        let (name, value) = HTTPCookie.pair(part)
        switch name.lowercased() {
        case "domain":
          let text = (value ?? "").lowercased()
          let bare = text.hasPrefix(".") ? String(text.dropFirst()) : text
          if !bare.isEmpty { domain = bare }
        case "path": path = value.flatMap { $0.hasPrefix("/") ? String($0) : nil }
        case "expires": expires = value.flatMap(Self.date) ?? expires
        case "max-age": lasts = value.flatMap { Self.end($0, now: now) } ?? lasts
        case "secure": isSecure = true
        case "httponly": isHTTPOnly = true
        default: break
        }
      }
      expires = lasts ?? expires
    }

    /// RFC 6265 5.1.1; `nil` if the text is not a date.
    private static func date(_ text: Substring) -> Date? {
      CivilDate(lenientHTTPDate: Array(text.utf8).span).map { Date(timeIntervalSince1970: Double($0.unixSeconds)) }
    }

    /// RFC 6265 5.2.2.
    private static func end(_ text: Substring, now: Date) -> Date? {
      let digits = text.hasPrefix("-") ? text.dropFirst() : text
      guard !digits.isEmpty, digits.utf8.allSatisfy(Byte.isDigit) else { return nil }
      guard !text.hasPrefix("-"), let seconds = Double(digits), seconds > 0 else { return .distantPast }
      return now.addingTimeInterval(min(seconds, 1e10))
    }
  }
}

extension HTTPCookie: CustomStringConvertible {
  /// The name, domain and path without the value: descriptions end up in logs.
  public var description: String { "\(name) for \(includesSubdomains ? "*." : "")\(domain)\(path)" }
}

extension Substring {
  /// RFC 6265 5.2 takes blanks and tabs off both ends.
  fileprivate var withoutBlanks: Substring {
    var text = drop { $0 == " " || $0 == "\t" }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return text
  }
}
