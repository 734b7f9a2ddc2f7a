/// How a response is forwarded, and what its head becomes for the client (RFC 9110 7.6, RFC 9112 6 and 9). Order, spelling and
/// duplicates of all fields that do not belong to one hop are kept.
package struct ResponseForwarding: Sendable {
  /// The version and method of the request that it answers.
  package var clientVersion: HTTPVersion
  package var requestMethod: HTTPMethod
  /// The framing of the content that follows.
  package var framing: BodyFraming
  /// Whether the client's connection stays open after this response.
  package var persists: Bool
  /// Whether this is the 101 that the client asked for.
  package var forwardsUpgrade = false
  /// Whether the connection that the response came on is the client's alone.
  package var isPaired = false
  /// Whether the client does not hear where else the origin is (RFC 7838).
  package var stripsAlternatives = false
  /// Our name for `Via`; `nil`: none is added.
  package var pseudonym: Pseudonym?
  /// The current time as IMF-fixdate, for a final response without `Date` (RFC 9110 6.6.1).
  package var date = ""
  /// Whether the lines of the last head went out as they came.
  private var isVerbatim = false

  package init(to method: HTTPMethod, of version: HTTPVersion, framing: BodyFraming, persists: Bool) {
    requestMethod = method
    clientVersion = version
    self.framing = framing
    self.persists = persists
  }

  /// How the content goes to a client of `version`: chunked only if the client understands it. Cut content never looks complete.
  ///
  /// - Parameter endsConnection: whether the client's connection may end with the content, as the origin's does.
  package static func framing(of upstream: BodyFraming, to version: HTTPVersion, endsConnection: Bool = false) -> BodyFraming {
    switch upstream {
    case .none, .length: upstream
    case .chunked: version >= .http11 ? .chunked : .untilClose
    case .untilClose: version >= .http11 && !endsConnection ? .chunked : .untilClose
    }
  }

  package mutating func append(_ head: ResponseHead, into output: inout [UInt8]) {
    output.reserveRoom(for: head.bytes.count + 160)
    if head.version >= .http2 {
      // HTTP/2 has no phrase.
      HeadSerializer.appendStatusLine(status: head.status, into: &output)
    } else {
      HeadSerializer.appendStatus(head.status, into: &output)
      output.append(head.reasonRange, of: head.bytes)
      HeadSerializer.appendEnd(into: &output)
    }
    var writer = HeadWriter(taking: &output)
    editLines(of: head, in: &writer)
    isVerbatim = !writer.hasChanged && head.version == .http11
    writer.finish(into: &output)
  }

  /// The changes to the head for the client. What was mended in the head is in its anomalies.
  package func changes(of head: ResponseHead) -> [HeadChange] {
    guard !isVerbatim else { return [] }
    guard clientVersion < .http2 else {
      return head.changes(toHTTP2: clientVersion, adding: addedFields(to: head), stripsAlternatives: stripsAlternatives)
    }
    var list = HeadChangeList(version: head.version)
    editLines(of: head, in: &list)
    return list.changes
  }

  /// The lines that a client gets which the head does not have, whatever the client's version.
  package func addedFields(to head: ResponseHead) -> [(FieldName, String)] {
    var added: [(FieldName, String)] = []
    if !HTTPStatus.isInformational(head.status), !head.fields.contains(.date) { added.append((.date, date)) }
    if let pseudonym { added.append((.via, pseudonym.fieldValue(received: head.version))) }
    return added
  }

  private func editLines(of head: ResponseHead, in editor: inout some HeadEditor) {
    let fields = head.fields
    let hopByHop = HopByHopFields(of: fields)
    let declaresFraming = framing == .none && announcesFraming(head)
    var framingFields = FramingFields(framing)
    var connection = connectionField(of: head)
    var hasDate = HTTPStatus.isInformational(head.status)
    for index in fields.indices {
      let name = fields.knownName(at: index)
      if FramingFields.areNamed(name), !declaresFraming {
        framingFields.edit(fields, at: index, in: &editor)
      } else if name == .altSvc, stripsAlternatives {
        editor.remove(fields, at: index)
      } else if name == .connection {
        connection.edit(fields, at: index, in: &editor)
      } else if keeps(name) || !hopByHop.removes(fields, at: index) {
        if name == .date { hasDate = true }
        editor.keep(fields, at: index)
      } else {
        editor.remove(fields, at: index)
      }
    }
    editor.endLines(of: fields)
    framingFields.addMissing(in: &editor)
    if !hasDate { editor.add(.date, .text(date)) }
    connection.addMissing(in: &editor)
    if let pseudonym = pseudonym { editor.add(.via, .text(pseudonym.fieldValue(received: head.version))) }
  }

  /// Whether the framing fields only say how a GET would have been answered: to HEAD, and in 304 (RFC 9110 8.6, RFC 9112 6.1).
  private func announcesFraming(_ head: ResponseHead) -> Bool {
    guard !HTTPStatus.forbidsFramingFields(head.status, to: requestMethod) else { return false }
    guard head.fields.contains(.transferEncoding) else { return ContentLength.isValid(in: head.fields) }
    let codings = head.fields.values(of: .transferEncoding)
    return clientVersion >= .http11 && !head.fields.contains(.contentLength) && codings.count == 1
      && codings[0].lowercased() == "chunked"
  }

  /// RFC 9112 9.3: 1.1 persists unless told otherwise, 1.0 closes unless told otherwise.
  private func connectionField(of head: ResponseHead) -> ConnectionField {
    if forwardsUpgrade { return ConnectionField(saying: .upgrade, tolerating: .keepAlive) }
    if HTTPStatus.isInformational(head.status) { return ConnectionField(saying: []) }
    if !persists { return ConnectionField(saying: .close) }
    return clientVersion < .http11 ? ConnectionField(saying: .keepAlive) : ConnectionField(saying: [], tolerating: .keepAlive)
  }

  /// Fields of one hop that are passed on nevertheless: how long the origin keeps the connection says how long ours will last.
  private func keeps(_ name: FieldName) -> Bool {
    (name == .upgrade && forwardsUpgrade) || (name == .keepAlive && isPaired && persists)
  }
}
