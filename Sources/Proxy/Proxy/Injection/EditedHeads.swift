internal import TapelineBase
internal import TapelineHTTP
internal import TapelineHTTP2
internal import TapelineTransport

// Heads whose fields rules have edited. Names and values were checked with the rules, so that no head becomes one that is
// refused.

extension OutgoingRequest {
  /// - Parameter url: where it goes instead.
  func edited(by edits: [InjectedEdit], to url: String? = nil) -> OutgoingRequest {
    guard !edits.isEmpty || url != nil, let (head, http2) = editedHead(by: edits, to: url) else { return self }
    var route = route
    if url != nil, case .absolute(let target) = head.target {
      route = Route(host: target.host, port: target.port, reach: route.reach)
      if target.scheme == .https { route = route.secured(serverName: target.host) }
    }
    return OutgoingRequest(
      head: head, http2: http2, framing: framing, route: route, host: url == nil ? host : nil, sender: sender,
      allowsUpgrade: allowsUpgrade, prepared: route == self.route ? prepared : nil, connections: connections,
      priorKnowledge: priorKnowledge)
  }

  private func editedHead(by edits: [InjectedEdit], to url: String?) -> (RequestHead, HTTP2RequestHead?)? {
    guard let http2 else {
      let target = url.map { Array($0.utf8) } ?? head.withTarget { [UInt8](copying: $0) }
      let edited = try? RequestHead(
        method: head.method, target: target, version: head.version, fields: head.fields.edited(by: edits), size: head.size)
      return edited.map { ($0, nil) }
    }
    var list = http2.list.edited(by: edits)
    if let url = url.map({ URIReference($0) }) {
      list = list.naming(
        URIScheme(url.scheme ?? ""), authority: url.hostAndPort ?? "", path: (url.path.isEmpty ? "/" : "") + url.pathAndQuery)
    }
    let edited = try? HTTP2RequestHead(
      list, wireSize: http2.wireSize, offersProtocols: true, tolerating: Tolerance(rawValue: .max))
    guard let edited, let head = try? edited.head() else { return nil }
    return (head, edited)
  }
}

extension ResponseHead {
  func edited(by edits: [InjectedEdit]) -> ResponseHead {
    if version >= .http2 { return ResponseHead(http2: status, checked: fields.edited(by: edits), size: size) }
    return ResponseHead(status: status, reason: reason, version: version, fields: fields.edited(by: edits), size: size)
  }
}

extension HTTP2ResponseHead {
  func edited(by edits: [InjectedEdit]) -> HTTP2ResponseHead {
    (try? HTTP2ResponseHead(list.edited(by: edits), wireSize: wireSize)) ?? self
  }
}

extension HTTP2HeaderList {
  fileprivate func edited(by edits: [InjectedEdit]) -> HTTP2HeaderList {
    edits.reduce(self) { list, edit in
      let rest = list.without(edit.name.lowercased())
      return edit.value.map { rest.appending([(edit.name.lowercased(), $0)]) } ?? rest
    }
  }
}

extension HeaderFields {
  /// All lines of an edited name are replaced by one, at the end.
  fileprivate func edited(by edits: [InjectedEdit]) -> HeaderFields {
    edits.reduce(self) { all, edit in
      var fields = HeaderFields()
      for index in all.indices where all.name(at: index).lowercased() != edit.name.lowercased() { fields.append(all, at: index) }
      if let value = edit.value { fields.append(name: edit.name, value: value) }
      return fields
    }
  }
}
