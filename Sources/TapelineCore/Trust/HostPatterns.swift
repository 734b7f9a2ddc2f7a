/// Values by host: of one host, of all hosts below a domain, or of all.
///
/// A pattern is a host (`api.example.com`, `192.0.2.1`), a domain after `*.`, which stands for all hosts below it at whatever
/// depth, but not for the domain itself, or `*` alone. The host itself comes first, then the longest domain, then `*`. Case and
/// a dot at the end do not matter.
struct HostPatterns<Value: Sendable>: Sendable {
  private var hosts: [String: Value] = [:]
  /// Without `*.`.
  private var domains: [String: Value] = [:]
  private var fallback: Value?

  init(_ values: [String: Value]) {
    for (pattern, value) in values {
      if pattern == "*" {
        fallback = value
      } else if pattern.hasPrefix("*.") {
        domains[Self.normalized(String(pattern.dropFirst(2)))] = value
      } else {
        hosts[Self.normalized(pattern)] = value
      }
    }
  }

  /// The value for `host`: a name, or an address with or without brackets.
  subscript(host: String) -> Value? {
    let host = Self.normalized(host)
    if let value = hosts[host] { return value }
    var rest = host[...]
    while let dot = rest.firstIndex(of: ".") {
      rest = rest[rest.index(after: dot)...]
      if let value = domains[String(rest)] { return value }
    }
    return fallback
  }

  private static func normalized(_ host: String) -> String {
    var host = host.lowercased()[...]
    if host.hasSuffix(".") { host = host.dropLast() }
    if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
    return String(host)
  }
}
