/// What stands behind the last entry of a file: what is known only then, and the brackets.
struct FileClosing {
  /// The pages as JSON, commas between.
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
