internal import TapelineBase

/// The head of a request that tapeline originates, as the next hop gets it: nothing is forwarded, so there is no `Via`.
package enum OriginatedRequest {
  /// Appends `head` with the content framed by `framing`; keeps order, spelling and duplicates of everything else.
  ///
  /// `Host` comes first (RFC 9110 7.2): the given one, which may differ from the target's, otherwise the target's. Fields for one
  /// connection only are left out: the transport adds its own.
  ///
  /// - Parameter upgrade: the protocol that the connection is to switch to (RFC 9110 7.8).
  package static func append(
    head: RequestHead, framing: BodyFraming, to hop: NextHop = .origin, authority: @autoclosure () -> String = "",
    upgrade: String? = nil, into output: inout [UInt8]
  ) {
    precondition(framing != .untilClose, "a request's content does not end with the connection")
    output.append(contentsOf: head.method.rawValue.utf8)
    output.append(Byte.space)
    hop.appendTarget(of: head, authority: authority(), into: &output)
    output.append(contentsOf: " HTTP/1.1\r\n".utf8)
    appendHost(of: head, into: &output)
    var writer = HeadWriter(taking: &output)
    editLines(of: head, framing, in: &writer)
    if let upgrade {
      writer.add(.connection, .text("Upgrade"))
      writer.add(.upgrade, .text(upgrade))
    }
    if case .proxy(let authorization?) = hop { writer.add(.proxyAuthorization, .secret(authorization)) }
    writer.finish(into: &output)
  }

  /// The head as an origin gets it in HTTP/1.1; `nil` if it would not be read.
  package static func sent(_ head: RequestHead, framing: BodyFraming, upgrade: String? = nil) -> RequestHead? {
    var bytes: [UInt8] = []
    append(head: head, framing: framing, upgrade: upgrade, into: &bytes)
    do throws(HTTPParseError) {
      return try HeadParser.request(bytes, lineCount: head.fields.count + 6)
    } catch {
      return nil
    }
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
