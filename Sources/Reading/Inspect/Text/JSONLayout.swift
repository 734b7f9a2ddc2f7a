package import TapelineHAR

/// JSON for people: one member or element per line, two spaces for each level, short arrays of numbers and words in one line.
package enum JSONLayout {
  /// - Parameter limit: the maximum number of lines.
  package static func lines(of value: HARValue, palette: Palette, limit: Int = .max) -> [String] {
    var layout = Layout(palette: palette, limit: limit)
    layout.append(value, depth: 0, before: "", after: "")
    return layout.lines
  }
}

private struct Layout {
  let palette: Palette
  let limit: Int
  private(set) var lines: [String] = []

  /// Arrays up to this total length go in one line.
  private static let shortArrayWidth = 60

  init(palette: Palette, limit: Int) {
    self.palette = palette
    self.limit = limit
  }

  mutating func append(_ value: HARValue, depth: Int, before: String, after: String) {
    guard lines.count < limit else { return }
    let start = String(repeating: "  ", count: depth) + before
    switch value {
    case .object(let object) where !object.isEmpty:
      lines.append(start + "{")
      for (index, member) in object.members.enumerated() {
        let name = palette.apply(.cyan, to: Self.quoted(member.name)) + ": "
        append(member.value, depth: depth + 1, before: name, after: index == object.members.count - 1 ? "" : ",")
      }
      close(depth, "}" + after)
    case .array(let elements) where !elements.isEmpty:
      if let line = short(elements) {
        lines.append(start + line + after)
        return
      }
      lines.append(start + "[")
      for (index, element) in elements.enumerated() {
        append(element, depth: depth + 1, before: "", after: index == elements.count - 1 ? "" : ",")
      }
      close(depth, "]" + after)
    case .object, .array, .null, .bool, .number, .string:
      lines.append(start + scalar(value) + after)
    }
  }

  private mutating func close(_ depth: Int, _ text: String) {
    guard lines.count < limit else { return }
    lines.append(String(repeating: "  ", count: depth) + text)
  }

  /// All elements in one line, if all are simple values and together short.
  private func short(_ elements: [HARValue]) -> String? {
    var width = 2
    for element in elements {
      switch element {
      case .object(let object) where !object.isEmpty: return nil
      case .array(let inner) where !inner.isEmpty: return nil
      case .object, .array, .null, .bool: width += 6
      case .number(let number): width += number.text.utf8.count + 2
      case .string(let text): width += text.utf8.count + 4
      }
      guard width <= Self.shortArrayWidth else { return nil }
    }
    return "[" + elements.map(scalar).joined(separator: ", ") + "]"
  }

  private func scalar(_ value: HARValue) -> String {
    switch value {
    case .null: palette.apply(.magenta, to: "null")
    case .bool(let flag): palette.apply(.magenta, to: flag ? "true" : "false")
    case .number(let number): palette.apply(.yellow, to: number.text)
    case .string(let text): palette.apply(.green, to: Self.quoted(text))
    case .array: "[]"
    case .object: "{}"
    }
  }

  /// A JSON string in which no character controls a terminal.
  private static func quoted(_ text: String) -> String {
    var writer = JSONWriter(capacity: text.utf8.count + 2)
    writer.append(string: text)
    return String(decoding: writer.bytes, as: UTF8.self).printable
  }
}
