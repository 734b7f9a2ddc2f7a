internal import FoundationEssentials
internal import TapelineTime

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
