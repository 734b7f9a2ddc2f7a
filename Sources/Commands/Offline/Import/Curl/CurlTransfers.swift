internal import TapelineCore
internal import TapelineTime

/// Makes exchanges of the events in a trace. With `--trace-ids`, transfers may be interleaved; without it, one follows another.
struct CurlTransfers {
  private let bodyLimit: Int
  private var current: [Int?: CurlExchange] = [:]
  private var connections: [CurlConnection] = []
  private var exchangeCount: UInt64 = 0
  private var connectionCount: UInt64 = 0

  /// How many connections are remembered. Curl keeps fewer.
  private static let connectionLimit = 1_024

  init(bodyLimit: Int) {
    self.bodyLimit = bodyLimit
  }

  /// - Parameter take: gets each exchange that is complete.
  mutating func handle<Failure: Error>(
    _ event: CurlEvent, at now: MonotonicInstant, _ detail: CurlDetail?, _ take: (ImportedExchange) throws(Failure) -> Void
  ) throws(Failure) {
    let key = event.ids.transfer
    switch event.kind {
    case .info(let text):
      let remark = CurlRemark(text)
      if remark.begins, current[key]?.isAnswered ?? true {
        try end(key, at: nil, isWhole: true, detail, take)
        current[key] = CurlExchange(at: now, bodyLimit: bodyLimit)
      }
      guard let exchange = current[key] else { return }
      exchange.note(remark, at: now) { connection(of: $0, event.ids) }
      if case .ended = remark { try end(key, at: now, isWhole: true, detail, take) }
    case .sentHead(let bytes):
      if current[key]?.isAnswered == true { try end(key, at: nil, isWhole: true, detail, take) }
      let exchange = current[key] ?? CurlExchange(at: now, bodyLimit: bodyLimit)
      current[key] = exchange
      exchange.sendHead(bytes, at: now)
    case .receivedHead(let bytes): current[key]?.receiveHead(bytes, at: now)
    case .sentData(let data): current[key]?.send(data, at: now)
    case .receivedData(let data): current[key]?.receive(data, at: now)
    case .encrypted: break
    }
  }

  /// Ends the trace: exchanges that are not complete are given away as they are.
  mutating func finish<Failure: Error>(_ detail: CurlDetail?, _ take: (ImportedExchange) throws(Failure) -> Void) throws(Failure)
  {
    for key in current.keys.sorted(by: { $0 ?? -1 < $1 ?? -1 }) { try end(key, at: nil, isWhole: false, detail, take) }
  }

  private mutating func end<Failure: Error>(
    _ key: Int?, at now: MonotonicInstant?, isWhole: Bool, _ detail: CurlDetail?,
    _ take: (ImportedExchange) throws(Failure) -> Void
  ) throws(Failure) {
    guard let exchange = current.removeValue(forKey: key), !exchange.isEmpty else { return }
    exchangeCount += 1
    let (imported, connection) = exchange.finish(at: now, id: exchangeCount, isWhole: isWhole, detail: detail)
    if let connection { remember(connection) }
    try take(imported)
  }

  // MARK: Connections

  private mutating func connection(of remark: CurlRemark, _ ids: CurlIDs) -> CurlConnection? {
    switch remark {
    case .connected(let host, let address, let port, let number):
      connectionCount += 1
      let made = CurlConnection(
        id: connectionCount, number: number ?? ids.connection, host: host, address: address, port: port)
      remember(made)
      return made
    case .reusing(let number, let host):
      let number = number ?? ids.connection
      if let number, let known = connections.last(where: { $0.number == number }) { return known }
      return connections.last { $0.host == host } ?? (connections.count == 1 ? connections[0] : nil)
    case .resolved, .trying, .clientHello, .finished, .agreed, .accepted, .stream, .sent, .ended, .failed, .begins, .other:
      return nil
    }
  }

  private mutating func remember(_ connection: CurlConnection) {
    if let index = connections.firstIndex(where: { $0.id == connection.id }) {
      connections[index] = connection
    } else {
      connections.append(connection)
      if connections.count > Self.connectionLimit { connections.removeFirst() }
    }
  }
}

extension CurlRemark {
  /// Whether it is the first of an exchange if there is none yet.
  fileprivate var begins: Bool {
    switch self {
    case .resolved, .trying, .reusing, .begins: true
    case .failed(let failure): failure.phase == .dns
    case .connected, .clientHello, .finished, .agreed, .accepted, .stream, .sent, .ended, .other: false
    }
  }
}
