internal import TapelineCoding
internal import TapelineCore
internal import TapelineHAR
internal import TapelineHTTP
internal import TapelineRedaction
internal import TapelineBase

extension EntryWriter {
  /// Undoes the codings of a body, reads it as text if it is text, and hides the secrets even if the other steps fail.
  ///
  /// - Parameters:
  ///   - isGrowing: whether more bytes of the body may come.
  ///   - isBrokenOff: whether the exchange ended before it was complete.
  ///   - arrivals: of the pieces, for a body that was streamed.
  mutating func prepare(
    _ body: BodyCapture, _ media: MediaType, _ fields: HeaderFields, isGrowing: Bool, isBrokenOff: Bool, isRequest: Bool = false,
    arrivals: ArrivalTimes = ArrivalTimes()
  ) -> EntryBody {
    let missing = body.size - UInt64(body.bytes.count)
    var recorded = EntryBody(bytes: body.bytes, size: body.size, missing: missing)
    guard !body.bytes.isEmpty else { return recorded }
    recorded.pieces = PieceEnds(arrivals)
    decode(&recorded, fields)
    if recorded.error == nil { readText(of: &recorded, media, isGrowing: isGrowing) }
    if outliner != nil {
      recorded.pieces?.plain = recorded.bytes
      let outline = recorded.isText ? outliner?.outline(of: recorded.bytes.span, isRequest: isRequest) : nil
      (recorded.bytes, recorded.missing) = (outline ?? [], recorded.size)
      return recorded
    }
    // The beginning of a key cannot be recognised as a key.
    if redactor != nil {
      if isGrowing {
        recorded.bytes.removeLast(recorded.bytes.count - recorded.bytes.span.endOfWholeWords)
      } else if missing > 0 || !recorded.isSizeKnown || isBrokenOff && !Self.isWhole(body, fields) {
        let removed = recorded.bytes.count - CutText.endOfKnown(recorded.bytes.span)
        recorded.bytes.removeLast(removed)
        if recorded.isSizeKnown { recorded.missing += UInt64(removed) }
      }
    }
    if redactor != nil { recorded.pieces?.plain = recorded.bytes }
    if let hidden = redactor?.redactedBody(recorded.bytes.span, media) { recorded.bytes = hidden }
    if recorded.isText, recorded.bytes.span.isBulkyInJSON { recorded.isText = false }
    return recorded
  }

  /// Whether a body of an exchange that was broken off has its length. Of one without a length, nobody knows.
  private static func isWhole(_ body: BodyCapture, _ fields: HeaderFields) -> Bool {
    guard fields.contains(.contentLength) else { return false }
    do throws(HTTPParseError) {
      return try ContentLength.parse(fields, in: .response) == body.size
    } catch {
      return false
    }
  }

  /// Undoes as many codings as possible, so that redaction sees everything that they hide.
  private func decode(_ body: inout EntryBody, _ fields: HeaderFields) {
    guard fields.contains(.contentEncoding) else { return }
    let (codings, unknown) = ContentCoding.outermost(in: fields)
    body.error = unknown
    guard !codings.isEmpty else { return }
    let (output, wrong) = decoder.decodeAsFarAsItGoes(
      body.bytes, codings, limit: decodedBodyLimit, cuts: body.pieces?.ends ?? [])
    body.error = wrong ?? unknown
    // A body that is not decoded at all keeps the size that it came with.
    guard wrong == nil || !output.bytes.isEmpty else { return }
    body.bytes = output.bytes
    body.size = UInt64(output.bytes.count)
    body.isSizeKnown = !output.isPartial
    body.pieces?.adopt(output.ends)
  }

  /// Converts text to UTF-8; bytes that are invalid in their encoding stay as they are.
  private func readText(of body: inout EntryBody, _ media: MediaType, isGrowing: Bool) {
    guard media.isText || media.isMultipart else { return }
    let isCut = isGrowing || body.missing > 0 || !body.isSizeKnown
    if let mark = CharsetSniffer.byteOrderMark(of: body.bytes.span) {
      read(&body, as: mark.charset, from: mark.size, isCut: isCut)
      return
    }
    // UTF-16 without a byte order mark, and mostly without a label: no other text contains zeros.
    if let wide = WideText(body.bytes.span), wide.stride == 2 {
      read(&body, as: wide.lane == 0 ? .utf16LittleEndian : .utf16BigEndian, isCut: isCut)
      if body.isText { return }
    }
    if let label = media.charset {
      guard let charset = Charset(label: label.span) else { return read(&body, as: .utf8, isCut: isCut) }
      read(&body, as: charset, isCut: isCut)
    } else {
      read(&body, as: .utf8, isCut: isCut)
      if !body.isText, let charset = CharsetSniffer.declaration(in: body.bytes.span) { read(&body, as: charset, isCut: isCut) }
    }
  }

