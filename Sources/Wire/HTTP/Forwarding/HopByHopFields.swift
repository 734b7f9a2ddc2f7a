internal import TapelineBase

/// The fields of one message that end at the proxy (RFC 9110 7.6.1): those that always do, and those that `Connection` names.
package struct HopByHopFields: Sendable {
  private var known: FieldNameSet
  /// The names in `Connection` that are not a known `FieldName`: rare, and compared byte by byte.
  private var others: [[UInt8]] = []

  private static let always = FieldNameSet(
    .connection, .keepAlive, .proxyConnection, .proxyAuthenticate, .proxyAuthorization, .te, .upgrade)

  package init(of fields: borrowing HeaderFields) {
    known = Self.always
    for index in fields.indices where fields.knownName(at: index) == .connection {
      insertNames(of: fields, at: index)
    }
  }

  /// Whether the line at `index` of `fields`, the head's or its trailers', ends here.
  package func removes(_ fields: HeaderFields, at index: Int) -> Bool {
    let name = fields.knownName(at: index)
    guard name == .other else { return known.contains(name) }
    let bytes = fields.bytes.span.extracting(fields.nameRange(at: index))
    // For the next client only (RFC 9110 11.7.3): it is about credentials that only that client has given.
    if bytes.equals("proxy-authentication-info", in: bytes.indices) { return true }
    return others.contains { bytes.equalsIgnoringCase($0.span) }
  }

  /// Whether the trailer at `index` ends here. Framing and routing also end: a trailer must not change them (RFC 9110 6.5.1).
  package func removesTrailer(_ trailers: HeaderFields, at index: Int) -> Bool {
    Self.isProtected(trailers.knownName(at: index)) || removes(trailers, at: index)
  }

  /// Fields that `Connection` cannot remove: without them another reader would see another message.
  private static func isProtected(_ name: FieldName) -> Bool {
    name == .contentLength || name == .transferEncoding || name == .host
  }

  private mutating func insertNames(of fields: borrowing HeaderFields, at index: Int) {
    var members = ListMembers(of: fields.valueRange(at: index))
    while let member = members.next(in: fields.bytes.span) {
      let bytes = fields.bytes.span.extracting(member)
      guard bytes.isToken else { continue }
      let name = FieldName(token: bytes)
      if name != .other {
        if !Self.isProtected(name) { known.insert(name) }
      } else if !isOption(bytes) {
        others.append([UInt8](copying: bytes))
      }
    }
  }

  /// `close` is an option of the connection itself; no field has this name (RFC 9110 18.4).
  private func isOption(_ bytes: Span<UInt8>) -> Bool {
    bytes.equals("close", in: bytes.indices)
  }
}

/// Edits the `Connection` lines of a forwarded message (RFC 9110 7.6.1), which describe our connection to the next hop.
///
/// A single line that says exactly what we want is kept. Otherwise the first line says it in our words, and the others end here.
struct ConnectionField {
  /// The options that a line can name.
  struct Options: OptionSet {
    let rawValue: UInt8

    static let close = Options(rawValue: 1)
    static let keepAlive = Options(rawValue: 2)
    static let upgrade = Options(rawValue: 4)
    static let te = Options(rawValue: 8)
    /// A field that ends at the hop, or an unknown option.
    static let other = Options(rawValue: 16)
  }

  private let wanted: Options
  /// Options that may be in the line besides the wanted ones, because they change nothing.
  private let harmless: Options
  private var isWritten = false

  init(saying wanted: Options, tolerating harmless: Options = []) {
    self.wanted = wanted
    self.harmless = harmless
  }

  /// Decides what becomes of the line at `index`.
  mutating func edit(_ fields: HeaderFields, at index: Int, in editor: inout some HeadEditor) {
    guard !isWritten else { return editor.remove(fields, at: index) }
    isWritten = true
    let said = Self.options(of: fields, at: index)
    if said.subtracting(harmless) == wanted, !Self.isRepeated(in: fields, after: index) {
      editor.keep(fields, at: index)
    } else if wanted.isEmpty {
      editor.remove(fields, at: index)
    } else {
      editor.rewrite(fields, at: index, to: .text(text))
    }
  }

