/// Header fields that differ in every exchange, so that a difference says nothing.
package struct IgnoredHeaders: Sendable {
  private let names: Set<String>
  private let patterns: [TextPattern]

  /// - Parameter more: names to ignore besides ours, in any case; `*` stands for any characters, `?` for one.
  package init(more: [String] = []) {
    names = Self.usual
    patterns = more.map { TextPattern(glob: $0.lowercased()) }
  }

  /// - Parameter name: in lower case.
  func contains(_ name: String) -> Bool {
    // Chrome's pseudo-fields (`:path`) repeat the request line.
    names.contains(name) || name.hasPrefix(":") || Self.prefixes.contains { name.hasPrefix($0) }
      || patterns.contains { $0.matches(name) }
  }

  /// Fields compared elsewhere: the URL, sizes, redirects. Then clocks and validators, ids of requests and traces, and nonces.
  private static let usual: Set<String> = [
    "host", "content-length", "location",
    "date", "age", "expires", "last-modified", "etag", "if-none-match", "if-modified-since", "if-range", "if-match",
    "if-unmodified-since", "server-timing", "x-runtime", "x-response-time", "x-timer", "x-envoy-upstream-service-time",
    "x-request-id", "request-id", "x-correlation-id", "correlation-id", "x-trace-id", "traceparent", "tracestate",
    "x-cloud-trace-context", "uber-trace-id", "sentry-trace", "baggage", "cf-ray", "x-served-by", "x-github-request-id",
    "sec-websocket-key", "sec-websocket-accept", "x-csrf-token", "digest", "content-digest", "repr-digest", "content-md5",
  ]

  private static let prefixes = ["x-amz-", "x-amzn-", "x-b3-", "x-datadog-", "x-goog-", "x-ms-request-", "x-ratelimit-"]
}
