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
    guard !isWritten, let field, fields.knownName(at: index) == field.name else { return editor.remove(fields, at: index) }
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
