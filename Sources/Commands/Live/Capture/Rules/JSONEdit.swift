internal import TapelineBase
internal import TapelineHAR
internal import TapelineInspect

/// A value in a JSON text that is set: `$.items[0].price = 3`.
struct JSONEdit: Sendable {
  enum Step: Hashable, Sendable {
    case member(String)
    case element(Int)
  }

  let steps: [Step]
  let value: HARValue

  /// Reads a path, ` = ` and a value.
  ///
  /// - Parameter offset: of the text in its rule.
  init(_ text: String, at offset: Int) throws(QueryError) {
    let example = #"json $.items[0].price = 3, with texts in double quotes"#
    guard let equals = text.firstIndex(of: "=") else {
      throw QueryError("json needs a place and a value", remedy: "write it like \(example)", at: offset)
    }
    steps = try QueryError.reading(text[..<equals].trimmed, as: "a place in JSON", like: example, at: offset, Self.steps)
    let written = text[text.index(after: equals)...]
    value = try QueryError.reading(
      written.trimmed, as: "JSON", like: example, at: offset + text.distance(from: text.startIndex, to: written.startIndex)
    ) { try? HARValue(json: Array($0.utf8).span) }
  }

  private static func steps(_ path: String) -> [Step]? {
    guard path.first == "$" else { return nil }
    var steps: [Step] = []
    var rest = path.dropFirst()
    while let first = rest.first {
      rest = rest.dropFirst()
      if first == "." {
        let name = rest.prefix { $0 != "." && $0 != "[" }
        guard !name.isEmpty else { return nil }
        steps.append(.member(String(name)))
        rest = rest.dropFirst(name.count)
      } else {
        let inner = rest.prefix { $0 != "]" }
        guard first == "[", inner.count < rest.count, let step = step(inner) else { return nil }
        steps.append(step)
        rest = rest.dropFirst(inner.count + 1)
      }
    }
    return steps.isEmpty ? nil : steps
  }

  /// A step in brackets: a number, or a name in quotes.
  private static func step(_ text: Substring) -> Step? {
    if let place = Int(text), place >= 0 { return .element(place) }
    guard let quote = text.first, quote == "\"" || quote == "'", text.count > 2, text.last == quote else { return nil }
    return .member(String(text.dropFirst().dropLast()))
  }

  /// The text with the value in it; `nil` if it is not JSON, or has no such place. A member may be new, in an object that is
  /// there.
  func applied(to text: [UInt8]) -> [UInt8]? {
    guard var tree = try? HARValue(json: text.span), set(steps[...], in: &tree) else { return nil }
    var writer = JSONWriter()
    writer.append(value: tree)
    return writer.bytes
  }

  private func set(_ steps: ArraySlice<Step>, in tree: inout HARValue) -> Bool {
    guard let step = steps.first else {
      tree = value
      return true
    }
    let rest = steps.dropFirst()
    switch (step, tree) {
    case (.member(let name), .object(var object)):
      guard var member = object[name] ?? (rest.isEmpty ? .null : nil), set(rest, in: &member) else { return false }
      object[name] = member
      tree = .object(object)
      return true
    case (.element(let place), .array(var elements)):
      guard elements.indices.contains(place), set(rest, in: &elements[place]) else { return false }
      tree = .array(elements)
      return true
    case (.member, _), (.element, _):
      return false
    }
  }
}
