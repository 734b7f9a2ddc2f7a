internal import TapelineSystem
internal import TapelineBase

/// The hosts of the last few origins: a capture has many requests to few of them, and to find a host takes ten times as long as
/// to find it again.
struct KnownHosts: Sendable {
  /// `https://api.example/`, with the slash that ends the authority, so that all URLs that begin with it have the same host.
  private var origins: [[UInt8]] = []
  private var hosts: [String] = []
  /// The one to be forgotten next.
  private var oldest = 0

  private static let limit = 8

  /// As `RequestURL`: `nil` when the text is not an absolute URL, or is ambiguous.
  mutating func host(of url: String) -> String? {
    let bytes = url.utf8.span
    for (origin, host) in zip(origins, hosts) {
      if bytes.extracting(first: origin.count).equals(origin.span) { return host }
    }
    guard let host = RequestURL(url)?.host else { return nil }
    if let end = URIRanges(bytes).authority?.upperBound, end < bytes.count, bytes[end] == UInt8(ascii: "/") {
      learn([UInt8](copying: bytes.extracting(first: end + 1)), host)
    }
    return host
  }

  private mutating func learn(_ origin: [UInt8], _ host: String) {
    guard origins.count == Self.limit else {
      origins.append(origin)
      hosts.append(host)
      return
    }
    (origins[oldest], hosts[oldest]) = (origin, host)
    oldest = (oldest + 1) % Self.limit
  }
}
