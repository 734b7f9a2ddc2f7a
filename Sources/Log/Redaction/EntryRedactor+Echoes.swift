internal import TapelineHAR
internal import TapelineBase

/// The second pass through an entry: secrets found anywhere are searched for everywhere.
extension EntryRedactor {
  mutating func hideEchoes(in entry: inout HAREntry) {
    hideEchoes(in: &entry.pageref)
    redactor.hideEchoes(in: &entry.startedDateTime)
    hideEchoes(in: &entry.serverIPAddress)
    hideEchoes(in: &entry.connection)
    redactor.hideEchoes(in: &entry.request.method)
    redactor.hideEchoes(in: &entry.request.httpVersion)
    redactor.hideEchoes(in: &entry.response.httpVersion)
    hideEchoes(inURL: &entry.request.url)
    for index in entry.request.queryString.indices {
      redactor.hideEchoes(in: &entry.request.queryString[index].name)
      redactor.hideEchoes(in: &entry.request.queryString[index].value)
      hideEchoes(in: &entry.request.queryString[index].comment)
      hideEchoes(in: &entry.request.queryString[index].custom)
    }
    hideEchoes(in: &entry.request.headers)
    hideEchoes(in: &entry.request.cookies)
    if var data = entry.request.postData {
      hideEchoes(in: &data)
      entry.request.postData = data
    }
    hideEchoes(in: &entry.request.comment)
    hideEchoes(in: &entry.request.custom)
    redactor.hideEchoes(in: &entry.response.statusText)
    hideEchoes(in: &entry.response.headers)
    hideEchoes(in: &entry.response.cookies)
    redactor.hideEchoes(in: &entry.response.redirectURL)
    redactor.hideEchoes(in: &entry.response.content.mimeType)
    if var text = entry.response.content.text {
      hideEchoes(in: &text, isBase64: entry.response.content.encoding?.lowercased() == "base64")
      entry.response.content.text = text
    }
    hideEchoes(in: &entry.response.content.comment)
    hideEchoes(in: &entry.response.content.custom)
    hideEchoes(in: &entry.response.comment)
    hideEchoes(in: &entry.response.custom)
    hideEchoes(in: &entry.comment)
    hideEchoes(in: &entry.timings.comment)
    hideEchoes(in: &entry.cache.comment)
    hideEchoes(in: &entry.cache.beforeRequest)
    hideEchoes(in: &entry.cache.afterRequest)
    hideEchoes(in: &entry.custom)
    hideEchoes(in: &entry.cache.custom)
    hideEchoes(in: &entry.timings.custom)
  }

  private mutating func hideEchoes(in fields: inout [HARHeader]) {
    // The host is also in the URL, which would be invalid without a host.
    for index in fields.indices where !["host", ":authority"].contains(fields[index].name.lowercased()) {
      redactor.hideEchoes(in: &fields[index].name)
      redactor.hideEchoes(in: &fields[index].value)
      hideEchoes(in: &fields[index].comment)
      hideEchoes(in: &fields[index].custom)
    }
  }

  private mutating func hideEchoes(in cookies: inout [HARCookie]) {
    for index in cookies.indices {
      redactor.hideEchoes(in: &cookies[index].name)
      redactor.hideEchoes(in: &cookies[index].value)
      hideEchoes(in: &cookies[index].path)
      hideEchoes(in: &cookies[index].domain)
      hideEchoes(in: &cookies[index].expires)
      hideEchoes(in: &cookies[index].sameSite)
      hideEchoes(in: &cookies[index].comment)
      hideEchoes(in: &cookies[index].custom)
    }
  }

  private mutating func hideEchoes(in state: inout HARCacheState?) {
    guard var present = state else { return }
    hideEchoes(in: &present.expires)
    hideEchoes(in: &present.lastAccess)
    hideEchoes(in: &present.eTag)
    hideEchoes(in: &present.comment)
    hideEchoes(in: &present.custom)
    state = present
  }

  private mutating func hideEchoes(in data: inout HARPostData) {
    redactor.hideEchoes(in: &data.mimeType)
    if var text = data.text {
      hideEchoes(in: &text, isBase64: data.custom[.encoding] == "base64")
      data.text = text
    }
    if var params = data.params {
      for index in params.indices {
        redactor.hideEchoes(in: &params[index].name)
        hideEchoes(in: &params[index].value)
        hideEchoes(in: &params[index].fileName)
        hideEchoes(in: &params[index].contentType)
        hideEchoes(in: &params[index].comment)
        hideEchoes(in: &params[index].custom)
      }
      data.params = params
    }
    hideEchoes(in: &data.comment)
    hideEchoes(in: &data.custom)
  }

  private mutating func hideEchoes(inURL url: inout String) {
    var bytes = Array(url.utf8)
    redactor.hideEchoes(in: &bytes, from: URIRanges(bytes.span).path.lowerBound)
    url = String(decoding: bytes, as: UTF8.self)
  }

  private mutating func hideEchoes(in text: inout String?) {
    guard var present = text else { return }
    redactor.hideEchoes(in: &present)
    text = present
  }

  private mutating func hideEchoes(in text: inout String, isBase64: Bool) {
    guard isBase64, let bytes = Base64.decode(Array(text.utf8).span, padding: .ignored) else {
      return redactor.hideEchoes(in: &text)
    }
    if let hidden = redactor.withoutEchoes(bytes.span) { text = Base64.encode(hidden.span) }
  }

  private mutating func hideEchoes(in object: inout HARObject) {
    let isBinary = object.isBinaryMessage
    for index in object.members.indices {
      redactor.hideEchoes(in: &object.members[index].name)
      let member = object.members[index]
      if isBinary, member.name == "data", case .string(var data) = member.value {
        hideEchoes(in: &data, isBase64: true)
        object.members[index].value = .string(data)
      } else {
        hideEchoes(in: &object.members[index].value)
      }
    }
  }

  private mutating func hideEchoes(in value: inout HARValue) {
    switch value {
    case .null, .bool, .number: break
    case .string(var text):
      redactor.hideEchoes(in: &text)
      value = .string(text)
    case .array(var elements):
      for index in elements.indices { hideEchoes(in: &elements[index]) }
      value = .array(elements)
    case .object(var object):
      hideEchoes(in: &object)
      value = .object(object)
    }
  }
}
