internal import TapelineBase

// The changes to heads that go on in HTTP/2. Its own lines pass as they came. A head of HTTP/1 loses the lines that belong to one
// connection (RFC 9113 8.2.2); that names lose their capitals and `Host` becomes `:authority` is said by the version.

extension RequestHead {
  /// - Parameter host: what `Host` or `:authority` has to say; `nil`: what the client said.
  func changes(toHTTP2 sent: HTTPVersion, host: String?, pseudonym: Pseudonym?) -> [HeadChange] {
    var list = HeadChangeList(version: version, to: sent)
    if version < .http2 {
      let hopByHop = HopByHopFields(of: fields)
      var hasTE = false
      for index in fields.indices {
        switch fields.knownName(at: index) {
        case .host:
          if let host {
            list.set(fields, at: index, to: .text(host))
          } else if case .absolute(let target) = self.target {
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
    guard let host, version >= .http2, case .absolute(let target) = target, target.authority != host else { return list.changes }
    return [.authority(target.authority, to: host)] + list.changes
  }
}

extension ResponseHead {
  /// - Parameter added: lines that the client gets besides.
  func changes(toHTTP2 sent: HTTPVersion, adding added: [(FieldName, String)], stripsAlternatives: Bool) -> [HeadChange] {
    var list = HeadChangeList(version: version, to: sent)
    let hopByHop = version < .http2 ? HopByHopFields(of: fields) : nil
    for index in fields.indices {
      if stripsAlternatives, fields.knownName(at: index) == .altSvc {
        list.remove(fields, at: index)
      } else if let hopByHop {
        list.removeConnectionLine(of: fields, at: index, hopByHop)
      }
    }
    for (name, value) in added { list.add(name, .text(value)) }
    return list.changes
  }
}

extension HeaderFields {
  /// Whether the line is a length that HTTP/2 must not have: it was given before, or beside the chunks that end there.
  package func hasExcessLength(at index: Int) -> Bool {
    knownName(at: index) == .contentLength && (contains(.transferEncoding) || firstIndex(of: .contentLength) != index)
  }
}

extension HeadChangeList {
  fileprivate mutating func removeConnectionLine(of fields: HeaderFields, at index: Int, _ hopByHop: HopByHopFields) {
    let isFraming = fields.knownName(at: index) == .transferEncoding
    let isSettings = fields.withNameBytes(at: index) { $0.equalsIgnoringCase("http2-settings".utf8.span) }
    let isToken = fields.withNameBytes(at: index) { $0.isToken }
    if isFraming || isSettings || !isToken || fields.hasExcessLength(at: index) || hopByHop.removes(fields, at: index) {
      remove(fields, at: index)
    }
  }

  fileprivate mutating func add(_ pseudonym: Pseudonym?, received version: HTTPVersion) {
    if let pseudonym { add(.via, .text(pseudonym.fieldValue(received: version))) }
  }
}
