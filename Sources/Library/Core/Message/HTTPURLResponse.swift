public import FoundationEssentials
package import TapelineHTTP
internal import TapelineBase
public import TapelineTransport

/// A response's head, lossless: its fields in order, with their spelling and duplicates.
public struct HTTPURLResponse: Sendable {
  package let head: ResponseHead
  /// The request that it answers.
  package let request: RequestHead
  /// The origin that the request's target leaves out.
  package let implied: ImpliedOrigin?

  package init(head: ResponseHead, request: RequestHead, implied: ImpliedOrigin? = nil) {
    self.head = head
    self.request = request
    self.implied = implied
  }

  /// A response to a GET of `url` that no server sent: for tests. `nil` when no server could have sent it, because of the URL,
  /// the status, the reason or a field.
  ///
  /// - Parameters:
  ///   - url: the URL.
  ///   - statusCode: the status.
  ///   - reason: the reason phrase.
  ///   - headers: the fields; the session adds its own where the request has none of that name.
  public init?(url: URL, statusCode: Int, reason: String? = nil, headers: HTTPHeaders = HTTPHeaders()) {
    guard (100...999).contains(statusCode), FieldSyntax.isValue(reason ?? ""), headers.allSatisfy(\.isSendable) else {
      return nil
    }
    do throws(TapelineError) {
      request = try URLRequest(url: url).head()
    } catch {
      return nil
    }
    head = ResponseHead(status: statusCode, reason: reason, fields: headers.fields)
    implied = nil
  }

  /// A response to a GET of `url` that no server sent: for tests, with Foundation's labels. `nil` when no server could have
  /// sent it.
  ///
  /// - Parameters:
  ///   - url: the requested URL.
  ///   - statusCode: 100 to 999.
  ///   - httpVersion: is left out of account: the version is HTTP/1.1.
  ///   - headerFields: the fields by name.
  public init?(url: URL, statusCode: Int, httpVersion: String?, headerFields: [String: String]?) {
    self.init(url: url, statusCode: statusCode, headers: HTTPHeaders(headerFields ?? [:]))
  }

  /// The status (RFC 9110 15).
  public var statusCode: Int { head.status }

  /// The reason phrase as received; it may be empty.
  public var reason: String { head.reason }

  /// As in the status line, `HTTP/1.1`.
  public var httpVersion: String { head.version.text }

  /// The fields, in order, with their spelling and their duplicates.
  public var headers: HTTPHeaders { HTTPHeaders(head.fields) }

  /// The fields by name, for code that expects Foundation's: a name that came in lower case, as HTTP/2 has it, is written with
  /// capitals (`Content-Type`), and the values of a field that occurs more than once are joined.
  public var allHeaderFields: [AnyHashable: Any] {
    var fields: [AnyHashable: Any] = [:]
    for (name, value) in headers.dictionary { fields[CapitalizedName.of(name)] = value }
    return fields
  }

  /// The reason phrase that belongs to a status (RFC 9110 15), in lower case; empty for a status that has none.
  public static func localizedString(forStatusCode statusCode: Int) -> String {
    HTTPStatus.reasonPhrase(for: statusCode).lowercased()
  }

  /// The requested URL, without credentials and fragment; `nil` when the request's target is not a URL.
  public var url: URL? { URL(string: request.urlText(implied: implied)) }

  /// The value of the first field called `field`, in any case.
  public func value(forHTTPHeaderField field: String) -> String? {
    headers.value(for: field)
  }
}

extension HTTPURLResponse: CustomStringConvertible {
  /// One line, the same for equal responses: URL, status and fields in their order.
  public var description: String {
    let fields = head.fields.map { "\"\($0.name)\": \"\($0.value)\"" }.joined(separator: ", ")
    return "{ URL: \(request.urlText(implied: implied)), Status Code: \(statusCode), Headers: { \(fields) } }"
  }
}

extension HTTPURLResponse {
  /// The length of the body in bytes, as it is transferred; -1 when the head does not give it.
  public var expectedContentLength: Int64 {
    let values = head.fields.values(of: .contentLength)
    guard let first = values.first, values.allSatisfy({ $0 == first }), !head.fields.contains(.transferEncoding),
      first.utf8.allSatisfy(Byte.isDigit)
    else { return -1 }
    return Int64(first) ?? -1
  }

