package import TapelineBase

/// One exchange.
public struct HAREntry: Sendable, Hashable {
  /// The `id` of a page.
  public var pageref: String?
  /// ISO 8601 with a time zone: the first byte of the request.
  public var startedDateTime: String
  /// Milliseconds: the sum of the timings that are not −1, without `ssl`.
  public var time: Double
  /// The client's message.
  public var request: HARRequest
  /// The origin's message.
  public var response: HARResponse
  /// The cache's part in the exchange; empty when unknown.
  public var cache: HARCache
  /// Where the time went.
  public var timings: HARTimings
  /// Numeric, without port or brackets.
  public var serverIPAddress: String?
  /// For us the server's port.
  public var connection: String?
  /// A remark by the log's author or editor.
  public var comment: String?
  /// Members that the format does not define, or defines with another type.
  public var custom: HARObject
  /// Required members that the log lacks, if the reader was asked to note them.
  package var lacking: [HARPath] = []
  /// `_blocked`, if it was read without the other members that the format does not define.
  package fileprivate(set) var blockedShares: BlockedShares?
  /// The title of the page that `pageref` names, if the reader has looked it up. Not a member of an entry, and not written.
  package var pageTitle: String?
  /// The file that the entry was read from, as it was named, if the reader has set it. Not a member of an entry, and not written.
  package var file: String?

  /// Makes a value of its members.
  public init(
    pageref: String? = nil, startedDateTime: String, time: Double, request: HARRequest, response: HARResponse,
    cache: HARCache = HARCache(), timings: HARTimings, serverIPAddress: String? = nil, connection: String? = nil,
    comment: String? = nil, custom: HARObject = [:]
  ) {
    self.pageref = pageref
    self.startedDateTime = startedDateTime
    self.time = time
    self.request = request
    self.response = response
    self.cache = cache
    self.timings = timings
    self.serverIPAddress = serverIPAddress
    self.connection = connection
    self.comment = comment
    self.custom = custom
  }
}

extension HAREntry: HARRecord {
  // Not by the other initializer, whose result would be copied: an entry is large, and made for each that is read.
  init() {
    (startedDateTime, time) = ("", -1)
    (request, response) = (HARRequest(), HARResponse())
    (cache, timings) = (HARCache(), HARTimings())
    custom = HARObject()
  }

  mutating func read(_ member: MemberName, from parser: inout JSONParser) throws(HARReadError) -> Bool {
    switch member {
    case "pageref": try parser.read(&pageref)
    case "startedDateTime": try parser.read(&startedDateTime)
    case "time": try parser.read(&time)
    case "request": try parser.read(&request)
    case "response": try parser.read(&response)
    case "cache": try parser.read(&cache)
    case "timings": try parser.read(&timings)
    case "serverIPAddress": try parser.read(&serverIPAddress)
    case "connection": try parser.read(&connection)
    case "comment": try parser.read(&comment)
    case HARMember.blocked: try readShares(from: &parser)
    default: false
    }
  }

  /// Reads `_blocked`, when the other members that the format does not define are not wanted.
  private mutating func readShares(from parser: inout JSONParser) throws(HARReadError) -> Bool {
    guard !parser.parts.contains(.custom), let shares = try parser.readBlockedShares() else { return false }
    blockedShares = shares
    return true
  }

  func write(to writer: inout JSONWriter) {
    writer.append("pageref", pageref, except: custom)
    writer.append("startedDateTime", startedDateTime, except: custom)
    writer.append("time", time, except: custom)
    writer.append("request", request, except: custom)
    writer.append("response", response, except: custom)
    writer.append("cache", cache, except: custom)
    writer.append("timings", timings, except: custom)
    writer.append("serverIPAddress", serverIPAddress, except: custom)
    writer.append("connection", connection, except: custom)
    writer.append("comment", comment, except: custom)
  }
}

extension HAREntry {
  /// Reads an entry from bytes that hold exactly one.
  public init(json bytes: [UInt8]) throws(HARReadError) {
    try self.init(json: bytes.span)
  }

  /// Reads an entry, or `parts` of it, from bytes that hold exactly one.
  public init(json bytes: Span<UInt8>, parts: HAREntryParts = .all) throws(HARReadError) {
    try self.init(json: bytes, parts: parts, bodyLimit: nil)
  }

