package import TapelineHAR
internal import TapelineHTTP
internal import TapelineBase

/// Replaces the secrets in entries that are already written, by any program.
package struct EntryRedactor {
  var redactor: Redactor
  /// Content of all entries so far that could not be searched for secrets.
  package internal(set) var unseen = UnseenContent()

  /// The key is random: equal secrets have equal tokens in everything that this value has redacted.
  package init(rules: RedactionRules = .standard) {
    redactor = Redactor(rules)
  }

  /// Replaces the secrets of an entry, counts them in its `_redacted`, and returns how many there were.
  package mutating func redact(_ entry: inout HAREntry) -> Int {
    redactor.beginEntry()
    redactRequest(&entry.request)
    redactor.source = .content
    redactResponse(&entry.response)
    redactText(&entry.comment)
    redactText(&entry.timings.comment)
    redactText(&entry.cache.comment)
    redactMembers(&entry.custom)
    redactState(&entry.cache.beforeRequest)
    redactState(&entry.cache.afterRequest)
    redactMembers(&entry.cache.custom)
    redactMembers(&entry.timings.custom)
    redactText(&entry.startedDateTime)
    redactText(&entry.serverIPAddress)
    redactText(&entry.connection)
    redactText(&entry.pageref)
    redactor.knowsAll()
    if redactor.matcher.isNeeded { hideEchoes(in: &entry) }
    if redactor.count > 0 {
      let before = entry.custom[.redacted]?.integer ?? 0
      entry.custom[.redacted] = .number(HARNumber(before.addingReportingOverflow(redactor.count).partialValue))
    }
    return redactor.count
  }

  /// The title of a page may be a command with its arguments.
  package mutating func redact(_ page: inout HARPage) -> Int {
    redactor.beginEntry()
    // Entries name the page by its id: equal secrets have equal tokens.
    redactText(&page.id)
    redactText(&page.startedDateTime)
    redactText(&page.title, style: .commandLine)
    redactText(&page.comment)
    redactText(&page.pageTimings.comment)
    redactMembers(&page.custom)
    redactMembers(&page.pageTimings.custom)
    return redactor.count
  }

  /// The same for the program that wrote the log.
  package mutating func redact(_ creator: inout HARCreator) -> Int {
    redactor.beginEntry()
    redactText(&creator.name)
    redactText(&creator.version)
    redactText(&creator.comment)
    redactMembers(&creator.custom)
    return redactor.count
  }

  /// A member of the log that the format does not define.
  package mutating func redact(_ member: inout HARObject.Member) -> Int {
    redactor.beginEntry()
    redactMember(&member)
    return redactor.count
  }

  /// Any text, for example a comment.
  package mutating func redact(title text: inout String) -> Int {
    redactor.beginEntry()
    redactText(&text, style: .commandLine)
    return redactor.count
  }

  private mutating func redactState(_ state: inout HARCacheState?) {
    guard var present = state else { return }
    redactText(&present.expires)
    redactText(&present.lastAccess)
    redactText(&present.eTag)
    redactText(&present.comment)
    redactMembers(&present.custom)
    state = present
  }

  // MARK: Messages

  private mutating func redactRequest(_ request: inout HARRequest) {
    redactText(&request.method)
    redactText(&request.httpVersion)
    redactURL(&request.url)
    for index in request.queryString.indices {
      redactPair(request.queryString[index].name, &request.queryString[index].value)
      redactText(&request.queryString[index].name)
      redactText(&request.queryString[index].comment)
      redactMembers(&request.queryString[index].custom)
    }
    redactFields(&request.headers)
    redactCookies(&request.cookies)
    if var data = request.postData {
      redactPostData(&data)
      request.postData = data
    }
    redactText(&request.comment)
    redactMembers(&request.custom)
  }

  private mutating func redactResponse(_ response: inout HARResponse) {
    redactText(&response.statusText)
    redactText(&response.httpVersion)
    redactFields(&response.headers)
    redactCookies(&response.cookies)
    redactURL(&response.redirectURL)
    if var text = response.content.text {
      let isBase64 = response.content.encoding?.lowercased() == "base64"
      redactBody(&text, MediaType(response.content.mimeType), isBase64: isBase64, response.content.custom)
      response.content.text = text
    }
    redactText(&response.content.mimeType)
    redactText(&response.content.encoding)
    redactText(&response.content.comment)
    redactMembers(&response.content.custom)
    redactText(&response.comment)
    redactMembers(&response.custom)
  }

  private mutating func redactFields(_ fields: inout [HARHeader]) {
    for index in fields.indices {
      let name = Array(fields[index].name.utf8)
      let field = redactor.rules.treatment(of: FieldName(spelling: fields[index].name), name.span)
      let value = Array(fields[index].value.utf8)
      var redacted: [UInt8] = []
      if redactor.redact(value.span, of: field, into: &redacted) {
        fields[index].value = String(decoding: redacted, as: UTF8.self)
      }
      redactText(&fields[index].name)
      redactText(&fields[index].comment)
      redactMembers(&fields[index].custom)
    }
  }

  private mutating func redactCookies(_ cookies: inout [HARCookie]) {
    let source = redactor.source
    redactor.source = .content
    for index in cookies.indices {
      cookies[index].value = token(of: cookies[index].value)
      redactText(&cookies[index].name)
      redactText(&cookies[index].path)
      redactText(&cookies[index].domain)
      redactText(&cookies[index].expires)
      redactText(&cookies[index].sameSite)
      redactText(&cookies[index].comment)
      redactMembers(&cookies[index].custom)
    }
    redactor.source = source
  }

  private mutating func redactPostData(_ data: inout HARPostData) {
    if var text = data.text {
      redactBody(&text, MediaType(data.mimeType), isBase64: data.isBase64, data.custom)
      data.text = text
    }
    if var params = data.params {
      for index in params.indices {
        if var value = params[index].value {
          redactPair(params[index].name, &value)
          params[index].value = value
        }
        redactText(&params[index].name)
        redactText(&params[index].fileName)
        redactText(&params[index].contentType)
        redactText(&params[index].comment)
        redactMembers(&params[index].custom)
      }
      data.params = params
    }
    redactText(&data.mimeType)
    redactText(&data.comment)
    redactMembers(&data.custom)
  }

  private mutating func redactBody(_ text: inout String, _ media: MediaType, isBase64: Bool, _ custom: HARObject) {
    if custom[.decodeError] != nil { unseen.undecoded += 1 }
    // Text that is labelled base64 but is not valid base64 is treated as text.
    let decoded = isBase64 ? Base64.decode(Array(text.utf8).span, padding: .ignored) : nil
    let bytes = decoded ?? Array(text.utf8)
    if custom[.decodeError] == nil { unseen.count(bytes.span, media) }
    guard let redacted = redactor.redactedBody(bytes.span, media) else { return }
    text = decoded == nil ? String(decoding: redacted, as: UTF8.self) : Base64.encode(redacted.span)
  }

  // MARK: Values

  private mutating func redactURL(_ url: inout String) {
    guard !url.isEmpty else { return }
    var redacted: [UInt8] = []
    redactor.redactURL(Array(url.utf8).span, into: &redacted)
    url = String(decoding: redacted, as: UTF8.self)
  }

  private mutating func redactPair(_ name: String, _ value: inout String) {
    let bytes = Array(value.utf8)
    let isCode = name.lowercased() == "code" && TokenShapes.isAuthorizationCode(bytes.span, atLeast: 10)
    if isCode || redactor.rules.names.contains(Array(name.utf8).span) {
      value = token(of: value)
    } else {
      redactText(&value)
    }
  }

  private mutating func redactText(_ text: inout String, style: SecretFinder.Style = .document) {
    if let redacted = redactor.redacted(Array(text.utf8).span, style: style) { text = String(decoding: redacted, as: UTF8.self) }
  }

  private mutating func redactText(_ text: inout String?) {
    guard var present = text else { return }
    redactText(&present)
    text = present
  }

  private mutating func token(of secret: String) -> String {
    var output: [UInt8] = []
    redactor.appendToken(of: Array(secret.utf8).span, to: &output)
    return String(decoding: output, as: UTF8.self)
  }

  // MARK: Members that the format does not define

  private mutating func redactMembers(_ object: inout HARObject) {
    for index in object.members.indices { redactMember(&object.members[index]) }
    redactMessage(&object)
  }

  private mutating func redactMember(_ member: inout HARObject.Member) {
    redactValue(&member.value, isSecret: redactor.rules.names.contains(Array(member.name.utf8).span))
    redactName(of: &member)
  }

  /// Most names are too short for a secret.
  private mutating func redactName(of member: inout HARObject.Member) {
    guard member.name.utf8.count > 19 else { return }
    redactText(&member.name)
  }

  private mutating func redactValue(_ value: inout HARValue, isSecret: Bool) {
    switch value {
    case .null, .bool: break
    case .number(let number):
      // A small number is a count, not a code.
      if isSecret, number.text.utf8.count >= 4 { value = .string(token(of: number.text)) }
    case .string(var text):
      if isSecret { text = token(of: text) } else { redactText(&text) }
      value = .string(text)
    case .array(var elements):
      for index in elements.indices { redactValue(&elements[index], isSecret: isSecret) }
      value = .array(elements)
    case .object(var object):
      redactPairs(&object)
      for index in object.members.indices {
        let isSecretName = redactor.rules.names.contains(Array(object.members[index].name.utf8).span)
        redactValue(&object.members[index].value, isSecret: isSecret || isSecretName)
        redactName(of: &object.members[index])
      }
      redactMessage(&object)
      value = .object(object)
    }
  }

  /// `{"name": "Authorization", "value": "…"}`: fields and cookies in members that other programs have added.
  private mutating func redactPairs(_ object: inout HARObject) {
    guard let name = object["name"]?.string, let text = object["value"]?.string else { return }
    let bytes = Array(name.utf8)
    var redacted: [UInt8] = []
    let field = redactor.rules.treatment(of: FieldName(spelling: name), bytes.span)
    guard redactor.redact(Array(text.utf8).span, of: field, into: &redacted) else { return }
    object["value"] = .string(String(decoding: redacted, as: UTF8.self))
  }

  /// A binary WebSocket message, as Chrome and we write it.
  private mutating func redactMessage(_ object: inout HARObject) {
    guard object.isBinaryMessage, let data = object["data"]?.string,
      let bytes = Base64.decode(Array(data.utf8).span, padding: .ignored)
    else {
      return
    }
    if object[.compressed] == true { unseen.compressedMessages += 1 }
    guard let redacted = redactor.redacted(bytes.span) else { return }
    object["data"] = .string(Base64.encode(redacted.span))
  }
}

extension HARObject {
  /// Whether `data` is in base64.
  var isBinaryMessage: Bool { self["opcode"].map { $0 != 1 } ?? false || self[.encoding] == "base64" }
}