  /// Adds the line at the end if none came.
  mutating func addMissing(in editor: inout some HeadEditor) {
    if !isWritten, !wanted.isEmpty { editor.add(.connection, .text(text)) }
  }

  /// The options of all lines together.
  static func options(of fields: HeaderFields) -> Options {
    guard fields.contains(.connection) else { return [] }
    return fields.indices.reduce(into: []) { options, index in
      if fields.knownName(at: index) == .connection { options.formUnion(Self.options(of: fields, at: index)) }
    }
  }

  private static func options(of fields: HeaderFields, at index: Int) -> Options {
    var options: Options = []
    var members = ListMembers(of: fields.valueRange(at: index))
    while let member = members.next(in: fields.bytes.span) {
      let bytes = fields.bytes.span.extracting(member)
      if bytes.equals("close", in: bytes.indices) {
        options.insert(.close)
      } else if bytes.equals("keep-alive", in: bytes.indices) {
        options.insert(.keepAlive)
      } else if bytes.equals("upgrade", in: bytes.indices) {
        options.insert(.upgrade)
      } else if bytes.equals("te", in: bytes.indices) {
        options.insert(.te)
      } else {
        options.insert(.other)
      }
    }
    return options
  }

  private static func isRepeated(in fields: HeaderFields, after index: Int) -> Bool {
    fields.indices.dropFirst(index + 1).contains { fields.knownName(at: $0) == .connection }
  }

  private var text: String {
    var words: [String] = []
    if wanted.contains(.close) { words.append("close") }
    if wanted.contains(.keepAlive) { words.append("keep-alive") }
    if wanted.contains(.upgrade) { words.append("Upgrade") }
    if wanted.contains(.te) { words.append("TE") }
    return words.joined(separator: ", ")
  }
}

/// Joins the crumbs into which HTTP/2 may break a cookie (RFC 9113 8.2.3), in the place of the first.
struct CookieField {
  private let crumbs: [Range<Int>]
  private var isWritten = false

  init(of head: borrowing RequestHead) {
    guard head.version >= .http2, head.fields.contains(.cookie) else {
      crumbs = []
      return
    }
    let fields = head.fields
    crumbs = fields.indices.filter { fields.knownName(at: $0) == .cookie }.map { fields.valueRange(at: $0) }
  }

  /// Decides what becomes of the Cookie line at `index`.
  mutating func edit(_ fields: HeaderFields, at index: Int, in editor: inout some HeadEditor) {
    guard crumbs.count > 1 else { return editor.keep(fields, at: index) }
    guard !isWritten else { return editor.remove(fields, at: index) }
    isWritten = true
    let joined = Array(crumbs.map { fields.bytes[$0] }.joined(separator: "; ".utf8))
    editor.rewrite(fields, at: index, to: .bytes(joined.indices, of: joined))
  }
}

/// Gives a forwarded message the one framing field that says how its content goes out, in the place of the sender's.
struct FramingFields {
  private let framing: BodyFraming
  private var isWritten = false

  init(_ framing: BodyFraming) {
    self.framing = framing
  }

  static func areNamed(_ name: FieldName) -> Bool {
    name == .contentLength || name == .transferEncoding
  }

  /// Decides what becomes of the Content-Length or Transfer-Encoding at `index`.
  mutating func edit(_ fields: HeaderFields, at index: Int, in editor: inout some HeadEditor) {
    guard let field, fields.knownName(at: index) == field.name else { return editor.remove(fields, at: index) }
    if isWritten {
      // A length that is repeated was read: those after us may refuse it, as they would have.
      let isRepeated = field.name == .contentLength && field.value.matches(fields, at: index)
      return isRepeated ? editor.keep(fields, at: index) : editor.remove(fields, at: index)
    }
    isWritten = true
    editor.set(fields, at: index, to: field.value)
  }

  /// Adds the field at the end if the sender had none.
  mutating func addMissing(in editor: inout some HeadEditor) {
    guard !isWritten, let field else { return }
    isWritten = true
    editor.add(field.name, field.value)
  }

  private var field: (name: FieldName, value: FieldValue)? {
    switch framing {
    case .length(let length): (.contentLength, .decimal(length))
    case .chunked: (.transferEncoding, .token("chunked"))
    case .none, .untilClose: nil
    }
  }
}
