internal import TapelineTime

/// The proof that a part and the rest belong to one representation: a strong validator (RFC 9110 8.8).
enum DownloadValidator: Sendable, Hashable {
  /// With its quotes.
  case entityTag(String)
  /// A date, only where it is strong.
  case lastModified(String)

  /// The validator of a response that can be continued; `nil` if it has no strong one.
  init?(of response: HTTPURLResponse) {
    if let tag = response.headers.value(for: "ETag") {
      // A weak tag says nothing about the bytes, and a date next to it cannot say more (RFC 9110 8.8.3, 13.1.5).
      guard Self.isStrongTag(tag) else { return nil }
      self = .entityTag(tag)
    } else if let modified = response.headers.value(for: "Last-Modified"), let date = response.headers.value(for: "Date"),
      let modifiedTime = CivilDate(imfFixdate: modified), let responseTime = CivilDate(imfFixdate: date),
      responseTime.unixSeconds > modifiedTime.unixSeconds
    {
      // Strong only if the representation was not modified in the second of the response (RFC 9110 8.8.2.2).
      self = .lastModified(modified)
    } else {
      return nil
    }
  }

  /// The value of `If-Range`.
  var text: String {
    switch self {
    case .entityTag(let tag): tag
    case .lastModified(let date): date
    }
  }

  /// Whether `response` belongs to the same representation, as far as it says. If a part has no validator, `If-Range` is the
  /// proof.
  func allows(_ response: HTTPURLResponse) -> Bool {
    switch self {
    case .entityTag(let tag): response.headers.value(for: "ETag").map { $0 == tag } ?? true
    case .lastModified(let date): response.headers.value(for: "Last-Modified").map { $0 == date } ?? true
    }
  }

  /// `"…"` of etagc bytes (RFC 9110 8.8.3).
  static func isStrongTag(_ tag: String) -> Bool {
    let bytes = Array(tag.utf8)
    guard bytes.count >= 2, bytes.first == 0x22, bytes.last == 0x22 else { return false }
    return bytes[1..<(bytes.count - 1)].allSatisfy { $0 == 0x21 || (0x23...0x7E).contains($0) || $0 >= 0x80 }
  }
}
