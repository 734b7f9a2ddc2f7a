internal import TapelineHTTP
internal import TapelineBase

/// The rules for the lines of every section (RFC 9113 8.2 and 8.3), applied once from the first line to the last.
///
/// They are stricter than the RFC's minimum where HTTP/1.1 is: each line that passes can be written as a field line of HTTP/1.1.
struct HTTP2FieldRules: ~Copyable {
  typealias Malformation = HTTP2Violation.Malformation

  enum PseudoField: Int, CaseIterable {
    case method, scheme, authority, path, `protocol`, status

    var name: StaticString {
      switch self {
      case .method: ":method"
      case .scheme: ":scheme"
      case .authority: ":authority"
      case .path: ":path"
      case .protocol: ":protocol"
      case .status: ":status"
      }
    }

    var section: Section {
      switch self {
      case .method, .scheme, .authority, .path, .protocol: .request
      case .status: .response
      }
    }
  }

  enum Section {
    case request
    case response
    case trailers
  }

  private let section: Section
  private let tolerance: Tolerance
  private(set) var anomalies: HeadAnomalies = []
  /// The index of the line of each pseudo-field.
  private var pseudoLines: [6 of Int?] = .init(repeating: nil)
  /// The lines that are not pseudo-fields.
  private(set) var fields = HeaderFields()

  init(_ section: Section, tolerating tolerance: Tolerance = []) {
    self.section = section
    self.tolerance = tolerance
  }

  /// Where the value of a pseudo-field is in the bytes of `list`.
  func value(of field: PseudoField, in list: HTTP2HeaderList) -> Range<Int>? {
    pseudoLines[field.rawValue].map { list.lines[$0].value }
  }

  mutating func read(_ list: HTTP2HeaderList) throws(Malformation) {
    let bytes = list.bytes.span
    fields = HeaderFields(linesIn: list.bytes, count: list.count)
    for (index, line) in list.lines.enumerated() {
      let name = bytes.extracting(line.name)
      let value = bytes.extracting(line.value)
      guard !name.isEmpty else { throw .invalidFieldName }
      if name[0] == Byte.colon {
        guard fields.count == 0 else { throw .latePseudoField }
        try readPseudoField(name, at: index)
        try checkValue(value)
      } else {
        try Self.checkName(name)
        try checkValue(value)
        let hasLength = fields.contains(.contentLength)
        fields.append(name: line.name, value: line.value)
        let knownName = fields.knownName(at: fields.count - 1)
        if knownName == .other, section != .response, FieldName.isTakenForFraming(name),
          !tolerance.contains(.underscoreFraming)
        {
          throw .underscoreFraming
        }
        if knownName == .contentLength, hasLength { anomalies.insert(.repeatedContentLength) }
        try Self.checkConnection(knownName, name, value, in: section)
      }
    }
  }

  /// RFC 9113 8.3: known for the kind of the message, and at most once.
  private mutating func readPseudoField(_ name: Span<UInt8>, at index: Int) throws(Malformation) {
    guard let field = PseudoField.allCases.first(where: { name.equals($0.name, in: name.indices) }) else {
      throw .unknownPseudoField
    }
    // `equals` ignores case.
    for index in name.indices where Byte.isUppercase(name[index]) { throw .uppercaseFieldName }
    guard field.section == section else { throw .unexpectedPseudoField }
    guard pseudoLines[field.rawValue] == nil else { throw .repeatedPseudoField }
    pseudoLines[field.rawValue] = index
  }

  /// A token without capitals (RFC 9113 8.2.1, RFC 9110 5.1).
  private static func checkName(_ name: Span<UInt8>) throws(Malformation) {
    let end = name.firstNonToken(from: 0)
    for index in 0..<end where Byte.isUppercase(name[index]) { throw .uppercaseFieldName }
    guard end == name.count else { throw .invalidFieldName }
  }

  /// No NUL, CR or LF anywhere (RFC 9113 8.2.1). Another control byte (RFC 9110 5.5), and a blank at either end, make a message
  /// malformed, too. But there is only one reading, which most programs take.
  private mutating func checkValue(_ value: Span<UInt8>) throws(Malformation) {
    guard let last = value.indices.last else { return }
    if Byte.isBlank(value[0]) || Byte.isBlank(value[last]) { anomalies.insert(.blankAroundValue) }
    var index = value.firstControl(from: 0)
    while index < value.count {
      switch value[index] {
      case 0, Byte.carriageReturn, Byte.lineFeed: throw .invalidFieldValue
      default: anomalies.insert(.controlInValue)
      }
      index = value.firstControl(from: index + 1)
    }
  }

  /// RFC 9113 8.2.2.
  private static func checkConnection(
    _ knownName: FieldName, _ name: Span<UInt8>, _ value: Span<UInt8>, in section: Section
  ) throws(Malformation) {
    switch knownName {
    case .connection, .keepAlive, .proxyConnection, .transferEncoding, .upgrade: throw .connectionField
    case .te:
      guard section == .request, value.equals("trailers", in: value.indices) else { throw .invalidTE }
    case .contentLength, .host:
      // A trailer must not change framing or routing (RFC 9110 6.5.1).
      if section == .trailers { throw .connectionField }
    default:
      // Only for the upgrade from HTTP/1.1 (RFC 7540 3.2.1).
      if name.equals("http2-settings", in: name.indices) { throw .connectionField }
    }
  }
}

extension HTTP2FieldRules {
  /// RFC 9110 8.6: at most one line, with one number.
  static func contentLength(of fields: HeaderFields, in part: HTTPParseError.Part) throws(Malformation) -> UInt64? {
    guard fields.contains(.contentLength) else { return nil }
    do throws(HTTPParseError) {
      return try ContentLength.parse(fields, in: part)
    } catch {
      throw .invalidContentLength
    }
  }
}
