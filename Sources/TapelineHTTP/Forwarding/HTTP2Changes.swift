internal import TapelineText

// The changes to heads that go on in HTTP/2. Its own lines pass as they came. A head of HTTP/1 loses the lines that belong to one
// connection (RFC 9113 8.2.2); that names lose their capitals and `Host` becomes `:authority` is said by the version.

extension RequestHead {
  func changes(toHTTP2 sent: HTTPVersion, pseudonym: Pseudonym?) -> [HeadChange] {
    var list = HeadChangeList(version: version, to: sent)
    if version < .http2 {
      let hopByHop = HopByHopFields(of: fields)
      var hasTE = false
      for index in fields.indices {
        switch fields.knownName(at: index) {
        case .host:
          if case .absolute(let target) = self.target {
            list.set(fields, at: index, to: .bytes(target.authorityRange, of: target.bytes))
          }
        case .te where !hasTE && fields.listContains(token: "trailers", in: .te):
          hasTE = true
          list.set(fields, at: index, to: .token("trailers"))
        case _:
          list.removeConnectionLine(of: fields, at: index, hopByHop)
        }
      }
    }
    list.add(pseudonym, received: version)
    return list.changes
  }
}

extension ResponseHead {
  /// - Parameter added: lines that the client gets besides.
  func changes(toHTTP2 sent: HTTPVersion, adding added: [(FieldName, String)]) -> [HeadChange] {
    var list = HeadChangeList(version: version, to: sent)
    if version < .http2 {
      let hopByHop = HopByHopFields(of: fields)
      for index in fields.indices { list.removeConnectionLine(of: fields, at: index, hopByHop) }
    }
    for (name, value) in added { list.add(name, .text(value)) }
    return list.changes
  }
}

extension HeadChangeList {
  fileprivate mutating func removeConnectionLine(of fields: HeaderFields, at index: Int, _ hopByHop: HopByHopFields) {
    let isFraming = fields.knownName(at: index) == .transferEncoding
    let isSettings = fields.withNameBytes(at: index) { $0.equalsIgnoringCase("http2-settings".utf8.span) }
    if isFraming || isSettings || hopByHop.removes(fields, at: index) { remove(fields, at: index) }
  }

  fileprivate mutating func add(_ pseudonym: Pseudonym?, received version: HTTPVersion) {
    if let pseudonym { add(.via, .text(pseudonym.fieldValue(received: version))) }
  }
}
