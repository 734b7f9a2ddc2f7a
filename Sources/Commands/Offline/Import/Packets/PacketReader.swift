internal import TapelineCore
internal import TapelineTime

/// Makes exchanges of packets, in the order of the capture. Memory holds the connections that are open, and their exchanges that
/// are not complete.
struct PacketReader {
  private let bodyLimit: Int
  private var connections: [Int: PacketConnection] = [:]
  private var over: Set<Int> = []
  private var lookups = NameLookups()
  private var connectionCount: UInt64 = 0
  private var exchangeCount: UInt64 = 0
  private var latest = MonotonicInstant(nanoseconds: 0)
  /// Connections whose TLS could not be decrypted.
  private(set) var unreadableCount = 0

  /// Late packets of more connections are not recognised as such; they are read as connections without a beginning.
  private static let overLimit = 65_536

  init(bodyLimit: Int) {
    self.bodyLimit = bodyLimit
  }

  mutating func take<Failure: Error>(
    _ row: PacketRow, _ take: (ImportedExchange) throws(Failure) -> Void
  ) throws(Failure) {
    latest = max(latest, row.time)
    guard let stream = row.number(.stream) else { return lookups.take(row) }
    guard !over.contains(stream) else { return }
    let flags = SegmentFlags(rawValue: row.number(.flags) ?? 0)
    guard let connection = connections[stream] ?? begin(row, flags) else { return }
    connections[stream] = connection
    connection.take(row, flags, fromClient: isFromClient(row, connection))
    try give(connection, take)
    if connection.isOver { remove(stream, connection) }
  }

  /// The capture ends: exchanges that are not complete are given away as they are.
  mutating func finish<Failure: Error>(_ take: (ImportedExchange) throws(Failure) -> Void) throws(Failure) {
    for (stream, connection) in connections.sorted(by: { $0.key < $1.key }) {
      connection.end(.captureEnded, at: latest)
      try give(connection, take)
      remove(stream, connection)
    }
  }

  private mutating func give<Failure: Error>(
    _ connection: PacketConnection, _ take: (ImportedExchange) throws(Failure) -> Void
  ) throws(Failure) {
    for exchange in connection.takeComplete() {
      exchangeCount += 1
      try take(exchange.imported(id: exchangeCount, on: connection.facts))
    }
  }

  private mutating func remove(_ stream: Int, _ connection: PacketConnection) {
    connections[stream] = nil
    if connection.isUnreadable { unreadableCount += 1 }
    if over.count >= Self.overLimit { over = [] }
    over.insert(stream)
  }

  // MARK: The two ends

  /// `nil` until a packet tells who the client is.
  private mutating func begin(_ row: PacketRow, _ flags: SegmentFlags) -> PacketConnection? {
    guard let sourcePort = port(row, .sourcePort), let destinationPort = port(row, .destinationPort) else { return nil }
    let (source, destination) = row.addresses
    let isFromClient: Bool
    if flags.contains(.synchronize) {
      isFromClient = !flags.contains(.acknowledge)
    } else {
      // The capture begins within the connection.
      let bytes = row.bytes(.payload)
      guard RequestStart.isOne(bytes), !bytes.isEmpty, !bytes.starts(with: "HTTP/".utf8) else { return nil }
      isFromClient = true
    }
    connectionCount += 1
    let client = isFromClient ? (source, sourcePort) : (destination, destinationPort)
    let server = isFromClient ? (destination, destinationPort) : (source, sourcePort)
    var facts = PacketConnection.Facts(
      id: connectionCount, clientAddress: client.0, clientPort: client.1, serverAddress: server.0, serverPort: server.1)
    facts.lookup = lookups.takeLookup(of: client.0, to: server.0)
    return PacketConnection(facts, bodyLimit: bodyLimit)
  }

  private func isFromClient(_ row: PacketRow, _ connection: PacketConnection) -> Bool {
    let (source, destination) = row.addresses
    let facts = connection.facts
    // Both ends may have the same address.
    return source == facts.client.address && port(row, .sourcePort) == facts.client.port
      && (source != destination || port(row, .destinationPort) == facts.serverPort)
  }

  private func port(_ row: PacketRow, _ field: PacketRow.Field) -> UInt16? { row.number(field).flatMap { UInt16(exactly: $0) } }
}
