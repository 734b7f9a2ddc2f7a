public import FoundationEssentials
internal import TapelineText
internal import TapelineTime

/// A cookie (RFC 6265): what a server has asked to be told again.
public struct HTTPCookie: Sendable, Hashable {
  /// The name. Names have case.
  public let name: String
  /// The value, as it came, quotes included.
  public let value: String
  /// The host that it is for, in lower case and without a dot before it.
  public let domain: String
  /// Whether it is for the hosts below `domain`, too.
  public let includesSubdomains: Bool
  /// It is for this path, and for what is below it.
  public let path: String
  /// When it ends; `nil`: with the storage that has it.
  public let expiresDate: Date?
  /// Whether it is for `https` only.
  public let isSecure: Bool
  /// Whether scripts in a page would not be shown it.
  public let isHTTPOnly: Bool

  /// A cookie of one's own.
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

  /// Reads a `Set-Cookie` field of a response to a request for `path` of `host` (RFC 6265 5.2, 5.3); `nil` for one that must be ignored.
  ///
  /// There is no list of the domains under which anybody can have a name. A cookie for a domain of one label is refused, and one that came
  /// in clear and says that it is for `https` only.
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

  /// Before and after the first `=`, without blanks around; `nil` as the value where there is no `=`.
  private static func pair(_ text: Substring) -> (name: Substring, value: Substring?) {
    guard let sign = text.firstIndex(of: "=") else { return (text.withoutBlanks, nil) }
    return (text[..<sign].withoutBlanks, text[text.index(after: sign)...].withoutBlanks)
  }

  /// Up to the last slash, which is left out (RFC 6265 5.1.4).
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

    /// Of several with one name the last counts; what is not understood is passed over.
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

    /// RFC 6265 5.1.1; `nil` for no date.
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
  /// Name and place, and not the value: descriptions end up in logs.
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
