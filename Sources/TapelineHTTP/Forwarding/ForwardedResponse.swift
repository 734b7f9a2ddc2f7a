/// A response's head as the client gets it (RFC 9110 7.6, RFC 9112 6 and 9).
package enum ForwardedResponse {
  /// How the content goes to a client of `version`: chunked only where it is understood, and never made to look complete when cut.
  package static func framing(of upstream: BodyFraming, to version: HTTPVersion) -> BodyFraming {
    switch upstream {
    case .none, .length: upstream
    case .chunked, .untilClose: version >= .http11 ? .chunked : .untilClose
    }
  }

  /// Appends the head of `head`; order, spelling and duplicates of what is kept are kept.
  ///
  /// - Parameters:
  ///   - clientVersion: the version of the request it answers.
  ///   - framing: of the content that follows, from `framing(of:to:)`.
  ///   - persists: whether the client's connection stays open after this response.
  ///   - date: the time of now as IMF-fixdate, for a final response without `Date` (RFC 9110 6.6.1).
  ///   - forwardsUpgrade: whether this is the 101 that the client asked for.
  package static func append(
    head: ResponseHead, to clientVersion: HTTPVersion, requestMethod: HTTPMethod, framing: BodyFraming, persists: Bool,
    date: String, forwardsUpgrade: Bool = false, into output: inout [UInt8]
  ) {
    output.reserveRoom(for: head.octets.count + 160)
    HeadSerializer.appendStatus(head.status, into: &output)
    output.append(head.reasonRange, of: head.octets)
    HeadSerializer.appendEnd(into: &output)

    let fields = head.fields
    let isInformational = HTTPStatus.isInformational(head.status)
    let hopByHop = HopByHopFields(of: fields)
    let declaresLength = framing == .none && announcesLength(head, to: requestMethod)
    var framingFields = FramingFields(framing)
    var hasDate = isInformational
    var run = FieldLineRun()
    for index in fields.indices {
      let name = fields.knownName(at: index)
      if FramingFields.areNamed(name), !declaresLength {
        run.flush(fields, into: &output)
        framingFields.replace(fields, at: index, into: &output)
      } else if (name == .upgrade && forwardsUpgrade) || !hopByHop.removes(fields, at: index) {
        if name == .date { hasDate = true }
        run.append(fields, at: index, into: &output)
      }
    }
    run.flush(fields, into: &output)
    framingFields.appendMissing(into: &output)
    if !hasDate { HeadSerializer.appendField(name: "Date", value: date, into: &output) }
    if forwardsUpgrade {
      output.append(contentsOf: "Connection: Upgrade\r\n".utf8)
    } else if !isInformational {
      appendPersistence(persists, to: clientVersion, into: &output)
    }
    ForwardedFields.appendVia(received: head.version, into: &output)
    HeadSerializer.appendEnd(into: &output)
  }

  /// Whether Content-Length, alone, tells the length that a GET would have had: to HEAD, and in 304 (RFC 9110 8.6).
  private static func announcesLength(_ head: ResponseHead, to method: HTTPMethod) -> Bool {
    !HTTPStatus.forbidsFramingFields(head.status, to: method) && !head.fields.contains(.transferEncoding)
      && ContentLength.isValid(in: head.fields)
  }

  /// RFC 9112 9.3: 1.1 persists unless told otherwise, 1.0 the other way round.
  private static func appendPersistence(_ persists: Bool, to version: HTTPVersion, into output: inout [UInt8]) {
    if !persists {
      output.append(contentsOf: "Connection: close\r\n".utf8)
    } else if version < .http11 {
      output.append(contentsOf: "Connection: keep-alive\r\n".utf8)
    }
  }
}
