/// What stands behind the last entry of a file: what is known only then, and the brackets.
struct FileClosing {
  /// The pages as JSON, commas between.
  var pages: [UInt8]
  var missing: MissingCounts

  var octets: [UInt8] {
    var octets = Array("\n],\"pages\":[".utf8)
    octets += pages
    octets += "]".utf8
    if missing != MissingCounts() { octets += ",\"_dropped\":\(missing.json)".utf8 }
    octets += "}}".utf8
    return octets
  }
}
