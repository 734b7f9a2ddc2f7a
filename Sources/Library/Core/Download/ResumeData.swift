internal import FoundationEssentials
internal import TapelineBase
internal import TapelineTime

/// Everything needed to continue an interrupted download: the request, the path of its part, and the proof that the rest will
/// belong to the same representation. Users hold it as opaque `Data`: JSON with a version.
///
/// It is made to be stored, so it has no credentials: neither the fields that carry them nor those in the URL. Adapters add
/// theirs again, and `download(resumingWith:headers:)` takes others.
struct ResumeData: Sendable, Hashable {
  static let version = 1
  /// The suffix of files that hold parts.
  static let fileSuffix = "download"

  let url: URL
  /// The request's own fields, in order.
  let headers: [HTTPHeader]
  let validator: DownloadValidator
  /// Bytes of the part.
  let offset: UInt64
  /// Bytes of the whole, if the server said.
  let length: UInt64?
  /// The file with the part.
  let temporaryPath: String

  /// - Parameters:
  ///   - offset: bytes in the file.
  ///   - length: bytes of the whole.
  init?(request: URLRequest, validator: DownloadValidator, offset: UInt64, length: UInt64?, temporaryPath: String) {
    guard request.method == .get, offset > 0, let url = request.url.flatMap(Self.withoutCredentials) else { return nil }
    self.url = url
    headers = request.headers.filter { !Self.isLeftOut($0.name) }
    self.validator = validator
    self.offset = offset
    self.length = length
    self.temporaryPath = temporaryPath
  }

  private static func isLeftOut(_ name: String) -> Bool {
    switch name.lowercased() {
    case "authorization", "proxy-authorization", "cookie", "range", "if-range", "host", "connection", "content-length": true
    default: false
    }
  }

  private static func withoutCredentials(_ url: URL) -> URL? {
    guard var components = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return nil }
    components.user = nil
    components.password = nil
    components.fragment = nil
    return components.url
  }

  /// Bytes of the whole, if `response` continues this part to the end and belongs to the same representation; otherwise `nil`.
  func wholeLength(with response: HTTPURLResponse) -> UInt64? {
    guard let text = response.headers.value(for: "Content-Range"), let range = ContentRange(text), validator.allows(response)
    else { return nil }
    switch range {
    case .part(offset, let last, let length):
      guard (length ?? last + 1) == last + 1, (self.length ?? last + 1) == last + 1 else { return nil }
      return last + 1
    case .part, .unsatisfied:
      return nil
    }
  }

  /// The request for the rest.
  var continuingRequest: URLRequest {
    var request = URLRequest(url: url)
    request.method = .get
    request.headers = HTTPHeaders()
    for header in headers { request.headers.append(header) }
    request.headers.update(name: "Range", value: "bytes=\(offset)-")
    request.headers.update(name: "If-Range", value: validator.text)
    return request
  }
}

extension ResumeData {
  /// The names in the JSON.
  private struct Document: Codable {
    var version: Int
    var url: String
    var method: String
    var headers: [[String]]
    var entityTag: String?
    var lastModified: String?
    var offset: UInt64
    var length: UInt64?
    var file: String
  }

  private struct Version: Codable {
    var version: Int
  }

  var encoded: Data {
    var document = Document(
      version: Self.version, url: url.absoluteString, method: "GET", headers: headers.map { [$0.name, $0.value] },
      offset: offset, length: length, file: temporaryPath)
    switch validator {
    case .entityTag(let tag): document.entityTag = tag
    case .lastModified(let date): document.lastModified = date
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      return try encoder.encode(document)
    } catch {
      preconditionFailure("strings and integers have a form in JSON: \(error)")
    }
  }

  /// Refuses data that this library cannot have written: resume data is stored and may come back from anywhere.
  init(_ data: Data) throws(TapelineError) {
    let decoder = JSONDecoder()
    do {
      let version = try decoder.decode(Version.self, from: data).version
      guard version == Self.version else { throw TapelineError.invalidResumeData(reason: .unsupportedVersion(version)) }
      guard let resumed = Self(try decoder.decode(Document.self, from: data)) else {
        throw TapelineError.invalidResumeData(reason: .malformed(error: nil))
      }
      self = resumed
    } catch {
      throw error.asTapelineError(or: .invalidResumeData(reason: .malformed(error: error)))
    }
  }

  private init?(_ document: Document) {
    guard let url = URL(string: document.url), let scheme = url.scheme, ["http", "https"].contains(scheme), url.host != nil,
      document.method == "GET", document.offset > 0, TemporaryFile.isPath(document.file, suffix: Self.fileSuffix)
    else { return nil }
    if let length = document.length, length < document.offset { return nil }
    switch (document.entityTag, document.lastModified) {
    case (let tag?, nil) where DownloadValidator.isStrongTag(tag): validator = .entityTag(tag)
    case (nil, let date?) where CivilDate(imfFixdate: date) != nil: validator = .lastModified(date)
    case (.some, _), (nil, _): return nil
    }
    var headers: [HTTPHeader] = []
    for line in document.headers {
      guard line.count == 2 else { return nil }
      let header = HTTPHeader(name: line[0], value: line[1])
      guard header.isSendable else { return nil }
      headers.append(header)
    }
    self.url = url
    self.headers = headers
    offset = document.offset
    length = document.length
    temporaryPath = document.file
  }
}
