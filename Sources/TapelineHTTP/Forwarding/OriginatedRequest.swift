internal import TapelineText

/// The head of a request that begins with us, as the next hop gets it: nobody is forwarded, so there is no `Via`.
package enum OriginatedRequest {
  /// Appends the head of `head` with the content framed by `framing`; order, spelling and duplicates of all else are kept.
  ///
  /// `Host` comes first (RFC 9110 7.2): the one given, which may differ from the target's, else the target's. What is for one connection
  /// only is the transport's to say, and left out.
  package static func append(
    head: RequestHead, framing: BodyFraming, to hop: NextHop = .origin, authority: @autoclosure () -> String = "",
    into output: inout [UInt8]
  ) {
    precondition(framing != .untilClose, "a request's content does not end with the connection")
    output.append(contentsOf: head.method.rawValue.utf8)
    output.append(Byte.space)
    hop.appendTarget(of: head, authority: authority(), into: &output)
    output.append(contentsOf: " HTTP/1.1\r\n".utf8)
    appendHost(of: head, into: &output)
    var writer = HeadWriter(taking: &output)
    editLines(of: head, framing, in: &writer)
    if case .proxy(let authorization?) = hop { writer.add(.proxyAuthorization, .secret(authorization)) }
    writer.finish(into: &output)
  }

  private static func editLines(of head: RequestHead, _ framing: BodyFraming, in writer: inout HeadWriter) {
    let fields = head.fields
    let hopByHop = HopByHopFields(of: fields)
    var framingFields = FramingFields(framing)
    for index in fields.indices {
      let name = fields.knownName(at: index)
      if FramingFields.areNamed(name) {
        framingFields.edit(fields, at: index, in: &writer)
      } else if name != .host, !hopByHop.removes(fields, at: index) {
        writer.keep(fields, at: index)
      }
    }
    writer.endLines(of: fields)
    framingFields.addMissing(in: &writer)
  }

  private static func appendHost(of head: RequestHead, into output: inout [UInt8]) {
    if let index = head.fields.firstIndex(of: .host) {
      HeadSerializer.appendField(head.fields, at: index, into: &output)
    } else if case .absolute(let target) = head.target {
      HeadSerializer.appendField(name: "Host", value: target.authority, into: &output)
    }
  }
}
