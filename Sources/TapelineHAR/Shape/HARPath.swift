internal import TapelineText

/// A place in a HAR, as a JSONPath (RFC 9535): `$.log.entries[3].timings.ssl`.
public struct HARPath: Sendable, Hashable {
  /// One step from a value into it.
  public enum Step: Sendable, Hashable {
    /// To an object's member with this name.
    case member(String)
    /// To an array's element at this index.
    case element(Int)
  }

  /// The steps from the text's root value to the place.
  public let steps: [Step]

  /// Makes a path of its steps.
  public init(steps: [Step]) {
    self.steps = steps
  }

  /// The object that holds everything.
  public static let log = HARPath(steps: [.member("log")])

  /// The member of that name.
  public subscript(name: String) -> HARPath {
    HARPath(steps: steps + [.member(name)])
  }

  /// The element at that place, from 0.
  public subscript(index: Int) -> HARPath {
    HARPath(steps: steps + [.element(index)])
  }
}

extension HARPath: CustomStringConvertible {
  /// As RFC 9535 writes it, with brackets around names that are not identifiers.
  public var description: String {
    var text = "$"
    for step in steps {
      switch step {
      case .element(let index): text += "[\(index)]"
      case .member(let name) where Self.isPlain(name): text += "." + name
      case .member(let name): text += "[" + Self.quoted(name) + "]"
      }
    }
    return text
  }

  /// Whether a name may follow a dot.
  private static func isPlain(_ name: String) -> Bool {
    guard let first = name.utf8.first, !Byte.isDigit(first) else { return false }
    return name.utf8.allSatisfy { ByteSet.alphanumeric.contains($0) || $0 == UInt8(ascii: "_") }
  }

  private static func quoted(_ name: String) -> String {
    var writer = JSONWriter()
    writer.append(string: name)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}