  private func read(_ body: inout EntryBody, as charset: Charset, from start: Int = 0, isCut: Bool) {
    switch charset {
    case .utf8:
      let end = isCut ? body.bytes.span.endOfWholeCharacters : body.bytes.count
      guard body.bytes.span.extracting(0..<end).isUTF8 else { return }
      body.bytes.removeLast(body.bytes.count - end)
      body.isText = true
    case .legacy(let legacy):
      let coded = body.bytes
      let codedText = coded.span.extracting(start..<coded.count)
      guard let text = transcoder.transcode(codedText, from: legacy, isTruncated: isCut) else { return }
      body.bytes = text
      body.isText = true
    }
  }
}

extension Span<UInt8> {
  /// The end without the word that is cut off: without bytes that can be part of a key, a token or a cookie's value.
  fileprivate var endOfWholeWords: Int {
    var end = count
    while end > 0, TokenShapes.isWord(self[end - 1]) || ".+/=~%:".utf8.contains(self[end - 1]) { end -= 1 }
    return end
  }
}

extension EntryWriter {
  /// Which name `encoding` has: HAR defines the member in `content` but not in `postData`.
  enum EncodingMember {
    case content
    case postData
  }

  /// Appends the text with its encoding, or the body's file, and the members that describe the body.
  mutating func appendText(of body: EntryBody, in member: EncodingMember, to writer: inout JSONWriter) {
    if bodies != nil, !body.bytes.isEmpty {
      appendFile(of: body, in: member, to: &writer)
    } else if !body.bytes.isEmpty || member == .postData {
      writer.append(json: #","text":"#)
      if body.isText {
        writer.append(text: body.bytes.span)
      } else {
        writer.append(base64: body.bytes.span)
        switch member {
        case .content: writer.append(json: #","encoding":"base64""#)
        case .postData:
          writer.append(member: .encoding)
          writer.append(json: #""base64""#)
        }
      }
    }
    if body.missing > 0 { appendMissing(body.missing, to: &writer) }
    if let error = body.error {
      writer.append(member: .decodeError)
      writer.append(string: error.text)
    }
    if !body.isSizeKnown {
      writer.append(member: .decodeTruncated)
      writer.append(json: #"true"#)
    }
  }

  /// Puts the body into a file of its own. Readers require `postData.text` all the same.
  private mutating func appendFile(of body: EntryBody, in member: EncodingMember, to writer: inout JSONWriter) {
    if member == .postData { writer.append(json: #","text":"""#) }
    do throws(RecorderError) {
      guard let path = try bodies?.store(body.bytes.span) else { return }
      writer.append(member: .file)
      writer.append(string: path)
    } catch {
      bodyError = error
      // If bytes are missing anyway, `appendText` writes `_truncated`.
      if body.missing == 0 { appendMissing(UInt64(body.bytes.count), to: &writer) }
    }
  }

  private func appendMissing(_ count: UInt64, to writer: inout JSONWriter) {
    writer.append(member: .truncated)
    writer.append(integer: count)
  }
}

/// A body as it goes into the log: decoded, in UTF-8 where it is text, and without its secrets.
struct EntryBody {
  var bytes: [UInt8]
  /// Whether `bytes` is well-formed UTF-8 that is meant to be read.
  var isText = false
  /// Bytes of the whole body after decoding, as far as known.
  var size: UInt64
  /// Whether `size` is exact: it is not when only the beginning could be decoded.
  var isSizeKnown = true
  /// Why the bytes are not fully decoded: they are as they came, or only the beginning.
  var error: DecodingError?
  /// Bytes that came but were not kept.
  var missing: UInt64
  /// The pieces of a body that was streamed.
  var pieces: PieceEnds?
}

extension EntryBody {
  /// Hides the secrets of the entry.
  mutating func hideEchoes(by redactor: inout Redactor) {
    redactor.hideEchoes(in: &bytes)
  }
}

extension MediaType {
  /// The `Content-Type` of a message.
  init(of fields: HeaderFields) {
    let index = fields.firstIndex(of: .contentType)
    self.init(in: fields.bytes, index.map { fields.valueRange(at: $0) } ?? 0..<0)
  }

  /// The label of the text's encoding.
  var charset: [UInt8]? { self["charset"] }

  /// Appends the value as a JSON string; `x-unknown` when it is empty.
  func append(to writer: inout JSONWriter) {
    if isEmpty {
      writer.append(json: #""x-unknown""#)
    } else {
      writer.append(text: text.span)
    }
  }
}
