internal import TapelineCore
internal import TapelineHAR
internal import TapelineHTTP
internal import TapelineRedaction
internal import TapelineBase
internal import TapelineTime

extension EntryWriter {
  /// Appends the peers of the exchange: `serverIPAddress`, `connection` and the members next to them.
  mutating func appendPeers(of record: ExchangeRecord, to writer: inout JSONWriter) {
    // Member by member: the whole would be copied.
    if let address = record.server?.addressWithoutZone, let port = record.server?.port, let id = record.server?.connectionID {
      writer.append(json: #","serverIPAddress":"#)
      writer.append(string: address)
      writer.append(json: #","connection":""#)
      writer.append(integer: UInt64(port))
      writer.append(byte: UInt8(ascii: "\""))
      writer.append(member: .serverPort)
      writer.append(integer: UInt64(port))
      writer.append(member: .connectionID)
      writer.append(byte: UInt8(ascii: "\""))
      writer.append(integer: id)
      writer.append(byte: UInt8(ascii: "\""))
      if let proxy = record.server?.proxy { append(upstreamProxy: proxy, record.marks, to: &writer) }
    }
    if !record.client.address.isEmpty { appendClient(of: record, to: &writer) }
    writer.append(member: .exchangeID)
    writer.append(integer: record.id)
    if let name = record.door.name { append(door: name, record.socksReply, to: &writer) }
    if let lookup = record.lookup { append(lookup, to: &writer) }
  }

  private func appendClient(of record: ExchangeRecord, to writer: inout JSONWriter) {
    writer.append(member: .clientAddress)
    writer.append(string: record.client.address)
    writer.append(member: .clientPort)
    writer.append(integer: UInt64(record.client.port))
    writer.append(member: .clientConnectionID)
    writer.append(byte: UInt8(ascii: "\""))
    writer.append(integer: record.client.connectionID)
    writer.append(byte: UInt8(ascii: "\""))
  }

  /// Appends the lookup that a program in a command's network made.
  private mutating func append(_ lookup: NameLookup, to writer: inout JSONWriter) {
    writer.append(member: .lookup)
    writer.append(json: #"{"name":"#)
    writer.append(string: shown(lookup.name))
    writer.append(json: #","server":"#)
    writer.append(string: shown(lookup.server))
    writer.append(json: #","time":"#)
    writer.append(thousandths: EntryTimings.microseconds(lookup.nanoseconds))
    writer.append(byte: UInt8(ascii: "}"))
  }

  /// Appends the upstream proxy, and how long opening the tunnel took if this exchange opened it.
  private mutating func append(upstreamProxy proxy: String, _ marks: TimelineMarks, to writer: inout JSONWriter) {
    writer.append(member: .upstreamProxy)
    writer.append(json: #"{"address":"#)
    writer.append(string: shown(proxy))
    if let began = marks[.proxyConnectStart], let ended = marks[.proxyConnectEnd] {
      writer.append(json: #","tunnelTime":"#)
      writer.append(thousandths: EntryTimings.microseconds(ended.nanoseconds(since: began)))
    }
    writer.append(byte: UInt8(ascii: "}"))
  }

  /// Appends how the client came, and the code that its SOCKS request was answered with.
  private func append(door name: String, _ reply: SOCKSReply?, to writer: inout JSONWriter) {
    writer.append(member: .door)
    writer.append(json: #"{"kind":"#)
    writer.append(string: name)
    if let reply {
      writer.append(json: #","reply":"#)
      writer.append(string: reply.name)
    }
    writer.append(byte: UInt8(ascii: "}"))
  }

  /// Appends what was unusual, if anything was.
  mutating func appendOutcome(of record: ExchangeRecord, _ parts: EntryParts, to writer: inout JSONWriter) {
    if record.isInFlight {
      writer.append(member: .inFlight)
      writer.append(json: #"true"#)
    }
    if let failure = record.failure { append(failure, parts.failure ?? failure.message, to: &writer) }
    if let phase = record.endedByClient {
      writer.append(member: .ended)
      writer.append(json: #"{"by":"client","phase":"#)
      writer.append(string: phase.rawValue)
      writer.append(byte: UInt8(ascii: "}"))
    }
    if let status = record.localStatus {
      writer.append(member: .localStatus)
      writer.append(integer: status)
    }
    if record.attempts > 1 {
      writer.append(member: .attempts)
      writer.append(integer: record.attempts)
    }
    switch record.kind {
    case .tunnel(let toServer, let toClient):
      append(.tunnel, toServer, toClient, to: &writer)
      if let reason = record.unread {
        writer.append(json: #","unread":"#)
        writer.append(string: reason.rawValue)
      }
      writer.append(byte: UInt8(ascii: "}"))
    case .exchange:
      if let relayed = record.relayed {
        append(.upgrade, relayed.toServer, relayed.toClient, to: &writer)
        writer.append(byte: UInt8(ascii: "}"))
      }
    }
    if let comment = parts.comment {
      writer.append(json: #","comment":"#)
      writer.append(string: comment)
    }
    if !parts.informational.isEmpty { append(informational: parts, to: &writer) }
    if let fields = parts.response, fields.fields.contains(.altSvc) { appendAlternatives(in: fields, to: &writer) }
    appendAnomalies(of: record, to: &writer)
  }

  private func append(_ member: HARMember, _ toServer: UInt64, _ toClient: UInt64, to writer: inout JSONWriter) {
    writer.append(member: member)
    writer.append(json: #"{"toServer":"#)
    writer.append(integer: toServer)
    writer.append(json: #","toClient":"#)
    writer.append(integer: toClient)
  }

  private func append(_ failure: ExchangeRecord.Failure, _ message: String, to writer: inout JSONWriter) {
    writer.append(member: .error)
    writer.append(json: #"{"origin":"#)
    writer.append(string: failure.origin.rawValue)
    writer.append(json: #","phase":"#)
    writer.append(string: failure.phase.rawValue)
    writer.append(json: #","kind":"#)
    writer.append(string: failure.kind.name)
    writer.append(json: #","message":"#)
    writer.append(string: message)
    if let option = failure.option {
      writer.append(json: #","option":"#)
      writer.append(string: option)
    }
    writer.append(byte: UInt8(ascii: "}"))
    // The capture ended before the exchange did.
    if failure.isShutdown {
      writer.append(member: .incomplete)
      writer.append(json: #"true"#)
    }
  }

  private mutating func append(informational parts: EntryParts, to writer: inout JSONWriter) {
    writer.append(member: .informational)
    writer.append(byte: UInt8(ascii: "["))
    for (index, (head, fields, reason)) in parts.informational.enumerated() {
      writer.append(json: index == 0 ? #"{"status":"# : #",{"status":"#)
      writer.append(integer: head.status)
      writer.append(json: #","statusText":"#)
      writer.append(string: reason)
      writer.append(json: #","headers":["#)
      append(fields, to: &writer)
      writer.append(json: "]}")
    }
    writer.append(byte: UInt8(ascii: "]"))
  }

  /// Appends the other places of the origin that the response names.
  private mutating func appendAlternatives(in recorded: RecordedFields, to writer: inout JSONWriter) {
    let lines = recorded.fields.indices.filter { recorded.fields.knownName(at: $0) == .altSvc }
    let values = lines.map { index in
      var value = ""
      recorded.withValue(at: index) { bytes in value = String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
      return value
    }
    writer.append(member: .alternatives)
    writer.append(byte: UInt8(ascii: "["))
    for (index, service) in AlternativeService.list(values).enumerated() {
      writer.append(json: index == 0 ? #"{"protocol":"# : #",{"protocol":"#)
      writer.append(string: shown(service.protocol))
      writer.append(json: #","authority":"#)
      writer.append(string: shown(service.authority))
      if let maxAge = service.maxAge {
        writer.append(json: #","maxAge":"#)
        writer.append(integer: maxAge)
      }
      writer.append(byte: UInt8(ascii: "}"))
    }
    writer.append(byte: UInt8(ascii: "]"))
  }

  /// Appends what was odd about the heads, if anything was.
  private func appendAnomalies(of record: ExchangeRecord, to writer: inout JSONWriter) {
    let request = record.request?.anomalies ?? []
    let response = record.response?.anomalies ?? []
    guard !request.isEmpty || !response.isEmpty else { return }
    writer.append(member: .anomalies)
    writer.append(byte: UInt8(ascii: "["))
    for (index, text) in (request.descriptions(of: .request) + response.descriptions(of: .response)).enumerated() {
      if index > 0 { writer.append(byte: UInt8(ascii: ",")) }
      writer.append(string: text)
    }
    writer.append(byte: UInt8(ascii: "]"))
  }

  /// Appends `_debug` if it is enabled.
  mutating func appendDebug(of record: ExchangeRecord, to writer: inout JSONWriter) {
    guard includesDebug, !record.isInFlight else { return }
    writer.append(member: .debug)
    writer.append(string: debugText(of: record))
  }

  /// The response debug description, without the secrets.
  mutating func debugText(of record: ExchangeRecord) -> String {
    guard redactor != nil else { return record.responseDebugDescription }
    let count = redactor?.count ?? 0
    var text = redacted(record).responseDebugDescription
    if let bytes = redactor?.redacted(Array(text.utf8).span) { text = String(decoding: bytes, as: UTF8.self) }
    redactor?.hideEchoes(in: &text)
    redactor?.count = count
    return text
  }
}

extension ExchangeRecord.Peer {
  /// An address in HAR must not have a zone (`fe80::1%eth0`).
  fileprivate var addressWithoutZone: String {
    guard let zone = address.utf8.span.first(of: Byte.percent) else { return address }
    return String(address[utf8: 0..<zone])
  }
}
