internal import TapelineBase

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

/// A deviation from HAR 1.2 in text that is JSON.
public struct HARReadWarning: Sendable, Hashable {
  /// The kinds of deviations.
  public enum Kind: Sendable, Hashable {
    /// A required member is not there.
    case missing
    /// The value is `null`, which HAR does not have.
    case null
    /// The value has another type; both are named as JSON names them.
    case wrongType(expected: String, found: String)
    /// A number or truth value is between quotes.
    case quoted
    /// A number is where a text should be.
    case unquoted
    /// A count has a fraction, or is written with one.
    case fraction
    /// The name appears earlier in the same object; the last one counts.
    case duplicate
    /// No size or time can be this number: a size below −1, or more than readers take exactly.
    case impossible
    /// Bytes that are not UTF-8.
    case notUTF8
    /// An escape that is half of a character.
    case loneSurrogate
    /// A control character that should be an escape.
    case controlCharacter
    /// The value is nested too deeply to be read.
    case tooDeep
  }

  /// Where it is.
  public let path: HARPath
  /// The deviation.
  public let kind: Kind

  /// Makes a warning.
  public init(path: HARPath, kind: Kind) {
    self.path = path
    self.kind = kind
  }
}

extension HARReadWarning: CustomStringConvertible {
  /// The place and a sentence.
  public var description: String {
    "\(path): \(text)"
  }

  /// A sentence without the place.
  public var text: String {
    switch kind {
    case .missing: "a required member is missing"
    case .null: "HAR has no null here"
    case .wrongType(let expected, let found): "expected \(expected), found \(found)"
    case .quoted: "a number or truth value is in quotes"
    case .unquoted: "a number is in the place of a text"
    case .fraction: "a whole number has a fraction"
    case .duplicate: "the name appears twice in its object"
    case .impossible: "nothing has this size, or takes this long"
    case .notUTF8: "bytes that are not UTF-8, which become U+FFFD"
    case .loneSurrogate: "an escape that is half of a character, which becomes U+FFFD"
    case .controlCharacter: "a control character that should be an escape"
    case .tooDeep: "the value is nested too deeply to be read, and counts as null"
    }
  }
}
