internal import TapelineBase
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

/// The value of a `Content-Range` (RFC 9110 14.4).
enum ContentRange: Sendable, Hashable {
  /// Bytes `first` to `last` of a representation of `length` bytes, if that is known.
  case part(first: UInt64, last: UInt64, length: UInt64?)
  /// None of the requested bytes exist.
  case unsatisfied(length: UInt64)

  /// Reads byte ranges only: nobody asked for others.
  init?(_ text: String) {
    let words = text.split(separator: " ", maxSplits: 1)
    guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
    let halves = words[1].split(separator: "/", omittingEmptySubsequences: false)
    guard halves.count == 2 else { return nil }
    let length = Self.number(halves[1])
    if halves[0] == "*" {
      guard let length else { return nil }
      self = .unsatisfied(length: length)
      return
    }
    let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]), first <= last, last < .max else {
      return nil
    }
    guard length != nil || halves[1] == "*" else { return nil }
    if let length, last >= length { return nil }
    self = .part(first: first, last: last, length: length)
  }

  private static func number(_ text: Substring) -> UInt64? {
    guard !text.isEmpty, text.utf8.allSatisfy(Byte.isDigit) else { return nil }
    return UInt64(text)
  }
}

/// Why a finished download has no file.
public enum DownloadError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The rest was not as long as its `Content-Range` said.
  case wrongLength(expected: UInt64, actual: UInt64)

  /// One sentence.
  public var description: String {
    switch self {
    case .wrongLength(let expected, let actual): "the file has \(actual) bytes where there should be \(expected)"
    }
  }
}
