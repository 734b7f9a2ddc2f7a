/// A request that goes to a next hop that speaks HTTP/2.
extension RequestForwarding {
  /// Lines that came in HTTP/2 go out as they came. Of lines that came in HTTP/1, those for one connection end here (RFC 9113
  /// 8.2.2), and so does `Host`, which becomes `:authority`. Capitals in names are lost without being listed.
  func changesForHTTP2(of head: RequestHead) -> [HeadChange] {
    var list = HeadChangeList(version: head.version, sent: version)
    if head.version < .http2 { removeHopByHopLines(of: head.fields, in: &list) }
    if let pseudonym { list.add(.via, .text(pseudonym.fieldValue(received: head.version))) }
    return list.changes
  }

  private func removeHopByHopLines(of fields: HeaderFields, in list: inout HeadChangeList) {
    let hopByHop = HopByHopFields(of: fields)
    var takesTrailers = fields.listContains(token: "trailers", in: .te)
    for index in fields.indices {
      switch fields.knownName(at: index) {
      case .te where takesTrailers:
        takesTrailers = false
        list.set(fields, at: index, to: .token("trailers"))
      case .host, .transferEncoding:
        list.remove(fields, at: index)
      default:
        if hopByHop.removes(fields, at: index) { list.remove(fields, at: index) }
      }
    }
  }
}
