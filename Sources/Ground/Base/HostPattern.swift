/// A pattern for hosts: one host, all hosts below one, or all hosts.
///
/// `example.com` and addresses match themselves; `*.example.com` matches every name below `example.com`, at any depth, but not
/// `example.com`; `*` matches every host. Names have no case, and a trailing dot changes nothing (RFC 1034 3.1).
package struct HostPattern: Sendable, Hashable, CustomStringConvertible {
  fileprivate enum Form: Sendable, Hashable {
    case any
    case exactly(Host)
    /// Without `*.`, in lower case.
    case below(String)
  }

  fileprivate let form: Form

  fileprivate init(form: Form) {
    self.form = form
  }

  /// `nil` when `text` is neither a host nor a pattern.
  package init?(_ text: some StringProtocol) {
    self.init(unchecked: text)
    switch form {
    case .any, .exactly(.address): return
    case .exactly(.name(let name)), .below(let name): guard Self.isName(name) else { return nil }
    }
  }

  /// Nothing is checked: a text that is not a host matches at most itself.
  fileprivate init(unchecked text: some StringProtocol) {
    if text == "*" {
      form = .any
    } else if text.hasPrefix("*.") {
      form = .below(Host(text.dropFirst(2)).description)
    } else {
      form = .exactly(Host(text))
    }
  }

  /// - Parameter host: a name in any case, or an address with or without brackets.
  package func matches(_ host: some StringProtocol) -> Bool {
    switch form {
    case .any: return true
    case .exactly(let own): return own == Host(host)
    case .below(let domain):
      // Another program may read a name with other bytes as a different name, so such a name is not below any host.
      guard case .name(let name) = Host(host), Self.isName(name) else { return false }
      return Host.name(name).isBelow(domain)
    }
  }

  /// Whether it matches only one host.
  package var isOneHost: Bool {
    switch form {
    case .any, .below: false
    case .exactly: true
    }
  }

  package var description: String {
    switch form {
    case .any: "*"
    case .exactly(let host): host.description
    case .below(let domain): "*.\(domain)"
    }
  }

  /// Labels of letters, digits, hyphens and underscores.
  private static func isName(_ name: String) -> Bool {
    name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { label in
      !label.isEmpty && label.allSatisfy(ByteSet.hostLabel.contains)
    }
  }
}

/// Values by host patterns. A host's own value comes first, then the value of the longest domain above it, then that of `*`.
package struct HostPatterns<Value: Sendable>: Sendable {
  private var values: [HostPattern: Value] = [:]

  /// - Parameter values: a text that is not a pattern matches at most itself.
  package init(_ values: [String: Value]) {
    for (pattern, value) in values { self.values[HostPattern(unchecked: pattern)] = value }
  }

  /// The value for `host`: a name, or an address with or without brackets.
  package subscript(host: String) -> Value? {
    let host = Host(host)
    if let value = values[HostPattern(form: .exactly(host))] { return value }
    if case .name(let name) = host, host.canHaveSubdomains {
      var rest = name[...]
      while let dot = rest.firstIndex(of: ".") {
        rest = rest[rest.index(after: dot)...]
        if let value = values[HostPattern(form: .below(String(rest)))] { return value }
      }
    }
    return values[HostPattern(form: .any)]
  }
}
