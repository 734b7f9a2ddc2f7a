internal import TapelineBase

/// How a request is forwarded, and what its head becomes for the next hop (RFC 9110 7.6, RFC 9112 3.2). Order, spelling and
/// duplicates of all fields that do not belong to one hop are kept.
package struct RequestForwarding: Sendable {
  package var framing: BodyFraming
  /// The version that the next hop speaks.
  package let version: HTTPVersion
  /// The origin, or another proxy.
  package var hop = NextHop.origin
  /// Whether the client's `Upgrade` is passed on. HTTP/1.0 does not have upgrades (RFC 9110 7.8).
  package var forwardsUpgrade = false
  /// Whether the connection to the next hop is this client's alone, so that the client's own connection options hold for it too.
  package var isPaired = false
  /// Our name for `Via`; `nil`: none is added.
  package var pseudonym: Pseudonym?
  /// The authority that the connection leads to, for a request that does not name it: an HTTP/1.0 request without `Host`, or one
  /// in origin-form that goes to a proxy.
  package var authority = ""
  /// The value of `Host`, whatever the client said; `nil`: the client's.
  package var host: String?
  /// For an extended CONNECT (RFC 8441), which becomes an upgrade.
  package var upgrade: Upgrade?
  /// Whether the lines of the last head went out as they came.
  private var isVerbatim = false

  /// The lines of an upgrade that HTTP/2 does not have (RFC 8441 5, RFC 6455 4.1).
  package struct Upgrade: Hashable, Sendable {
    package let name: String
    /// For `Sec-WebSocket-Key`.
    package let key: String

    package init(to name: String, key: String) {
      self.name = name
      self.key = key
    }
  }

  package init(framing: BodyFraming, version: HTTPVersion = .http11) {
    precondition(framing != .untilClose, "a request's content does not end with the connection")
    self.framing = framing
    self.version = version
  }

  package mutating func append(_ head: RequestHead, into output: inout [UInt8]) {
    output.reserveRoom(for: head.bytes.count + 128)
    output.append(contentsOf: (upgrade == nil ? head.method : .get).rawValue.utf8)
    output.append(Byte.space)
    hop.appendTarget(of: head, authority: authority, into: &output)
    output.append(contentsOf: " HTTP/1.1\r\n".utf8)
    var writer = HeadWriter(taking: &output)
    addMissingHost(to: head, in: &writer)
    editLines(of: head, in: &writer)
    isVerbatim = !writer.hasChanged && head.version == .http11
    writer.finish(into: &output)
  }

  /// The changes to the head, except to the form of the target, which depends on the next hop (RFC 9112 3.2).
  package func changes(of head: RequestHead) -> [HeadChange] {
    guard !isVerbatim else { return [] }
    guard version < .http2 else { return head.changes(toHTTP2: version, host: host, pseudonym: pseudonym) }
    var list = HeadChangeList(version: head.version)
    addMissingHost(to: head, in: &list)
    editLines(of: head, in: &list)
    return list.changes
  }

  /// `Host` comes first (RFC 9110 7.2).
  private func addMissingHost(to head: RequestHead, in editor: inout some HeadEditor) {
    guard !head.fields.contains(.host) else { return }
    if let host { return editor.add(.host, .text(host)) }
    switch head.target {
    case .absolute(let target): editor.add(.host, .bytes(target.authorityRange, of: target.bytes))
    case .origin, .asterisk: editor.add(.host, .text(authority))
    case .authority: break
    }
  }

  private func editLines(of head: RequestHead, in editor: inout some HeadEditor) {
    let fields = head.fields
    let hopByHop = HopByHopFields(of: fields)
    let options = connectionOptions(of: head)
    var framingFields = FramingFields(framing)
    var connection = ConnectionField(saying: options)
    var hasTE = false
    var cookies = CookieField(of: head)
    for index in fields.indices {
      let name = fields.knownName(at: index)
      if FramingFields.areNamed(name) {
        framingFields.edit(fields, at: index, in: &editor)
      } else if name == .host, let host {
        editor.set(fields, at: index, to: .text(host))
      } else if name == .host, case .absolute(let target) = head.target {
        editor.set(fields, at: index, to: .bytes(target.authorityRange, of: target.bytes))
      } else if name == .connection {
        connection.edit(fields, at: index, in: &editor)
      } else if name == .cookie {
        cookies.edit(fields, at: index, in: &editor)
      } else if name == .te, options.contains(.te), !hasTE {
        hasTE = true
        editor.set(fields, at: index, to: .token("trailers"))
      } else if name == .maxForwards, let hops = head.maxForwards {
        editor.set(fields, at: index, to: .decimal(UInt64(hops == 0 ? 0 : hops - 1)))
      } else if (name == .upgrade && options.contains(.upgrade)) || (name == .keepAlive && isPaired) {
        editor.keep(fields, at: index)
      } else if hopByHop.removes(fields, at: index) || (name == .via && isOwnVia(fields, at: index)) {
        editor.remove(fields, at: index)
      } else {
        editor.keep(fields, at: index)
      }
    }
    editor.endLines(of: fields)
    framingFields.addMissing(in: &editor)
    connection.addMissing(in: &editor)
    if let upgrade {
      editor.add(.upgrade, .text(upgrade.name))
      editor.add(.secWebSocketKey, .text(upgrade.key))
    }
    if case .proxy(let authorization?) = hop { editor.add(.proxyAuthorization, .secret(authorization)) }
    if let pseudonym = pseudonym { editor.add(.via, .text(pseudonym.fieldValue(received: head.version))) }
  }

  /// The options for the connection to the next hop: that we can take trailers for the client (RFC 9110 10.1.4), what the client
  /// wants to upgrade to and, where the connection is the client's alone, how long it should last.
  private func connectionOptions(of head: RequestHead) -> ConnectionField.Options {
    var options: ConnectionField.Options = []
    if head.fields.listContains(token: "trailers", in: .te) { options.insert(.te) }
    if forwardsUpgrade, head.version >= .http11, head.fields.contains(.upgrade) || upgrade != nil { options.insert(.upgrade) }
    guard isPaired else { return options }
    let said = ConnectionField.options(of: head.fields)
    options.formUnion(said.intersection([.close, .keepAlive]))
    // HTTP/1.0 closes unless told otherwise; we speak HTTP/1.1, which persists unless told otherwise (RFC 9112 9.3).
    if head.version < .http11, !said.contains(.keepAlive) { options.insert(.close) }
    return options
  }

  /// Whether another tapeline on the way has added the line. The last tapeline removes it if it has no pseudonym itself.
  private func isOwnVia(_ fields: HeaderFields, at index: Int) -> Bool {
    pseudonym == nil && hop == .origin && Pseudonym.isOnlyMember(of: fields.value(at: index))
  }
}

