internal import TapelineHAR
internal import TapelineBase

/// The places of the answers in a capture: by request, in their original order.
package struct ReplayIndex: Sendable {
  /// One recorded exchange.
  package struct Slot: Sendable, Hashable {
    /// Its number in the file.
    package let number: Int
    /// Its byte range in the file.
    package let range: Range<Int>
  }

  package let folding: ReplayKey.Folding
  private var slots: [ReplayKey: [Slot]] = [:]
  /// Exchanges that can be replayed.
  package private(set) var count = 0
  /// Exchanges that cannot be replayed: tunnels, switched protocols, requests without a URL, exchanges that were in flight, and
  /// entries that cannot be read.
  package private(set) var leftOut = 0
  private var number = 0

  /// Reads the whole file once; memory holds a URL and a place for each exchange.
  package init(_ file: inout InputFile, folding: ReplayKey.Folding) throws(CaptureError) {
    self.folding = folding
    try file.forEachElement { (element, bytes) throws(HARReadError) in
      guard case .entry = element.kind else { return }
      try add(HAREntry(json: bytes, parts: .overview), at: element.range)
    } passing: { kind, _ in
      guard case .entry = kind else { return }
      number += 1
      leftOut += 1
    }
  }

  private mutating func add(_ entry: HAREntry, at range: Range<Int>) {
    number += 1
    guard entry.request.method != "CONNECT", !RecordedEnd.isOutstanding(for: entry), !(100..<200).contains(entry.response.status),
      let key = ReplayKey(method: entry.request.method, url: entry.request.url, folding: folding)
    else {
      leftOut += 1
      return
    }
    count += 1
    slots[key, default: []].append(Slot(number: number, range: range))
  }

  /// The answers to a request, in their original order.
  package subscript(key: ReplayKey) -> [Slot] {
    slots[key] ?? []
  }
}

/// The key by which a request finds its recorded answer: the method and the normalised URL.
package struct ReplayKey: Sendable, Hashable, CustomStringConvertible {
  /// The parts of a URL that do not count.
  package struct Folding: Sendable, Hashable {
    /// Query parameters, by their names as spelled.
    package var ignoredParameters: Set<String> = []
    package var ignoresQuery = false

    package init() {}
  }

  private let text: String

  /// `nil` when `url` is not an absolute URL.
  package init?(method: String, url: String, folding: Folding) {
    let url = Self.encoded(url)
    guard let parts = RequestURL(url) else { return nil }
    let port = parts.port.map { ":\($0)" } ?? ""
    text = "\(method) \(parts.scheme)://\(parts.host)\(port)\(parts.path)\(Self.query(of: url, folding))"
  }

  package var description: String { text }

  /// With the question mark; empty when no parameter is left.
  private static func query(of url: String, _ folding: Folding) -> String {
    guard !folding.ignoresQuery else { return "" }
    guard let query = URIRanges(url).query else { return "" }
    let pairs = url[utf8: query].split(separator: "&").filter { pair in
      !folding.ignoredParameters.contains(String(pair.prefix { $0 != "=" }))
    }
    return pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&")
  }

  /// Percent-encodes every byte that a URI must not hold, as the log does (RFC 3986 2), with escapes in capitals.
  private static func encoded(_ url: String) -> String {
    guard !url.utf8.allSatisfy(ByteSet.uri.contains) else { return url }
    var bytes: [UInt8] = []
    var escape = 0
    for byte in url.utf8 {
      if escape > 0 {
        escape -= 1
        bytes.append(Byte.isLowercase(byte) && ByteSet.hexadecimal.contains(byte) ? byte - 32 : byte)
      } else if byte == Byte.percent {
        escape = 2
        bytes.append(byte)
      } else if ByteSet.uri.contains(byte) {
        bytes.append(byte)
      } else {
        PercentEncoding.append(encoded: byte, to: &bytes)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