  /// `type/subtype` of `Content-Type` in lower case, without parameters; `nil` when the response has none.
  public var mimeType: String? {
    let type = contentType?.essence
    return type.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The `charset` of `Content-Type` in lower case; `nil` when it names none.
  public var textEncodingName: String? {
    contentType?["charset"].map { String(decoding: $0, as: UTF8.self).lowercased() }
  }

  private var contentType: MediaType? {
    head.fields.first(of: .contentType).map(MediaType.init)
  }

  /// A name for a file with the body: the one in `Content-Disposition` (RFC 6266), else the last component of the URL's path,
  /// else `Unknown`.
  ///
  /// It is a name, never a path: whatever the server sends, the name has no slash, no control character, and no leading dot.
  public var suggestedFilename: String {
    let disposition = headers.value(for: "Content-Disposition").map(FieldParameters.init)
    // RFC 6266 4.3: the extended form is preferred.
    let named = disposition.flatMap { $0["filename*"].flatMap(ExtendedValue.decode) ?? $0["filename"] }
    return SafeFilename.make(from: named) ?? SafeFilename.make(from: lastPathComponent) ?? "Unknown"
  }

  private var lastPathComponent: String? {
    let path = URIReference(request.urlText(implied: implied)).path
    return path.split(separator: "/").last.map { String(decoding: PercentEncoding.decode($0), as: UTF8.self) }
  }
}

extension HTTPURLResponse: Equatable {
  /// Whether both answer the same request with the same status and the same fields.
  public static func == (left: HTTPURLResponse, right: HTTPURLResponse) -> Bool {
    left.statusCode == right.statusCode && left.reason == right.reason && left.headers == right.headers && left.url == right.url
  }
}

/// The names of fields as they are written by hand.
private enum CapitalizedName {
  /// Names with other capitals than those at the beginnings of words.
  private static let special = ["etag": "ETag", "www-authenticate": "WWW-Authenticate", "te": "TE", "dnt": "DNT"]

  static func of(_ name: String) -> String {
    guard name == name.lowercased() else { return name }
    if let special = special[name] { return special }
    return name.split(separator: "-", omittingEmptySubsequences: false)
      .map { $0.prefix(1).uppercased() + $0.dropFirst() }
      .joined(separator: "-")
  }
}

/// The value of a parameter whose name ends in an asterisk (RFC 8187): `UTF-8''na%C3%AFve.txt`.
private enum ExtendedValue {
  /// `nil` when the text does not have this form, names a charset other than UTF-8 and ISO-8859-1, or is not valid in its
  /// charset.
  static func decode(_ text: String) -> String? {
    let parts = text.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3 else { return nil }
    let bytes = PercentEncoding.decode(parts[2])
    return switch parts[0].lowercased() {
    case "utf-8": String(validating: bytes, as: UTF8.self)
    case "iso-8859-1": String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    default: nil
    }
  }
}

/// Makes a safe file name from a name that a server proposes.
private enum SafeFilename {
  /// The longest name that file systems allow, in bytes of UTF-8.
  private static let longest = 255

  /// The last component of the proposal, without characters that make trouble in a name; `nil` when nothing is left.
  static func make(from proposal: String?) -> String? {
    // Some systems write paths with backslashes; no name worth keeping has one in it.
    guard let component = proposal?.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last else { return nil }
    var name = String(String.UnicodeScalarView(component.unicodeScalars.filter { !isTrouble($0) }))
    // A leading dot would hide the file.
    while let first = name.first, first == " " || first == "." { name.removeFirst() }
    while let last = name.last, last == " " || last == "." { name.removeLast() }
    while name.utf8.count > longest { name.removeLast() }
    return name.isEmpty ? nil : name
  }

  /// Control characters of both kinds, and characters that change the direction of text, so that `gpj.exe` cannot look like a
  /// picture.
  private static func isTrouble(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}

extension SessionTask {
  /// The head of the last response received, even if another exchange follows it; `nil` before the first. From any thread.
  public var response: HTTPURLResponse? {
    answer.map { HTTPURLResponse(head: $0.response, request: $0.request) }
  }

  /// The request as the task began with it, with all fields that the session adds, and without its body. From any thread;
  /// `nil` for a raw stream.
  public var originalRequest: URLRequest? { noted.original.map { URLRequest(head: $0) } }

  /// The request that the task makes now: another than the first after a redirection, or after a challenge was answered.
  public var currentRequest: URLRequest? { noted.current.map { URLRequest(head: $0) } }
}