  /// Reads an entry that is written as it was: without members that it lacks.
  package init(exact bytes: Span<UInt8>) throws(HARReadError) {
    try self.init(json: bytes)
    var tree = try HARValue(odd: bytes)
    HARType.object(.entry).conform(&tree, at: HARPath(steps: [])) { warning in
      if warning.kind == .missing { lacking.append(warning.path) }
    }
  }

  /// Reads an entry, and whether strict readers of JSON read it, too.
  package static func reading(_ bytes: Span<UInt8>) throws(HARReadError) -> (entry: HAREntry, isStrict: Bool) {
    let entry = try HAREntry(json: bytes)
    var isStrict = bytes.isUTF8
    if isStrict { try bytes.findOddities(at: .log) { _ in isStrict = false } }
    return (entry, isStrict)
  }

  /// - Parameter bodyLimit: bytes of each body's text that are read; `nil` for all. The others are counted.
  package init(json bytes: Span<UInt8>, parts: HAREntryParts = .all, bodyLimit: Int?) throws(HARReadError) {
    self = try bytes.withParser(range: 0..<bytes.count, parts: parts, bodyLimit: bodyLimit) { (parser) throws(HARReadError) in
      guard let entry: HAREntry = try parser.readRecord() else { throw parser.failure(.expected("an entry")) }
      try parser.expectEnd()
      return entry
    }
  }

  /// The entry as JSON text in one line.
  public var json: [UInt8] {
    var writer = JSONWriter()
    writer.append(entry: self)
    return writer.bytes
  }
}

extension JSONWriter {
  /// Appends the entry in one line.
  public mutating func append(entry: HAREntry) {
    append(record: entry)
  }

  /// Appends the page in one line.
  public mutating func append(page: HARPage) {
    append(record: page)
  }
}

/// Milliseconds of each phase; −1 or absent for a phase that did not happen.
public struct HARTimings: Sendable, Hashable {
  /// Waiting for a connection.
  public var blocked: Double?
  /// Resolving the name.
  public var dns: Double?
  /// Includes `ssl`.
  public var connect: Double?
  /// Sending the request.
  public var send: Double
  /// Waiting for the first byte of the response.
  public var wait: Double
  /// Receiving the response.
  public var receive: Double
  /// The TLS handshake, a part of `connect`.
  public var ssl: Double?
  /// A remark by the log's author or editor.
  public var comment: String?
  /// Members that the format does not define, or defines with another type.
  public var custom: HARObject

  /// Makes a value of its members.
  public init(
    blocked: Double? = nil, dns: Double? = nil, connect: Double? = nil, send: Double, wait: Double, receive: Double,
    ssl: Double? = nil, comment: String? = nil, custom: HARObject = [:]
  ) {
    self.blocked = blocked
    self.dns = dns
    self.connect = connect
    self.send = send
    self.wait = wait
    self.receive = receive
    self.ssl = ssl
    self.comment = comment
    self.custom = custom
  }
}

extension HARTimings {
  /// A phase by its name: milliseconds, −1 or `nil` if it did not happen. HAR includes the client's time and the proxy's in
  /// `blocked`, and has no member for either.
  package subscript(phase: Phase) -> Double? {
    get {
      switch phase {
      case .client, .proxy: nil
      case .blocked: blocked
      case .dns: dns
      case .connect: connect
      case .ssl: ssl
      case .send: send
      case .wait: wait
      case .receive: receive
      }
    }
    set {
      switch phase {
      case .client, .proxy: preconditionFailure("HAR has no member for this phase")
      case .blocked: blocked = newValue
      case .dns: dns = newValue
      case .connect: connect = newValue
      case .ssl: ssl = newValue
      case .send: send = newValue ?? -1
      case .wait: wait = newValue ?? -1
      case .receive: receive = newValue ?? -1
      }
    }
  }
}

extension HARTimings: HARRecord {
  init() {
    // Unknown until the log says more.
    self.init(send: -1, wait: -1, receive: -1)
  }

  mutating func read(_ member: MemberName, from parser: inout JSONParser) throws(HARReadError) -> Bool {
    if let phase = Phase.ofHAR.first(where: { member.matches($0.key) }) { return try parser.read(&self[phase]) }
    guard member.matches("comment") else { return false }
    return try parser.read(&comment)
  }

  func write(to writer: inout JSONWriter) {
    for phase in Phase.ofHAR { writer.append(phase.key, self[phase], except: custom) }
    writer.append("comment", comment, except: custom)
  }
}
