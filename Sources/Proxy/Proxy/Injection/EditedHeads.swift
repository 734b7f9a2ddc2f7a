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
    let target: AbsoluteTarget? = if url != nil, case .absolute(let target) = head.target { target } else { nil }
    let route = target.map { Route(to: $0, reach: self.route.reach) } ?? self.route
    return OutgoingRequest(
      head: head, http2: http2, framing: framing, route: route, host: target == nil ? host : nil, sender: sender,
      allowsUpgrade: allowsUpgrade, prepared: route == self.route ? prepared : nil, connections: connections,
      priorKnowledge: priorKnowledge)
  }

  private func editedHead(by edits: [InjectedEdit], to url: String?) -> (RequestHead, HTTP2RequestHead?)? {
    if let http2 {
      do throws(HTTP2Violation.Malformation) {
        let list = http2.list.edited(by: edits)
        let edited = try HTTP2RequestHead(
          url.map { list.leading(to: $0) } ?? list, wireSize: http2.wireSize, offersProtocols: true,
          tolerating: Tolerance(rawValue: .max))
        guard let head = edited.http1Head else { return nil }
        return (head, edited)
      } catch {
        return nil
      }
    }
    do throws(HTTPParseError) {
      let target = url.map { Array($0.utf8) } ?? head.withTarget { target in target.indices.map { target[$0] } }
      return (
        try RequestHead(
          method: head.method, target: target, version: head.version, fields: head.fields.edited(by: edits), size: head.size),
        nil
      )
    } catch {
      return nil
    }
  }
}

extension Route {
  fileprivate init(to target: AbsoluteTarget, reach: Reach) {
    self.init(
      host: target.host, port: target.port, security: target.scheme == .https ? .tls(serverName: target.host) : .none,
      reach: reach)
  }
}

extension HTTP2RequestHead {
  fileprivate var http1Head: RequestHead? {
    do throws(HTTPParseError) {
      return try head()
    } catch {
      return nil
    }
  }
}

extension ResponseHead {
  func edited(by edits: [InjectedEdit]) -> ResponseHead {
    if version >= .http2 { return ResponseHead(http2: status, checked: fields.edited(by: edits), size: size) }
    return ResponseHead(status: status, reason: reason, version: version, fields: fields.edited(by: edits), size: size)
  }
}

extension HTTP2ResponseHead {
  func edited(by edits: [InjectedEdit]) -> HTTP2ResponseHead? {
    do throws(HTTP2Violation.Malformation) {
      return try HTTP2ResponseHead(list.edited(by: edits), wireSize: wireSize)
    } catch {
      return self
    }
  }
}

extension HTTP2HeaderList {
  /// The same request for an absolute URL.
  fileprivate func leading(to url: String) -> HTTP2HeaderList {
    let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
    guard parts.count >= 3 else { return self }
    let path = "/" + (parts.count > 3 ? parts[3] : "")
    return HTTP2HeaderList(
      texts.map { name, value in
        switch name {
        case ":scheme": (name, String(parts[0].dropLast()))
        case ":authority", "host": (name, parts[2])
        case ":path": (name, path)
        case _: (name, value)
        }
      })
  }

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
    var fields = HeaderFields()
    for index in indices {
      let name = name(at: index).lowercased()
      if !edits.contains(where: { $0.name.lowercased() == name }) { fields.append(self, at: index) }
    }
    for (place, edit) in edits.enumerated() {
      // The last edit of a name counts.
      let isLast = !edits[(place + 1)...].contains { $0.name.lowercased() == edit.name.lowercased() }
      if isLast, let value = edit.value { fields.append(name: edit.name, value: value) }
    }
    return fields
  }
}
