/// The rule that a finding is about. The raw value is for scripts and does not change.
public enum HARRule: String, Sendable, Hashable, CaseIterable {
  // MARK: The shape of values
  /// A required member is not there.
  case missingMember = "missing-member"
  /// `null`, which HAR does not have.
  case null = "null"
  /// A value of another type.
  case wrongType = "wrong-type"
  /// A number or truth value between quotes.
  case quotedNumber = "quoted-number"
  /// A number where a text should be.
  case unquotedText = "unquoted-text"
  /// A count with a fraction.
  case fraction = "fraction"
  /// A name that appears twice in an object.
  case duplicateMember = "duplicate-member"
  /// A number that no size or time can be.
  case impossibleNumber = "impossible-number"
  // MARK: What strict readers of JSON refuse
  /// Bytes that are not UTF-8.
  case notUTF8 = "bad-encoding"
  /// An escape that is half of a character.
  case loneSurrogate = "lone-surrogate"
  /// A control character that is no escape.
  case controlCharacter = "control-character"
  /// A value that is nested too deeply.
  case tooDeep = "too-deep"
  /// An element that is not JSON.
  case notJSON = "not-json"
  // MARK: What values say
  /// Not a date of RFC 3339.
  case badDate = "bad-date"
  /// More than six decimals of a second.
  case longFraction = "long-fraction"
  /// Not an absolute URI.
  case badURL = "bad-url"
  /// A URL with a fragment.
  case urlFragment = "url-fragment"
  /// Not a bare IP address.
  case serverAddress = "server-address"
  /// The expiry of a cookie is not a date.
  case cookieExpires = "cookie-expires"
  /// Several lines in one header.
  case mergedHeader = "merged-header"
  /// A negative phase that is not −1, or may not be −1.
  case negativePhase = "negative-phase"
  /// TLS counted separately from connecting.
  case sslOutsideConnect = "ssl-outside-connect"
  /// `time` is not the sum of the phases.
  case wrongSum = "wrong-sum"
  /// Not size − bodySize.
  case compression = "compression"
  /// Marked as base64, but not base64.
  case badBase64 = "bad-base64"
  /// A request's body without `text`.
  case postDataText = "post-data-text"
  // MARK: The log as a whole
  /// Not version 1.2.
  case version = "version"
  /// A byte order mark.
  case byteOrderMark = "byte-order-mark"
  /// No pages.
  case missingPages = "missing-pages"
  /// Entries that name no page.
  case missingPageref = "missing-pageref"
  /// An entry names a page that does not exist.
  case danglingPageref = "dangling-pageref"
  /// Two pages with the same id.
  case duplicatePageID = "duplicate-page-id"
  // MARK: What single readers refuse
  /// An initiator that is `null`.
  case devtoolsInitiator = "devtools-initiator"
  /// A WebSocket message that is `null`.
  case devtoolsMessages = "devtools-messages"
  /// A member that Chrome reads as a number but that is not a number.
  case devtoolsNumber = "devtools-number"
  /// A status that a browser cannot be answered with.
  case playwrightStatus = "playwright-status"
  /// A binary body that Playwright never finds.
  case playwrightPostData = "playwright-post-data"
  /// A content coding that mitmproxy cannot apply or undo.
  case mitmproxyCoding = "mitmproxy-coding"
  /// A URL without a host.
  case mitmproxyURL = "mitmproxy-url"

  /// The only reader that minds; `nil` when HAR 1.2 itself, or more than one reader, does.
  public var profile: HARProfile? {
    switch self {
    case .devtoolsInitiator, .devtoolsMessages, .devtoolsNumber: .devtools
    case .playwrightStatus, .playwrightPostData: .playwright
    case .mitmproxyCoding, .mitmproxyURL: .mitmproxy
    case .missingMember, .null, .wrongType, .quotedNumber, .unquotedText, .fraction, .duplicateMember, .impossibleNumber,
      .notUTF8, .loneSurrogate, .controlCharacter, .tooDeep, .notJSON, .badDate, .longFraction,
      .badURL, .urlFragment, .serverAddress, .cookieExpires, .mergedHeader, .negativePhase, .sslOutsideConnect, .wrongSum,
      .compression, .badBase64, .postDataText, .version, .byteOrderMark, .missingPages, .missingPageref, .danglingPageref,
      .duplicatePageID:
      nil
    }
  }

  /// How bad it is if these programs should read the log.
  public func severity(for profiles: Set<HARProfile>) -> HARFinding.Severity {
    switch self {
    case .missingPages: profiles.contains(.firefox) ? .error : .warning
    case .byteOrderMark: profiles.contains(.playwright) ? .error : .warning
    case .loneSurrogate, .longFraction, .mergedHeader, .missingPageref, .version, .playwrightStatus, .playwrightPostData,
      .duplicateMember:
      .warning
    case .missingMember, .null, .wrongType, .quotedNumber, .unquotedText, .fraction, .impossibleNumber, .notUTF8,
      .controlCharacter, .tooDeep, .notJSON, .badDate, .badURL, .urlFragment,
      .serverAddress, .cookieExpires, .negativePhase, .sslOutsideConnect, .wrongSum, .compression, .badBase64, .postDataText,
      .danglingPageref, .duplicatePageID, .devtoolsInitiator, .devtoolsMessages, .devtoolsNumber, .mitmproxyCoding,
      .mitmproxyURL:
      .error
    }
  }
}

extension HARRule {
  /// The rule that a value of the wrong shape breaks.
  init(_ kind: HARReadWarning.Kind) {
    switch kind {
    case .missing: self = .missingMember
    case .null: self = .null
    case .wrongType: self = .wrongType
    case .quoted: self = .quotedNumber
    case .unquoted: self = .unquotedText
    case .fraction: self = .fraction
    case .duplicate: self = .duplicateMember
    case .impossible: self = .impossibleNumber
    case .notUTF8: self = .notUTF8
    case .loneSurrogate: self = .loneSurrogate
    case .controlCharacter: self = .controlCharacter
    case .tooDeep: self = .tooDeep
    }
  }
}

/// A program that reads HARs and is stricter, in places, than HAR 1.2.
public enum HARProfile: String, Sendable, Hashable, CaseIterable {
  /// The Network panel of Chrome and its relatives.
  case devtools
  /// Firefox's network monitor.
  case firefox
  /// Playwright's `routeFromHAR`.
  case playwright
  /// mitmproxy's import.
  case mitmproxy
}

/// Something in a HAR that readers reject or misunderstand.
public struct HARFinding: Sendable, Hashable {
  /// How bad it is.
  public enum Severity: String, Sendable, Hashable {
    /// HAR 1.2 forbids it, or one of the chosen programs refuses the log because of it.
    case error
    /// Some readers have trouble with it.
    case warning
  }

  /// The rule that was broken.
  public let rule: HARRule
  /// How bad it is for the chosen readers.
  public let severity: Severity
  /// Where it is.
  public let path: HARPath
  /// A sentence for people.
  public let message: String
  /// Whether `HARRepair` mends it.
  public let isFixable: Bool

  /// Makes a finding.
  public init(rule: HARRule, severity: Severity, path: HARPath, message: String, isFixable: Bool) {
    self.rule = rule
    self.severity = severity
    self.path = path
    self.message = message
    self.isFixable = isFixable
  }
}

extension HARFinding {
  /// The finding as a JSON object.
  public var json: HARValue {
    [
      "severity": .string(severity.rawValue), "rule": .string(rule.rawValue), "path": .string(path.description),
      "message": .string(message), "fixable": .bool(isFixable),
    ]
  }
}
