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
      if bytes.equalsIgnoringCase("close".utf8.span) {
        options.insert(.close)
      } else if bytes.equalsIgnoringCase("keep-alive".utf8.span) {
        options.insert(.keepAlive)
      } else if bytes.equalsIgnoringCase("upgrade".utf8.span) {
        options.insert(.upgrade)
      } else if bytes.equalsIgnoringCase("te".utf8.span) {
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
