/// A request's head as the next hop gets it (RFC 9110 7.6, RFC 9112 3.2).
package enum ForwardedRequest {
  /// Appends the head of `head` with the content framed by `framing`; order, spelling and duplicates of all else are kept.
  ///
  /// - Parameters:
  ///   - hop: the origin, or another proxy.
  ///   - forwardsUpgrade: whether the client's `Upgrade` is passed on, which HTTP/1.0 does not know (RFC 9110 7.8).
  ///   - pseudonym: ours, for `Via`.
  ///   - authority: for a request that names no host, which only HTTP/1.0 may do: the one its connection leads to.
  package static func append(
    head: RequestHead, framing: BodyFraming, to hop: NextHop = .origin, forwardsUpgrade: Bool = false,
    pseudonym: Pseudonym = .common, authority: @autoclosure () -> String = "", into output: inout [UInt8]
  ) {
    precondition(framing != .untilClose, "a request's content does not end with the connection")
    output.reserveRoom(for: head.octets.count + 128)
    output.append(contentsOf: head.method.rawValue.utf8)
    output.append(Octet.space)
    hop.appendTarget(of: head, authority: authority(), into: &output)
    output.append(contentsOf: " HTTP/1.1\r\n".utf8)

    let fields = head.fields
    if !fields.contains(.host) {
      switch head.target {
      case .absolute(let target): appendHost(of: target, into: &output)
      case .origin, .asterisk: HeadSerializer.appendField(name: "Host", value: authority(), into: &output)
      case .authority: break
      }
    }
    let keepsUpgrade = forwardsUpgrade && head.version >= .http11 && fields.contains(.upgrade)
    let hopByHop = HopByHopFields(of: fields)
    var framingFields = FramingFields(framing)
    var run = FieldLineRun()
    for index in fields.indices {
      let name = fields.knownName(at: index)
      if FramingFields.areNamed(name) {
        run.flush(fields, into: &output)
        framingFields.replace(fields, at: index, into: &output)
      } else if name == .host, case .absolute(let target) = head.target {
        run.flush(fields, into: &output)
        appendHost(of: target, into: &output)
      } else if name == .maxForwards, let hops = head.maxForwards {
        run.flush(fields, into: &output)
        HeadSerializer.appendField(name: "Max-Forwards", value: String(hops == 0 ? 0 : hops - 1), into: &output)
      } else if (name == .upgrade && keepsUpgrade) || !hopByHop.removes(fields, at: index) {
        run.append(fields, at: index, into: &output)
      }
    }
    run.flush(fields, into: &output)
    framingFields.appendMissing(into: &output)
    appendConnection(acceptsTrailers: fields.listContains(token: "trailers", in: .te), keepsUpgrade: keepsUpgrade, into: &output)
    hop.appendAuthorization(into: &output)
    ForwardedFields.appendVia(received: head.version, by: pseudonym, into: &output)
    HeadSerializer.appendEnd(into: &output)
  }

  private static func appendHost(of target: AbsoluteTarget, into output: inout [UInt8]) {
    output.append(contentsOf: "Host: ".utf8)
    output.append(target.authorityRange, of: target.octets)
    HeadSerializer.appendEnd(into: &output)
  }

  /// Our own connection options: what we can take for the client (RFC 9110 10.1.4), and what it wants to upgrade to.
  private static func appendConnection(acceptsTrailers: Bool, keepsUpgrade: Bool, into output: inout [UInt8]) {
    if acceptsTrailers { output.append(contentsOf: "TE: trailers\r\n".utf8) }
    switch (acceptsTrailers, keepsUpgrade) {
    case (true, true): output.append(contentsOf: "Connection: Upgrade, TE\r\n".utf8)
    case (true, false): output.append(contentsOf: "Connection: TE\r\n".utf8)
    case (false, true): output.append(contentsOf: "Connection: Upgrade\r\n".utf8)
    case (false, false): break
    }
  }
}
