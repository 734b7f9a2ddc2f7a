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
    let fields = head.fields
    output.append(contentsOf: head.method.rawValue.utf8)
    output.append(Octet.space)
    hop.appendTarget(of: head, authority: authority(), into: &output)
    output.append(contentsOf: " HTTP/1.1\r\n".utf8)
    appendHost(of: head, into: &output)

    let hopByHop = HopByHopFields(of: fields)
    var framingFields = FramingFields(framing)
    for index in fields.indices {
      let name = fields.knownName(at: index)
      if FramingFields.areNamed(name) {
        framingFields.replace(fields, at: index, into: &output)
      } else if name != .host, !hopByHop.removes(fields, at: index) {
        HeadSerializer.appendField(fields, at: index, into: &output)
      }
    }
    framingFields.appendMissing(into: &output)
    hop.appendAuthorization(into: &output)
    HeadSerializer.appendEnd(into: &output)
  }

  private static func appendHost(of head: RequestHead, into output: inout [UInt8]) {
    if let index = head.fields.firstIndex(of: .host) {
      HeadSerializer.appendField(head.fields, at: index, into: &output)
    } else if case .absolute(let target) = head.target {
      HeadSerializer.appendField(name: "Host", value: target.authority, into: &output)
    }
  }
}