/// The recipient of a forwarded request, which decides how the target is written (RFC 9112 3.2).
package enum NextHop: Hashable, Sendable {
  /// The origin, even if through a tunnel: origin-form.
  case origin
  /// Another proxy, which forwards: absolute-form, and the credentials that the proxy wants.
  case proxy(authorization: String?)

  /// Whether we send credentials to a proxy.
  package var isAuthorized: Bool {
    switch self {
    case .origin, .proxy(authorization: nil): false
    case .proxy: true
    }
  }

  /// Appends the target of `head`; `authority` is the origin's, for a target that does not name it.
  func appendTarget(of head: RequestHead, authority: @autoclosure () -> String, into output: inout [UInt8]) {
    switch self {
    case .origin: head.appendOriginForm(into: &output)
    case .proxy: head.appendAbsoluteForm(authority: authority(), into: &output)
    }
  }

  /// Appends the field with our credentials for the proxy.
  package func appendAuthorization(into output: inout [UInt8]) {
    switch self {
    case .origin, .proxy(authorization: nil): break
    case .proxy(let authorization?):
      HeadSerializer.appendField(name: FieldName.proxyAuthorization.spelling, value: authorization, into: &output)
    }
  }
}

extension RequestHead {
  /// Appends the target for a proxy (RFC 9112 3.2.2): byte by byte as it came, without userinfo and fragment, and with an
  /// authority if it had none. `OPTIONS *` then has neither path nor query (RFC 9112 3.2.4).
  fileprivate func appendAbsoluteForm(authority: @autoclosure () -> String, into output: inout [UInt8]) {
    switch target {
    case .absolute(let absolute):
      absolute.appendSanitized(into: &output)
    case .asterisk:
      output.append(contentsOf: "http://\(authority())".utf8)
    case .authority:
      appendOriginForm(into: &output)
    case .origin:
      output.append(contentsOf: "http://\(authority())".utf8)
      appendOriginForm(into: &output)
    }
  }

  /// The same as text.
  package func absoluteForm(authority: @autoclosure () -> String) -> String {
    var bytes: [UInt8] = []
    appendAbsoluteForm(authority: authority(), into: &bytes)
    return String(bytes: bytes.span)
  }
}
