internal import TapelineBase
internal import TapelineHAR

/// The fields of one head as far as two runs should have the same: sorted by name, in lower case, without the ignored
/// fields, and without the secrets and times inside the other fields.
struct ComparedHeaders: Hashable, Sendable {
  struct Field: Hashable, Sendable {
    let name: String
    let value: String
  }

  let fields: [Field]

  init(_ headers: [HARHeader], ignoring ignored: IgnoredHeaders) {
    let kept = headers.compactMap { header -> Field? in
      let name = header.name.lowercased()
      return ignored.contains(name) ? nil : Field(name: name, value: Self.comparable(header.value, of: name))
    }
    fields = kept.enumerated().sorted { ($0.element.name, $0.offset) < ($1.element.name, $1.offset) }.map(\.element)
  }

  /// The approximate size in bytes.
  var size: Int { fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 32 } }

  /// All values of the field with this name.
  func values(_ name: String) -> [String] {
    fields.filter { $0.name == name }.map(\.value)
  }

  private static func comparable(_ value: String, of name: String) -> String {
    switch name {
    case "set-cookie": parameters(of: value, hiding: ["expires", "max-age"], andFirst: true)
    case "cookie": value.split(separator: ";").map { $0.trimmed.prefix { $0 != "=" } }.sorted().joined(separator: "; ")
    case "authorization", "proxy-authorization": value.prefix { $0 != " " } + " …"
    case "content-type": parameters(of: value, hiding: ["boundary"], andFirst: false)
    case "referer", "origin": URLTemplate(value).text
    case _: value
    }
  }

  /// `sid=…; Path=/; Expires=…`
  private static func parameters(of value: String, hiding hidden: Set<String>, andFirst hidesFirst: Bool) -> String {
    value.split(separator: ";").enumerated().map { index, parameter in
      let name = parameter.trimmed.prefix { $0 != "=" }
      let isHidden = index == 0 ? hidesFirst : hidden.contains(name.lowercased())
      return isHidden ? name + "=…" : String(parameter.trimmed)
    }.joined(separator: "; ")
  }
}

/// A header field that differs between counterparts.
package struct HeaderChange: Sendable, Hashable {
  package enum Side: String, Sendable {
    case request
    case response
  }

  package let side: Side
  /// In lower case.
  package let name: String
  /// The field's lines in the first pair that differs; `nil` if the head has none.
  package let before: String?
  package let after: String?
  /// Whether other pairs differ in another way.
  package fileprivate(set) var varies = false
  /// The number of exchange pairs.
  package fileprivate(set) var count: Int
  /// The number of different requests.
  package var requestCount: Int { requests.count }
  fileprivate var requests: Set<RequestName>
  /// The places, in their files and from 1, of exchanges that show the change.
  package let beforeNumber: Int
  package let afterNumber: Int
}

/// Collects the differences in the heads of counterparts, by field: one entry for a field that is added, one if it is removed,
/// one if its values change, however many pairs show it.
struct HeaderChanges: Sendable {
  private enum Kind: Hashable, Sendable {
    case added
    case removed
    case changed
  }

  private struct Key: Hashable, Sendable {
    let side: HeaderChange.Side
    let name: String
    let kind: Kind
  }

  private let before: InternTable<ComparedHeaders>
  private let after: InternTable<ComparedHeaders>
  private var changes: [Key: HeaderChange] = [:]

  init(before: InternTable<ComparedHeaders>, after: InternTable<ComparedHeaders>) {
    self.before = before
    self.after = after
  }

  mutating func add(_ pair: FactPairs<ComparedHeads>.Pair, of request: RequestName) {
    add(pair, of: request, .request, pair.before.request, pair.after.request)
    add(pair, of: request, .response, pair.before.response, pair.after.response)
  }

  private mutating func add(
    _ pair: FactPairs<ComparedHeads>.Pair, of request: RequestName, _ side: HeaderChange.Side, _ oldNumber: UInt32?,
    _ newNumber: UInt32?
  ) {
    guard let oldNumber, let newNumber else { return }
    let old = before[oldNumber]
    let new = after[newNumber]
    guard old != new else { return }
    for name in Set(old.fields.map(\.name) + new.fields.map(\.name)) {
      let oldValues = old.values(name)
      let newValues = new.values(name)
      guard oldValues != newValues else { continue }
      let kind: Kind = oldValues.isEmpty ? .added : newValues.isEmpty ? .removed : .changed
      record(
        Key(side: side, name: name, kind: kind), pair, of: request,
        before: kind == .added ? nil : oldValues.joined(separator: ", "),
        after: kind == .removed ? nil : newValues.joined(separator: ", "))
    }
  }

  private mutating func record(
    _ key: Key, _ pair: FactPairs<ComparedHeads>.Pair, of request: RequestName, before: String?, after: String?
  ) {
    guard var change = changes[key] else {
      changes[key] = HeaderChange(
        side: key.side, name: key.name, before: before, after: after, count: pair.count, requests: [request],
        beforeNumber: pair.beforeNumber, afterNumber: pair.afterNumber)
      return
    }
    if change.before != before || change.after != after { change.varies = true }
    change.count += pair.count
    change.requests.insert(request)
    changes[key] = change
  }

  /// Changes in most pairs first, then by name.
  var ranked: [HeaderChange] {
    changes.values.sorted { left, right in
      (right.count, left.name, left.side.rawValue, left.afterNumber, left.beforeNumber, left.after ?? "")
        < (left.count, right.name, right.side.rawValue, right.afterNumber, right.beforeNumber, right.after ?? "")
    }
  }
}

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
