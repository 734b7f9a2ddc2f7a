/// One change to a head between receiving and forwarding it.
package enum HeadChange: Hashable, Sendable {
  /// A line of our own; without its value if that is a secret.
  case added(name: String, value: String?)
  /// The line at this index ended here.
  case removed(Int)
  /// The line at this index went out with another value.
  case rewritten(Int, to: String)
  /// The start line named another version; ours is always HTTP/1.1.
  case version(HTTPVersion)
}

/// Lists what is changed.
struct HeadChangeList: HeadEditor {
  private(set) var changes: [HeadChange] = []

  init(version: HTTPVersion) {
    if version != .http11 { changes.append(.version(version)) }
  }

  mutating func keep(_ fields: HeaderFields, at index: Int) {}

  mutating func remove(_ fields: HeaderFields, at index: Int) {
    changes.append(.removed(index))
  }

  mutating func rewrite(_ fields: HeaderFields, at index: Int, to value: FieldValue) {
    changes.append(.rewritten(index, to: value.shown ?? ""))
  }

  mutating func endLines(of fields: HeaderFields) {}

  mutating func add(_ name: FieldName, _ value: FieldValue) {
    changes.append(.added(name: name.spelling, value: value.shown))
  }
}
