import TapelineHAR

/// Reads a HAR on standard input, and prints its slowest exchanges: `slowest < session.har`.
@main
struct Slowest {
  static func main() throws {
    var text: [UInt8] = []
    while let line = readLine(strippingNewline: false) { text += Array(line.utf8) }
    for entry in try slowest(of: text).prefix(10) { print(entry.time, entry.request.method, entry.request.url) }
  }
}

func slowest(of text: [UInt8]) throws -> [HAREntry] {
  let log = try HARLog(json: text)
  return log.entries.sorted { $0.time > $1.time }
}
