import TapelineTestSupport

/// What a client got for one exchange.
struct Outcome {
  /// 1xx heads, in order.
  var interim: [RawMessage] = []
  var response: RawMessage?
  /// What kept the client from its answer.
  var failure: String?
  /// What came behind the answer where the connection had to end, and how it ended.
  var end: String?
}

/// Plays a table from one side of the network: a connection is kept as long as the exchanges let it.
final class TableClient {
  private let connect: () throws -> RawClient
  private var client: RawClient?

  init(_ connect: @escaping () throws -> RawClient) {
    self.connect = connect
  }

  func play(_ bytes: [UInt8], of exchange: Exchange) throws -> Outcome {
    var outcome = Outcome()
    do throws(any Error) {
      let client = try self.client ?? connect()
      self.client = client
      try client.send(bytes)
      var response = try client.receiveResponse(to: exchange.method)
      while response.status / 100 == 1 && response.status != 101 {
        outcome.interim.append(response)
        response = try client.receiveResponse(to: exchange.method)
      }
      outcome.response = response
      if exchange.ends || response.value(of: "Connection")?.lowercased() == "close" {
        let (rest, end) = try client.receiveToEnd()
        outcome.end = "\(rest.count) bytes and \(end)"
        client.close()
        self.client = nil
      }
    } catch {
      outcome.failure = "\(error)"
      client?.close()
      client = nil
    }
    return outcome
  }

  func leave() {
    client?.close()
    client = nil
  }
}

/// The requests that came on one connection, by the simplest reading of their framing.
func requests(in bytes: [UInt8]) -> [RawMessage] {
  messages(in: bytes) { _ in true }
}

private func messages(in bytes: [UInt8], hasBody: (RawMessage) -> Bool) -> [RawMessage] {
  var found: [RawMessage] = []
  var rest = bytes[...]
  while let end = rest.firstRange(of: Array("\r\n\r\n".utf8)) {
    let head = Array(rest[..<end.upperBound])
    rest = rest[end.upperBound...]
    let bare = RawMessage(head: head)
    if bare.value(of: "Transfer-Encoding")?.lowercased().hasSuffix("chunked") == true {
      var reader = ChunkReader(rest: rest)
      guard reader.readAll() else {
        found.append(RawMessage(head: head, body: reader.body))
        break
      }
      rest = reader.rest
      found.append(RawMessage(head: head, body: reader.body, trailers: reader.trailers))
    } else {
      let count = bare.value(of: "Content-Length").flatMap { Int($0) } ?? 0
      found.append(RawMessage(head: head, body: Array(rest.prefix(count))))
      rest = rest.dropFirst(count)
    }
  }
  return found
}

/// RFC 9112 7.1, for bytes that are all there.
private struct ChunkReader {
  var rest: ArraySlice<UInt8>
  var body: [UInt8] = []
  var trailers: [(name: String, value: String)] = []

  init(rest: ArraySlice<UInt8>) {
    self.rest = rest
  }

  mutating func readAll() -> Bool {
    while let line = readLine() {
      guard let size = Int(line.prefix { $0 != ";" }, radix: 16), rest.count >= size else { return false }
      guard size > 0 else { return readTrailers() }
      body += rest.prefix(size)
      rest = rest.dropFirst(size + 2)
    }
    return false
  }

  private mutating func readTrailers() -> Bool {
    while let line = readLine() {
      if line.isEmpty { return true }
      let parts = line.split(separator: ":", maxSplits: 1)
      trailers.append((String(parts[0]), parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""))
    }
    return false
  }

  private mutating func readLine() -> String? {
    guard let end = rest.firstRange(of: Array("\r\n".utf8)) else { return nil }
    defer { rest = rest[end.upperBound...] }
    return String(decoding: rest[..<end.lowerBound], as: UTF8.self)
  }
}
