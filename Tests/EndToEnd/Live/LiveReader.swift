import TapelineTestSupport
import Testing

/// A page that reads the events of a recording, without a browser.
struct LiveReader {
  struct Event {
    let name: String
    let id: String?
    let data: JSONTree
  }

  let client: RawClient

  /// - Parameter query: what follows the path; the key, unless it says something else.
  init(_ proxy: TapelineProcess, lastEvent: String? = nil, fields: String = "", query: String? = nil) throws {
    client = try proxy.connect()
    let query = try query ?? proxy.liveQuery
    let last = lastEvent.map { "Last-Event-ID: \($0)\r\n" } ?? ""
    try client.send("GET /live/events\(query) HTTP/1.1\r\nHost: 127.0.0.1:\(proxy.port)\r\n\(last)\(fields)\r\n")
  }

  /// The status of the answer; events follow a 200.
  func receiveStatus() throws -> Int {
    try client.receiveHead().status
  }

  func next() throws -> Event {
    while true {
      // By bytes: characters are too slow for long rows when they are not optimized.
      var members: [String: [UInt8]] = [:]
      for line in try client.receive(through: "\n\n").split(separator: UInt8(ascii: "\n")) {
        let parts = line.split(separator: UInt8(ascii: ":"), maxSplits: 1)
        members[String(decoding: parts[0], as: UTF8.self)] = Array(parts[1].drop { $0 == UInt8(ascii: " ") })
      }
      guard let name = members["event"] else { continue }
      return Event(
        name: String(decoding: name, as: UTF8.self), id: members["id"].map { String(decoding: $0, as: UTF8.self) },
        data: try JSONTree(parsing: members["data"] ?? []))
    }
  }

  func next(_ name: String) throws -> Event {
    while true {
      let event = try next()
      if event.name == name { return event }
    }
  }

  /// Rows until there are so many, and the last event's id.
  func rows(_ count: Int) throws -> (rows: [JSONTree], lastID: String?) {
    var rows: [JSONTree] = []
    var last: String?
    while rows.count < count {
      let event = try next("rows")
      rows += event.data.elements
      last = event.id
    }
    return (rows, last)
  }
}

extension TapelineProcess {
  /// `http://127.0.0.1:PORT/live?key=…`, as `status` tells it.
  var liveURL: String {
    get throws {
      // By its name: `env` asks for the password of a recording that has one.
      let status = try TestProcess(Self.binary, ["status", "--json", "--name", String(process.id)])
      try status.wait()
      return try #require(try JSONTree(parsing: status.standardOutput)["livePage"]?.string, "\(status.errorText)")
    }
  }

  /// `?key=…`
  var liveQuery: String {
    get throws { String(try liveURL.drop { $0 != "?" }) }
  }

  /// The answer to a request for the live page or for its data.
  func live(
    _ path: String = "", method: String = "GET", host: String? = nil, fields: String = "", query: String? = nil
  ) throws -> RawMessage {
    let client = try connect()
    let query = try query ?? (path.contains("?") ? "" : liveQuery)
    try client.send("\(method) /live\(path)\(query) HTTP/1.1\r\nHost: \(host ?? "127.0.0.1:\(port)")\r\n\(fields)\r\n")
    return try client.receiveResponse(to: method)
  }
}
