internal import TapelineHAR

extension JSONWriter {
  /// Appends JSON as a block of data in a page: an element whose text no browser runs, and in which no text can end the element
  /// or begin another (HTML, "restrictions for contents of script elements"): in JSON `<` occurs only in strings, and is escaped.
  mutating func append(dataBlock id: String, _ json: borrowing JSONWriter) {
    append(json: #"<script type="application/json" id=""#)
    append(text: id)
    append(json: #"">"#)
    json.withBytes { append(inert: $0) }
    append(json: "</script>\n")
  }

  private mutating func append(inert json: Span<UInt8>) {
    var start = 0
    for index in json.indices where json[index] == UInt8(ascii: "<") {
      append(json: json.extracting(start..<index))
      append(json: #"\u003C"#)
      start = index + 1
    }
    append(json: json.extracting(start..<json.count))
  }

  /// Appends text of the page itself.
  mutating func append(text: String) {
    append(json: Array(text.utf8).span)
  }
}
