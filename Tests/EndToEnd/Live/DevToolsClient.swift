import TapelineTestSupport
import Testing

/// Speaks the DevTools protocol with a recording, as Chrome's network panel does, without a browser.
struct DevToolsClient {
  let client: RawClient
  let status: Int

  init(_ proxy: TapelineProcess, host: String? = nil, fields: [String] = ["Origin: devtools://devtools"]) throws {
    client = try proxy.connect()
    let lines =
      ["GET /devtools\(try proxy.liveQuery) HTTP/1.1", "Host: \(host ?? "127.0.0.1:\(proxy.port)")"] + fields
      + WebSocketBytes.request
    try client.send(lines.joined(separator: "\r\n") + "\r\n\r\n")
    status = try client.receiveHead().status
  }

  func send(_ id: Int, _ method: String, _ parameters: String = "{}") throws {
    try client.send(WebSocketBytes.text(#"{"id":\#(id),"method":"\#(method)","params":\#(parameters)}"#, isMasked: true))
  }

  /// A frame: the first byte, and the payload.
  func receiveFrame() throws -> (first: UInt8, payload: [UInt8]) {
    let head = try client.receive(exactly: 2)
    var length = Int(head[1])
    if length > 125 { length = try client.receive(exactly: length == 126 ? 2 : 8).reduce(0) { $0 << 8 | Int($1) } }
    return (head[0], try client.receive(exactly: length))
  }

  func next() throws -> JSONTree {
    let frame = try receiveFrame()
    try #require(frame.first == 0x81, "a text in one frame")
    return try JSONTree(parsing: frame.payload)
  }

  /// Skips what comes before the event.
  func next(_ method: String) throws -> JSONTree {
    while true {
      let message = try next()
      if message["method"]?.string == "Network.\(method)", let parameters = message["params"] { return parameters }
    }
  }

  /// Skips what comes before the answer.
  func answer(to id: Int) throws -> JSONTree {
    while true {
      let message = try next()
      if message["id"]?.integer == id { return message }
    }
  }
}
