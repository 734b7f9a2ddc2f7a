/// What a finding is about. The raw value is for scripts and does not change.
public enum HARRule: String, Sendable, Hashable, CaseIterable {
  // The shape of values.
  case missingMember = "missing-member"
  case null = "null"
  case wrongType = "wrong-type"
  case quotedNumber = "quoted-number"
  case unquotedText = "unquoted-text"
  case fraction = "fraction"
  case duplicateMember = "duplicate-member"
  // What values say.
  case badDate = "bad-date"
  case longFraction = "long-fraction"
  case badURL = "bad-url"
  case urlFragment = "url-fragment"
  case serverAddress = "server-address"
  case cookieExpires = "cookie-expires"
  case mergedHeader = "merged-header"
  case negativePhase = "negative-phase"
  case sslOutsideConnect = "ssl-outside-connect"
  case wrongSum = "wrong-sum"
  case compression = "compression"
  case badBase64 = "bad-base64"
  case postDataText = "post-data-text"
  // The log as a whole.
  case version = "version"
  case byteOrderMark = "byte-order-mark"
  case missingPages = "missing-pages"
  case missingPageref = "missing-pageref"
  case danglingPageref = "dangling-pageref"
  case duplicatePageID = "duplicate-page-id"
  // What single readers refuse.
  case devtoolsInitiator = "devtools-initiator"
  case devtoolsMessages = "devtools-messages"
  case devtoolsNumber = "devtools-number"
  case playwrightStatus = "playwright-status"
  case playwrightPostData = "playwright-post-data"
  case mitmproxyCoding = "mitmproxy-coding"
  case mitmproxyURL = "mitmproxy-url"

  /// The one reader that minds; `nil` when HAR 1.2 itself, or more than one reader, does.
  public var profile: HARProfile? {
    switch self {
    case .devtoolsInitiator, .devtoolsMessages, .devtoolsNumber: .devtools
    case .playwrightStatus, .playwrightPostData: .playwright
    case .mitmproxyCoding, .mitmproxyURL: .mitmproxy
    case .missingMember, .null, .wrongType, .quotedNumber, .unquotedText, .fraction, .duplicateMember, .badDate, .longFraction,
      .badURL, .urlFragment, .serverAddress, .cookieExpires, .mergedHeader, .negativePhase, .sslOutsideConnect, .wrongSum,
      .compression, .badBase64, .postDataText, .version, .byteOrderMark, .missingPages, .missingPageref, .danglingPageref,
      .duplicatePageID:
      nil
    }
  }

  /// How bad it is for whoever wants these programs to read the log.
  public func severity(for profiles: Set<HARProfile>) -> HARFinding.Severity {
    switch self {
    case .missingPages: profiles.contains(.firefox) ? .error : .warning
    case .byteOrderMark: profiles.contains(.playwright) ? .error : .warning
    case .longFraction, .mergedHeader, .missingPageref, .version, .playwrightStatus, .playwrightPostData, .duplicateMember:
      .warning
    case .missingMember, .null, .wrongType, .quotedNumber, .unquotedText, .fraction, .badDate, .badURL, .urlFragment,
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
    }
  }
}
