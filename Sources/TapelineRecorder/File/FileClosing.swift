/// The end of a file after the last entry: data that is known only then, and the brackets.
struct FileClosing {
  /// The pages as JSON, separated by commas.
  var pages: [UInt8]
  var missing: MissingCounts

  var bytes: [UInt8] {
    var bytes = Array("\n],\"pages\":[".utf8)
    bytes += pages
    bytes += "]".utf8
    if missing != MissingCounts() { bytes += ",\"_dropped\":\(missing.json)".utf8 }
    bytes += "}}".utf8
    return bytes
  }
}
